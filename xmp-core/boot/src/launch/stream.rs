//! One output stream of one image: its pipe, and the lines that were read from it.

use super::lines::{LineBuffer, Unit};
use super::outlet::{Outlet, Sink};
use super::reports::Reports;
use super::run_time::RunTime;
use crate::rank::Rank;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::Pid;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// The capacity of a pipe unless the system is asked for another one.
pub(super) const PIPE_BYTES: usize = 1 << 16;

/// The beginning of a line is passed on when nothing has followed for this time, if it may be a question to the user.
const QUESTION: Duration = Duration::from_millis(100);

/// The time by which the queue of writes may be late: the system may interrupt an image within a write.
const NOTE: Duration = Duration::from_millis(50);

/// The destination of the lines that an image has written.
#[derive(Debug)]
pub(super) enum Form {
    /// They are passed on as they are.
    Plain,
    /// Each gets this prefix.
    Prefixed(Vec<u8>),
    /// Reports among them are kept together.
    Reports,
}

/// The source of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// The image.
    pub(super) rank: Rank,
    /// Its process.
    pub(super) process: Pid,
}

/// The writes of a stream that are noted in the queue.
#[derive(Debug)]
pub(super) enum Noting {
    /// Each one.
    Each,
    /// Each one, until the image has written again: it has been asked to wait at the next image control statement.
    Asked {
        /// When.
        at: Instant,
        /// The number of writes that had been noted.
        noted: usize,
    },
    /// None.
    None(Unnoted),
}

impl Noting {
    fn is_none(&self) -> bool {
        matches!(self, Noting::None(_))
    }
}

/// The state of a stream whose writes are not noted.
#[derive(Debug)]
pub(super) struct Unnoted {
    /// The number of all noted writes that have to be passed on before.
    pub(super) after: u64,
    /// Since when nothing was written, and how long the image had run by then.
    pub(super) quiet: Option<(Instant, RunTime)>,
}

/// One output stream of one image.
#[derive(Debug)]
pub(super) struct Stream {
    source: Source,
    pipe: OwnedFd,
    /// The capacity of the pipe.
    pipe_bytes: usize,
    /// Its capacity while each write is noted, and while none is.
    sizes: [usize; 2],
    sink: Sink,
    form: Form,
    lines: LineBuffer,
    /// When the image wrote last.
    last: Instant,
    /// Whether the image may wait for the answer to a question, which is the beginning of a line.
    may_ask: bool,
    /// Since when there is a line that the queue of writes does not have.
    held: Option<Instant>,
    /// The number of writes in the queue whose lines were not passed on.
    waiting: usize,
    /// The number of writes that the queue has had, and the bytes that were read meanwhile.
    pub(super) noted: usize,
    pub(super) bytes: usize,
    /// Whether its writes are noted now.
    pub(super) noting: Noting,
    has_ended: bool,
}

impl Stream {
    pub(super) fn new(
        source: Source,
        pipe: OwnedFd,
        sink: Sink,
        form: Form,
        may_ask: bool,
    ) -> Stream {
        // It is read when the image has written, but another read may have been first.
        let _ = fcntl_getfl(&pipe).and_then(|flags| fcntl_setfl(&pipe, flags | OFlags::NONBLOCK));
        let unit = match sink {
            Sink::Stdout => Unit::Line,
            Sink::Stderr => Unit::Report,
        };
        let (lines, last) = (LineBuffer::of(unit), Instant::now());
        Stream {
            source,
            pipe_bytes: PIPE_BYTES,
            sizes: [PIPE_BYTES; 2],
            pipe,
            sink,
            form,
            lines,
            last,
            may_ask,
            held: None,
            waiting: 0,
            noted: 0,
            bytes: 0,
            noting: Noting::Each,
            has_ended: false,
        }
    }

    /// Sets the capacities of the pipe while each write is noted, and while none is: with the latter an image continues to write while
    /// its output is collected.
    pub(super) fn size_pipe(&mut self, noted: usize, unnoted: usize) {
        self.sizes = [noted, unnoted];
        self.resize_pipe();
    }

    /// Sets which writes are noted from now on.
    pub(super) fn set_noting(&mut self, noting: Noting) {
        let was_none = mem::replace(&mut self.noting, noting).is_none();
        if was_none != self.noting.is_none() {
            self.resize_pipe();
        }
    }

