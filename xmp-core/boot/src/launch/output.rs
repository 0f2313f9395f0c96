//! Output of images that the launcher forwards, so that lines are whole: each line of an image is passed on when it is complete.
//! With the number of the image before each line, if that is wanted; of standard error, reports of several images are kept apart.

use super::console::Console;
use super::lines::LineBuffer;
use super::outlet::{Outlet, Sink};
use super::reports::Reports;
use super::thread;
use super::wake::Wake;
use super::write_order::WriteOrder;
use crate::error::Result;
use crate::rank::Rank;
use crate::readable;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle, sleep};
use std::time::{Duration, Instant};

/// The beginning of a line is passed on when nothing has followed for this time, if it may be a question to the user.
const QUESTION: Duration = Duration::from_millis(100);

/// How long output is collected after some was passed on, unless there is much of it: a system call for each line would cost more
/// than the line.
const COLLECTING: Duration = Duration::from_micros(200);
/// So much at a time is not waited for.
const MUCH_BYTES: usize = 1 << 15;

/// What a pipe can hold unless the system is asked for another size.
const PIPE_BYTES: usize = 1 << 16;

/// What a pipe of an image, and those of all images, are to hold.
const MAX_PIPE_BYTES: usize = 1 << 18;
const ALL_PIPES_BYTES: usize = 1 << 24;

/// How long the queue of writes may be behind the pipes.
const NOTE: Duration = Duration::from_millis(2);
/// How often the queue is emptied before lines are passed on that were written together.
const MAX_BATCHES: usize = 16;

/// What becomes of the lines that an image has written.
#[derive(Debug)]
enum Form {
    /// They are passed on as they are.
    Plain,
    /// Each gets this prefix.
    Prefixed(Vec<u8>),
    /// Reports among them are kept together.
    Reports,
}

/// One output stream of one image.
#[derive(Debug)]
struct Stream {
    rank: Rank,
    pipe: File,
    /// What the pipe can hold.
    pipe_bytes: usize,
    sink: Sink,
    form: Form,
    lines: LineBuffer,
    /// When the image wrote last.
    last: Instant,
    /// Whether the image may wait for the answer to a question, which is the beginning of a line.
    may_ask: bool,
    /// Since when there is something to read that the queue of writes does not have.
    unnoted: Option<Instant>,
    has_ended: bool,
}

impl Stream {
    fn new(rank: Rank, pipe: OwnedFd, sink: Sink, form: Form, may_ask: bool) -> Stream {
        // It is read when the image has written, but another read may have been first.
        let _ = fcntl_getfl(&pipe).and_then(|flags| fcntl_setfl(&pipe, flags | OFlags::NONBLOCK));
        let (lines, last) = (LineBuffer::default(), Instant::now());
        Stream {
            rank,
            pipe_bytes: PIPE_BYTES,
            pipe: pipe.into(),
            sink,
            form,
            lines,
            last,
            may_ask,
            unnoted: None,
            has_ended: false,
        }
    }

    /// Makes the pipe hold so much, that an image writes on while its output is collected.
    fn enlarge_pipe(&mut self, bytes: usize) {
        let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
        // SAFETY: plain system call on an open pipe. It returns the size, or fails where the user may have no larger pipes.
        let bytes = unsafe { libc::fcntl(self.pipe.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
        self.pipe_bytes = self.pipe_bytes.max(usize::try_from(bytes).unwrap_or(0));
    }

    /// Reads what is there, at most a buffer full. Returns whether there may be more.
    fn read(&mut self, buffer: &mut [u8]) -> bool {
        match self.pipe.read(buffer) {
            Ok(0) => self.has_ended = true,
            Ok(count) => {
                self.lines.push(&buffer[..count]);
                self.last = Instant::now();
                return count == buffer.len();
            }
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock => {}
                _ => {
                    tracing::warn!(%error, "output of an image lost");
                    self.has_ended = true;
                }
            },
        }
        false
    }

    /// Reads all that was in the pipe when this was called.
    fn read_all(&mut self, buffer: &mut [u8]) {
        let mut left = self.pipe_bytes;
        while self.read(buffer) && left > 0 {
            left = left.saturating_sub(buffer.len());
        }
    }

    /// Passes one line on.
    fn pass_line(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.rank, self.sink, self.lines.take_line(), reports, outlet);
    }

    /// Passes all complete lines on.
    fn pass_lines(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.rank, self.sink, self.lines.take_lines(), reports, outlet);
    }

    /// When the beginning of a line is passed on that may be a question.
    fn question(&self) -> Option<Instant> {
        (self.may_ask && self.lines.has_beginning()).then(|| self.last + QUESTION)
    }

    /// Passes that on.
    fn pass_question(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.rank, self.sink, self.lines.take_all(), reports, outlet);
    }

    /// Passes everything on: the image writes no more.
    fn finish(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        self.pass_lines(reports, outlet);
        let rest = self.lines.take_all();
        match self.form {
            Form::Prefixed(_) if !rest.is_empty() => {
                let line = [rest, b"\n"].concat();
                pass(&self.form, self.rank, self.sink, &line, reports, outlet);
            }
            _ => pass(&self.form, self.rank, self.sink, rest, reports, outlet),
        }
        if matches!(self.form, Form::Reports) {
            reports.end(self.rank, Instant::now());
        }
    }
}

