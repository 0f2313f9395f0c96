//! Output of images that the launcher forwards, so that lines are whole: each line of an image is passed on when it is complete.
//! With the number of the image before each line, if that is wanted; of standard error, reports of several images are kept apart.

use super::bulk::{Bulk, Noted, asked};
use super::console::Console;
use super::outlet::{self, Outlet, Sink};
use super::reports::Reports;
use super::stream::{Form, Noting, PIPE_BYTES, Source, Stream};
use super::thread::{self, Sharing};
use super::wake::Wake;
use crate::error::Result;
use crate::rank::Rank;
use crate::readable;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle, sleep};
use std::time::{Duration, Instant};

/// The time for which output is collected after some was passed on, unless there is much of it: a system call for each
/// line would cost more than the line.
const COLLECTING: Duration = Duration::from_micros(200);
/// Output of an image of this length is passed on at once: half of the capacity of its pipe.
const MUCH_BYTES: usize = MAX_PIPE_BYTES / 2;

/// The greatest capacity of the pipe of an image, and of the pipes of all images.
const MAX_PIPE_BYTES: usize = 1 << 18;
const ALL_PIPES_BYTES: usize = 1 << 24;
/// The same while each write causes a signal. The system has a limit for the signals that all processes of a user have not received,
/// which may be many while the thread waits for the reader of our output; it loses those beyond.
const MAX_NOTED_BYTES: usize = 1 << 14;
const ALL_NOTED_BYTES: usize = 1 << 20;

/// The streams of all images. A thread of its own forwards them, so that a slow reader (`xmprun ... | less`) does not
/// keep the launcher from its other work.
#[derive(Debug)]
pub(super) struct Streams<'a> {
    /// By the descriptors of their pipes.
    streams: BTreeMap<RawFd, Stream>,
    /// If there is a queue of writes.
    bulk: Option<Bulk<'a>>,
    /// Writes that were taken from the queue.
    noted: Noted,
    /// Whether image 1 may wait for the answer to a question.
    is_interactive: bool,
    reports: Reports,
    outlet: Outlet,
}

