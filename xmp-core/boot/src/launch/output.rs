//! Output of images that the launcher forwards, so that lines are whole: each line of an image is passed on when it is complete.
//! With the number of the image before each line, if that is wanted; of standard error, reports of several images are kept apart.

use super::console::Console;
use super::outlet::{self, Outlet, Sink};
use super::reports::Reports;
use super::stream::{Form, PIPE_BYTES, Stream};
use super::thread::{self, Sharing};
use super::wake::Wake;
use super::write_order::WriteOrder;
use crate::error::Result;
use crate::rank::Rank;
use crate::readable;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle, sleep};
use std::time::{Duration, Instant};

/// How long output is collected after some was passed on, unless there is much of it: a system call for each line would cost more
/// than the line.
const COLLECTING: Duration = Duration::from_micros(200);
/// So much of an image at a time is not waited for: half of what its pipe can hold.
const MUCH_BYTES: usize = MAX_PIPE_BYTES / 2;

/// What a pipe of an image, and those of all images, are to hold.
const MAX_PIPE_BYTES: usize = 1 << 18;
const ALL_PIPES_BYTES: usize = 1 << 24;

/// The streams of all images. A thread of its own forwards them, so that a slow reader (`xmprun ... | less`) does not
/// keep the launcher from its other work.
#[derive(Debug)]
pub(super) struct Streams<'a> {
    /// By the descriptors of their pipes.
    streams: BTreeMap<RawFd, Stream>,
    order: Option<&'a WriteOrder>,
    /// Writes in their order that were taken from the queue, and whose lines were not passed on.
    taken: VecDeque<RawFd>,
    /// Whether image 1 may wait for the answer to a question.
    is_interactive: bool,
    reports: Reports,
    outlet: Outlet,
}

impl<'a> Streams<'a> {
    /// Without a stream. `is_interactive`: whether image 1 may read what a user, or another program, answers.
    pub(super) fn new(order: Option<&'a WriteOrder>, is_interactive: bool) -> Streams<'a> {
        let (reports, outlet) = (Reports::default(), Outlet::default());
        let (streams, taken) = (BTreeMap::new(), VecDeque::new());
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

    /// Enlarges the pipes of standard output, and the launcher's own. Linux has a limit for all pipes of a user, 64 MiB unless the administrator sets
    /// another one; above it, new pipes are small.
    fn enlarge_pipes(&mut self) {
        let is_output = |stream: &&mut Stream| stream.sink() == Sink::Stdout;
        let count = self.streams.values_mut().filter(is_output).count();
        let bytes = (ALL_PIPES_BYTES / count.max(1)).min(MAX_PIPE_BYTES);
        if bytes > PIPE_BYTES {
            self.streams.values_mut().filter(is_output).for_each(|it| it.enlarge_pipe(bytes));
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
        self.enlarge_pipes();
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
        let mut read = self.forward(&ready);
        if !self.taken.is_empty() && console.is_waiting() {
            // Now what images had written before the messages has had its turn.
            read = read.max(self.forward(&ready));
        }
        let now = Instant::now();
        let (reports, outlet) = (&mut self.reports, &mut self.outlet);
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
        // When our output has no reader any more, closing the pipe tells the image the same.
        self.streams.retain(|_, stream| !stream.is_finished() && !outlet.is_closed(stream.sink()));
        if (1..MUCH_BYTES).contains(&read) && !self.streams.is_empty() || self.is_any_held() {
            sleep(COLLECTING);
        }
    }

    /// Reads what is in the pipes, and passes lines on in the order of the writes, each of which is a line, or a part of one. Returns
    /// how many bytes of one image were read at most.
    ///
    /// The queue is emptied twice. A write that was in it before the pipes were read has its line in a buffer. A line that was read
    /// has its write in the queue by then, but for those that were written together with others, and for an image that the
    /// system has interrupted within a write. So the order is that of the writes up to the first one whose line was not read. It and
    /// those behind it have to wait for the next round.
    fn forward(&mut self, ready: &BTreeSet<RawFd>) -> usize {
        let take = |taken: &mut VecDeque<RawFd>| {
            if let Some(order) = self.order {
                order.take(taken);
            }
            taken.len()
        };
        let were_written = take(&mut self.taken);
        let noted: BTreeSet<RawFd> = self.taken.iter().copied().collect();
        let mut read = 0;
        for fd in ready.union(&noted) {
            if let Some(stream) = self.streams.get_mut(fd) {
                read = read.max(stream.read_all());
            }
        }
        let taken = take(&mut self.taken);
        let (reports, outlet) = (&mut self.reports, &mut self.outlet);
        let first = self.taken.front().copied();
        let is_only = |fd: RawFd| self.taken.iter().all(|&write| write == fd);
        if let Some(fd) = first.filter(|&fd| is_only(fd)) {
            // What other images have written before one of these lines would be in the queue.
            let stream = self.streams.get_mut(&fd);
            let lines = stream.map_or(taken, |stream| stream.pass_noted(taken, reports, outlet));
            self.taken.drain(..lines.max(were_written).min(taken));
        }
        for passed in taken - self.taken.len()..taken {
            let Some(fd) = self.taken.front() else { break };
            if let Some(stream) = self.streams.get_mut(fd) {
                if passed >= were_written && !stream.has_line() {
                    break;
                }
                stream.pass_line(reports, outlet);
            }
            self.taken.pop_front();
        }
        let mut waiting = BTreeMap::new();
        for fd in &self.taken {
            *waiting.entry(*fd).or_insert(0) += 1;
        }
        let now = self.order.map(|_| Instant::now());
        for (fd, stream) in &mut self.streams {
            let waiting = waiting.get(fd).copied().unwrap_or(0);
            stream.pass_unnoted(waiting, now, reports, outlet);
        }
        read
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
        let is_any_waiting = self.is_any_held() || !self.taken.is_empty();
        let left = if is_any_waiting { Some(Duration::ZERO) } else { left };
        let pipes = self.streams.values().map(Stream::pipe);
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