/// Passes text of an image on.
fn pass(
    form: &Form,
    rank: Rank,
    sink: Sink,
    text: &[u8],
    reports: &mut Reports,
    outlet: &mut Outlet,
) {
    match form {
        Form::Plain => outlet.add(sink, rank, text),
        Form::Prefixed(prefix) => {
            for line in text.split_inclusive(|&byte| byte == b'\n') {
                outlet.add(sink, rank, prefix);
                outlet.add(sink, rank, line);
            }
        }
        Form::Reports => {
            let mut out = Vec::new();
            if !text.is_empty() {
                reports.feed(rank, text, Instant::now(), &mut out);
            }
            outlet.add(sink, rank, &out);
        }
    }
}

/// The streams of all images. A thread of its own forwards them, so that a slow reader (`xmprun ... | less`) does not
/// keep the launcher from its other work.
#[derive(Debug)]
pub(super) struct Streams<'a> {
    /// By the descriptors of their pipes.
    streams: BTreeMap<RawFd, Stream>,
    order: Option<&'a WriteOrder>,
    /// Writes in their order that were taken from the queue; what they have written may be in the pipes.
    taken: Vec<RawFd>,
    /// Whether image 1 may wait for the answer to a question.
    is_interactive: bool,
    reports: Reports,
    outlet: Outlet,
}

impl<'a> Streams<'a> {
    /// Without a stream. `is_interactive`: whether image 1 may read what a user, or another program, answers.
    pub(super) fn new(order: Option<&'a WriteOrder>, is_interactive: bool) -> Streams<'a> {
        let (reports, outlet) = (Reports::default(), Outlet::default());
        let (streams, taken) = (BTreeMap::new(), Vec::new());
        Streams { streams, order, taken, is_interactive, reports, outlet }
    }

    /// Adds the standard output of an image.
    pub(super) fn add_output(&mut self, rank: Rank, pipe: OwnedFd) {
        self.add(rank, pipe, Sink::Stdout, Form::Plain);
    }

    /// Adds the standard error of an image.
    pub(super) fn add_errors(&mut self, rank: Rank, pipe: OwnedFd) {
        self.add(rank, pipe, Sink::Stderr, Form::Reports);
    }

    /// Adds a stream of an image, whose lines get its number.
    pub(super) fn add_prefixed(&mut self, rank: Rank, pipe: OwnedFd, sink: Sink) {
        let prefix = format!("[{}] ", rank.image()).into_bytes();
        self.add(rank, pipe, sink, Form::Prefixed(prefix));
    }

    fn add(&mut self, rank: Rank, pipe: OwnedFd, sink: Sink, form: Form) {
        let is_first = rank == Rank::new(0);
        let may_ask = is_first && self.is_interactive && !matches!(form, Form::Prefixed(_));
        self.streams.insert(pipe.as_raw_fd(), Stream::new(rank, pipe, sink, form, may_ask));
    }

    /// Enlarges the pipes of standard output. Linux has a limit for all pipes of a user, 64 MiB unless the administrator sets
    /// another one; above it, new pipes are small.
    fn enlarge_pipes(&mut self) {
        let is_output = |stream: &&mut Stream| stream.sink == Sink::Stdout;
        let count = self.streams.values_mut().filter(is_output).count();
        let bytes = (ALL_PIPES_BYTES / count.max(1)).min(MAX_PIPE_BYTES);
        if bytes > PIPE_BYTES {
            self.streams.values_mut().filter(is_output).for_each(|it| it.enlarge_pipe(bytes));
        }
    }

    /// Forwards output, and the launcher's own messages, until all streams have ended; then sets `done` and wakes the
    /// launcher. The thread returns whether some output could not be written.
    pub(super) fn start<'scope>(
        mut self,
        scope: &'scope Scope<'scope, '_>,
        console: &'scope Console,
        done: &'scope AtomicBool,
        wake: &'scope Wake,
    ) -> Result<ScopedJoinHandle<'scope, bool>>
    where
        'a: 'scope,
    {
        console.forward();
        self.enlarge_pipes();
        thread::start(scope, move || {
            let mut buffer = vec![0; PIPE_BYTES];
            while !self.streams.is_empty() {
                self.round(&mut buffer, console);
                let is_reporting = self.reports.is_any_begun();
                if console.set_reporting(is_reporting) != is_reporting {
                    wake.wake();
                }
            }
            let mut out = Vec::new();
            self.reports.take_all(&mut out);
            out.extend(console.finish());
            self.outlet.add_messages(&out);
            self.outlet.write();
            done.store(true, Ordering::Release);
            wake.wake();
            self.outlet.has_lost_any()
        })
    }