impl<'a> Streams<'a> {
    /// Without a stream. `is_interactive`: whether image 1 may read answers of a user or of another program.
    pub(super) fn new(bulk: Option<Bulk<'a>>, is_interactive: bool) -> Streams<'a> {
        let (reports, outlet) = (Reports::default(), Outlet::default());
        let (streams, noted) = (BTreeMap::new(), Noted::default());
        Streams { streams, bulk, noted, is_interactive, reports, outlet }
    }

    /// Adds the standard output of an image.
    pub(super) fn add_output(&mut self, source: Source, pipe: OwnedFd) {
        self.add(source, pipe, Sink::Stdout, Form::Plain);
    }

    /// Adds the standard error of an image.
    pub(super) fn add_errors(&mut self, source: Source, pipe: OwnedFd) {
        self.add(source, pipe, Sink::Stderr, Form::Reports);
    }

    /// Adds a stream of an image, whose lines get its number.
    pub(super) fn add_prefixed(&mut self, source: Source, pipe: OwnedFd, sink: Sink) {
        let prefix = format!("[{}] ", source.rank.image()).into_bytes();
        self.add(source, pipe, sink, Form::Prefixed(prefix));
    }

    fn add(&mut self, source: Source, pipe: OwnedFd, sink: Sink, form: Form) {
        let is_first = source.rank == Rank::new(0);
        let may_ask = is_first && self.is_interactive && !matches!(form, Form::Prefixed(_));
        self.streams.insert(pipe.as_raw_fd(), Stream::new(source, pipe, sink, form, may_ask));
    }

    /// Sets the capacity of the pipes of standard output, and enlarges the launcher's own. Linux has a limit for all
    /// pipes of a user, 64 MiB unless the administrator sets another one; above it, new pipes are small.
    fn size_pipes(&mut self) {
        let is_output = |stream: &&mut Stream| stream.sink() == Sink::Stdout;
        let count = self.streams.values_mut().filter(is_output).count().max(1);
        let most = (ALL_PIPES_BYTES / count).clamp(PIPE_BYTES, MAX_PIPE_BYTES);
        let noted = match self.bulk {
            Some(_) => (ALL_NOTED_BYTES / count).min(MAX_NOTED_BYTES),
            None => most,
        };
        self.streams.values_mut().filter(is_output).for_each(|it| it.size_pipe(noted, most));
        if most > PIPE_BYTES {
            outlet::enlarge_pipe(MAX_PIPE_BYTES);
        }
    }

    /// Forwards output, and the launcher's own messages, until all streams have ended; then sets `done` and wakes the
    /// launcher. The thread returns whether some output could not be written.
    pub(super) fn start<'scope>(
        mut self,
        scope: &'scope Scope<'scope, '_>,
        sharing: Sharing,
        console: &'scope Console,
        done: &'scope AtomicBool,
        wake: &'scope Wake,
    ) -> Result<ScopedJoinHandle<'scope, bool>>
    where
        'a: 'scope,
    {
        console.forward();
        self.size_pipes();
        thread::start(scope, sharing, move || {
            while !self.streams.is_empty() {
                self.round(console);
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
    fn round(&mut self, console: &Console) {
        let ready = self.wait(console);
        let asked = asked(&self.streams);
        let mut read = self.forward(&ready);
        if !self.noted.left.is_empty() && console.is_waiting() {
            // The output that images had written before the messages has been passed on now.
            read = read.max(self.forward(&ready));
        }
        let (reports, outlet) = (&mut self.reports, &mut self.outlet);
        if let Some(bulk) = self.bulk {
            bulk.end(&mut self.streams, &mut self.noted, (reports, outlet));
        }
        let now = Instant::now();
        for stream in
            self.streams.values_mut().filter(|it| it.question().is_some_and(|at| at <= now))
        {
            stream.pass_question(reports, outlet);
        }
        for stream in self.streams.values_mut().filter(|stream| stream.is_finished()) {
            stream.finish(reports, outlet);
        }
        let mut out = Vec::new();
        reports.take(now, &mut out);
        if !reports.is_any_left() {
            out.extend(console.take());
        }
        outlet.add_messages(&out);
        outlet.write();
        // When the launcher's output has no reader any more, the image gets the same error from its closed pipe.
        self.streams.retain(|_, stream| !stream.is_finished() && !outlet.is_closed(stream.sink()));
        if let Some(bulk) = self.bulk {
            bulk.release(&asked, &self.streams);
            bulk.begin(&mut self.streams, &mut self.noted);
        }
        let is_some_read = (1..MUCH_BYTES).contains(&read) && !self.streams.is_empty();
        if is_some_read || self.is_any_held() || read == 0 && self.is_any_asked() {
            sleep(COLLECTING);
        }
    }

    /// Reads the pipes, and passes lines on in the order of the writes, each of which is a line, or a part of one.
    /// Returns the greatest number of bytes that were read of one image.
    ///
    /// The queue is emptied twice. A write that was in it before the pipes were read has its line in a buffer. A line
    /// that was read has its write in the queue by then, except writes that were written together with others, and
    /// writes of an image that the system has interrupted within a write. So lines are in the order of the writes up to
    /// the first write whose line was not read. This write and the writes after it have to wait for the next round.
    fn forward(&mut self, ready: &BTreeSet<RawFd>) -> usize {
        let take = |taken: &mut VecDeque<RawFd>| {
            if let Some(Bulk { order, .. }) = self.bulk {
                order.take(taken);
            }
            taken.len()
        };
        let before = self.noted.left.len();
        let were_written = take(&mut self.noted.left);
        let noted: BTreeSet<RawFd> = self.noted.left.iter().copied().collect();
        let mut read = 0;
        for fd in ready.union(&noted) {
            if let Some(stream) = self.streams.get_mut(fd) {
                read = read.max(stream.read_all());
            }
        }
        let taken = take(&mut self.noted.left);
        for fd in self.noted.left.range(before..) {
            if let Some(stream) = self.streams.get_mut(fd) {
                stream.noted += 1;
            }
        }
        self.pass_noted(were_written);
        self.noted.passed += (taken - self.noted.left.len()) as u64;
        self.pass_unnoted();
        read
    }

    /// Passes the lines of noted writes on, of which this many were noted before the pipes were read.
    fn pass_noted(&mut self, were_written: usize) {
        let (reports, outlet) = (&mut self.reports, &mut self.outlet);
        let writes = &mut self.noted.left;
        let taken = writes.len();
        let first = writes.front().copied();
        let is_only = |fd: RawFd| writes.iter().all(|&write| write == fd);
        if let Some(fd) = first.filter(|&fd| is_only(fd)) {
            // A write of another image before one of these lines would be in the queue.
            let stream = self.streams.get_mut(&fd);
            let lines = stream.map_or(taken, |stream| stream.pass_noted(taken, reports, outlet));
            writes.drain(..lines.max(were_written).min(taken));
        }
        for passed in taken - writes.len()..taken {
            let Some(fd) = writes.front() else { break };
            if let Some(stream) = self.streams.get_mut(fd) {
                if passed >= were_written && !stream.has_line() {
                    break;
                }
                stream.pass_line(reports, outlet);
            }
            writes.pop_front();
        }
    }

    /// Passes lines on that no noted write has.
    fn pass_unnoted(&mut self) {
        let (reports, outlet) = (&mut self.reports, &mut self.outlet);
        let mut waiting = BTreeMap::new();
        for fd in &self.noted.left {
            *waiting.entry(*fd).or_insert(0) += 1;
        }
        let now = self.bulk.map(|_| Instant::now());
        for (fd, stream) in &mut self.streams {
            match &stream.noting {
                Noting::None(unnoted) => {
                    let has_turn = self.noted.have_passed(unnoted);
                    stream.pass_freely(has_turn, reports, outlet);
                }
                Noting::Each | Noting::Asked { .. } => {
                    let waiting = waiting.get(fd).copied().unwrap_or(0);
                    stream.pass_unnoted(waiting, now, reports, outlet);
                }
            }
        }
    }

    /// Whether an image may wait until its output was read.
    fn is_any_asked(&self) -> bool {
        self.streams.values().any(Stream::is_asked)
    }

    /// Whether lines wait for the queue of writes.
    fn is_any_held(&self) -> bool {
        self.streams.values().any(Stream::is_held)
    }

    /// Waits for output. Returns the descriptors of the pipes that can be read.
    fn wait(&self, console: &Console) -> BTreeSet<RawFd> {
        let questions = self.streams.values().filter_map(Stream::question).min();
        let next = questions.into_iter().chain(self.reports.next()).min();
        let left = next.map(|next| next.saturating_duration_since(Instant::now()));
        let is_any_waiting =
            self.is_any_held() || self.is_any_asked() || !self.noted.left.is_empty();
        let left = if is_any_waiting { Some(Duration::ZERO) } else { left };
        let pipes = self.streams.values().map(Stream::pipe);
        // The launcher's messages come after the reports.
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