    fn resize_pipe(&mut self) {
        let bytes = self.sizes[usize::from(self.noting.is_none())];
        if bytes == self.pipe_bytes {
            return;
        }
        let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
        // SAFETY: plain system call on an open pipe. It returns the size, or fails where the user may have no larger pipes, or where more
        // is in the pipe.
        let bytes = unsafe { libc::fcntl(self.pipe.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
        self.pipe_bytes = usize::try_from(bytes).unwrap_or(self.pipe_bytes);
    }

    /// Reads all that was in the pipe when this was called. Returns how much.
    pub(super) fn read_all(&mut self) -> usize {
        let mut bytes = 0;
        while bytes < self.pipe_bytes {
            match self.lines.read(&self.pipe, self.pipe_bytes) {
                Ok(0) => self.has_ended = true,
                Ok(count) => {
                    bytes += count;
                    self.bytes += count;
                    self.last = Instant::now();
                    continue;
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => {
                    tracing::warn!(%error, "output of an image lost");
                    self.has_ended = true;
                }
            }
            break;
        }
        bytes
    }

    /// The image.
    pub(super) fn rank(&self) -> Rank {
        self.source.rank
    }

    /// The process of the image.
    pub(super) fn process(&self) -> Pid {
        self.source.process
    }

    /// Whether the image has been asked to wait until this stream was read.
    pub(super) fn is_asked(&self) -> bool {
        !matches!(self.noting, Noting::Each)
    }

    /// When something that the image has written was read for the last time.
    pub(super) fn written(&self) -> Instant {
        self.last
    }

    /// Its pipe.
    pub(super) fn pipe(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// The destination of its lines.
    pub(super) fn sink(&self) -> Sink {
        self.sink
    }

    /// Whether a complete line was read.
    pub(super) fn has_line(&self) -> bool {
        self.lines.has_line()
    }

    /// Whether the image writes no more, and all lines have had their turn.
    pub(super) fn is_finished(&self) -> bool {
        self.has_ended && self.waiting == 0
    }

    /// Whether lines wait for the queue of writes.
    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Passes lines on that the queue of writes does not have. A single line may belong to a write which has not
    /// returned, so it waits. Several lines were written together. `waiting`: the number of writes of this stream in
    /// the queue, which wait for others; `now`: if there is a queue.
    pub(super) fn pass_unnoted(
        &mut self,
        waiting: usize,
        now: Option<Instant>,
        reports: &mut Reports,
        outlet: &mut Outlet,
    ) {
        self.waiting = waiting;
        let is_held = match (self.lines.count().saturating_sub(waiting), now) {
            (0, _) => {
                self.held = None;
                return;
            }
            (1, Some(now)) => !self.has_ended && now < *self.held.get_or_insert(now) + NOTE,
            _ => false,
        };
        if !is_held {
            self.held = None;
            self.pass_lines(reports, outlet);
        }
    }

    /// Passes on all complete lines whose writes were not noted, if all writes that were noted before have had their turn.
    pub(super) fn pass_freely(
        &mut self,
        has_turn: bool,
        reports: &mut Reports,
        outlet: &mut Outlet,
    ) {
        self.held = None;
        self.waiting = usize::from(!has_turn);
        if has_turn {
            self.pass_lines(reports, outlet);
        }
    }

    /// Passes one line on, or the lines of a report.
    pub(super) fn pass_line(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.source.rank, self.sink, self.lines.take_unit(), reports, outlet);
    }

    /// Passes the lines of this many writes on, or all if some were written together. Returns how many.
    pub(super) fn pass_noted(
        &mut self,
        writes: usize,
        reports: &mut Reports,
        outlet: &mut Outlet,
    ) -> usize {
        let count = self.lines.count();
        let text = if count == writes + 1 {
            // The last one may be of a write that has not returned.
            self.lines.take_all_but_one_unit()
        } else {
            self.lines.take_lines()
        };
        pass(&self.form, self.source.rank, self.sink, text, reports, outlet);
        count
    }

    /// Passes all complete lines on.
    pub(super) fn pass_lines(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.source.rank, self.sink, self.lines.take_lines(), reports, outlet);
    }

    /// When the beginning of a line is passed on that may be a question.
    pub(super) fn question(&self) -> Option<Instant> {
        (self.may_ask && self.lines.has_beginning()).then(|| self.last + QUESTION)
    }

    /// Passes on the beginning of a line that may be a question.
    pub(super) fn pass_question(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.source.rank, self.sink, self.lines.take_all(), reports, outlet);
    }

    /// Passes everything on: the image writes no more.
    pub(super) fn finish(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        self.pass_lines(reports, outlet);
        let rest = self.lines.take_all();
        match self.form {
            Form::Prefixed(_) if !rest.is_empty() => {
                let line = [rest, b"\n"].concat();
                pass(&self.form, self.source.rank, self.sink, &line, reports, outlet);
            }
            _ => pass(&self.form, self.source.rank, self.sink, rest, reports, outlet),
        }
        if matches!(self.form, Form::Reports) {
            reports.end(self.source.rank, Instant::now());
        }
    }
}

/// Passes text of an image on.
pub(super) fn pass(
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