    /// Waits for output and forwards it.
    fn round(&mut self, buffer: &mut [u8], console: &Console) {
        let ready = self.wait(console);
        let now = Instant::now();
        let noted = self.pass_noted(buffer);
        let (reports, outlet) = (&mut self.reports, &mut self.outlet);
        // Writes of several lines, and what the queue does not have.
        for (fd, stream) in &mut self.streams {
            if !ready.contains(fd) || noted.contains(fd) {
                stream.unnoted = None;
            } else if self.order.is_none() || *stream.unnoted.get_or_insert(now) + NOTE <= now {
                stream.read(buffer);
            }
            stream.pass_lines(reports, outlet);
        }
        for stream in
            self.streams.values_mut().filter(|it| it.question().is_some_and(|at| at <= now))
        {
            stream.pass_question(reports, outlet);
        }
        for stream in self.streams.values_mut().filter(|stream| stream.has_ended) {
            stream.finish(reports, outlet);
        }
        let mut out = Vec::new();
        reports.take(now, &mut out);
        if !reports.is_any_left() {
            out.extend(console.take());
        }
        outlet.add_messages(&out);
        let passed = outlet.write();
        // When our output has no reader any more, closing the pipe tells the image the same.
        self.streams.retain(|_, stream| !stream.has_ended && !outlet.is_closed(stream.sink));
        let waits_for_notes = self.streams.values().any(|stream| stream.unnoted.is_some());
        if (1..MUCH_BYTES).contains(&passed) && !self.streams.is_empty() || waits_for_notes {
            sleep(COLLECTING);
        }
    }

    /// Passes lines on in the order of the writes, each of which is a line, or a part of one, until no write is in the queue. So all
    /// lines that were read have had their turn, but for those that were written together with others. Returns the pipes that were
    /// written to.
    fn pass_noted(&mut self, buffer: &mut [u8]) -> BTreeSet<RawFd> {
        let mut noted = BTreeSet::new();
        for _ in 0..MAX_BATCHES {
            let Some(order) = self.order else { break };
            order.take(&mut self.taken);
            if self.taken.is_empty() {
                break;
            }
            noted.extend(&self.taken);
            if self.pass_those_of_one(order, buffer) {
                // More is collected before the next look.
                break;
            }
            for fd in self.taken.drain(..) {
                let Some(stream) = self.streams.get_mut(&fd) else { continue };
                if !stream.lines.has_line() {
                    stream.read(buffer);
                }
                stream.pass_line(&mut self.reports, &mut self.outlet);
            }
        }
        noted
    }

    /// Passes the lines of all writes that were taken on if they are of one image: all that it has written until the pipe was
    /// read, unless another one has written meanwhile. Returns whether it did.
    fn pass_those_of_one(&mut self, order: &WriteOrder, buffer: &mut [u8]) -> bool {
        let are_all = |writes: &[RawFd], fd: RawFd| writes.iter().all(|&write| write == fd);
        let fd = self.taken[0];
        if !are_all(&self.taken, fd) {
            return false;
        }
        let Some(stream) = self.streams.get_mut(&fd) else {
            self.taken.clear();
            return true;
        };
        // Until no write is new: then all that was taken is read, and nothing that was read is left in the queue.
        for _ in 0..MAX_BATCHES {
            let known = self.taken.len();
            stream.read_all(buffer);
            // If one of these lines was to come after a line of another image, that write is in the queue by now.
            order.take(&mut self.taken);
            if !are_all(&self.taken, fd) {
                return false;
            }
            if self.taken.len() == known {
                break;
            }
        }
        self.taken.clear();
        stream.pass_lines(&mut self.reports, &mut self.outlet);
        true
    }

    /// Waits for output. Returns the descriptors of the pipes that can be read.
    fn wait(&self, console: &Console) -> BTreeSet<RawFd> {
        let questions = self.streams.values().filter_map(Stream::question).min();
        let next = questions.into_iter().chain(self.reports.next()).min();
        let left = next.map(|next| next.saturating_duration_since(Instant::now()));
        let pipes = self.streams.values().map(|stream| stream.pipe.as_fd());
        // The launcher's messages come behind the reports.
        let messages = (!self.reports.is_any_left()).then(|| console.as_fd());
        // Not for the queue of writes: each of them would wake this thread, also while it has others to read.
        let descriptors: Vec<_> = pipes.chain(messages).collect();
        let mut polled: Vec<_> = descriptors.iter().map(readable::entry).collect();
        readable::wait(&mut polled, left);
        let ready = polled.iter().map(readable::is_ready);
        self.streams
            .keys()
            .zip(ready)
            .filter(|(_, is_ready)| *is_ready)
            .map(|(fd, _)| *fd)
            .collect()
    }
}
