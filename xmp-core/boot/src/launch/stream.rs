//! One output stream of one image: its pipe, and the lines that were read from it.

use super::lines::LineBuffer;
use super::outlet::{Outlet, Sink};
use super::reports::Reports;
use crate::rank::Rank;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// What a pipe can hold unless the system is asked for another size.
pub(super) const PIPE_BYTES: usize = 1 << 16;

/// The beginning of a line is passed on when nothing has followed for this time, if it may be a question to the user.
const QUESTION: Duration = Duration::from_millis(100);

/// How long the queue of writes may be behind what was read: the system may interrupt an image within a write.
const NOTE: Duration = Duration::from_millis(50);

/// What becomes of the lines that an image has written.
#[derive(Debug)]
pub(super) enum Form {
    /// They are passed on as they are.
    Plain,
    /// Each gets this prefix.
    Prefixed(Vec<u8>),
    /// Reports among them are kept together.
    Reports,
}

/// One output stream of one image.
#[derive(Debug)]
pub(super) struct Stream {
    rank: Rank,
    pipe: OwnedFd,
    /// What the pipe can hold.
    pipe_bytes: usize,
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
    has_ended: bool,
}

impl Stream {
    pub(super) fn new(rank: Rank, pipe: OwnedFd, sink: Sink, form: Form, may_ask: bool) -> Stream {
        // It is read when the image has written, but another read may have been first.
        let _ = fcntl_getfl(&pipe).and_then(|flags| fcntl_setfl(&pipe, flags | OFlags::NONBLOCK));
        let (lines, last) = (LineBuffer::default(), Instant::now());
        Stream {
            rank,
            pipe_bytes: PIPE_BYTES,
            pipe,
            sink,
            form,
            lines,
            last,
            may_ask,
            held: None,
            waiting: 0,
            has_ended: false,
        }
    }

    /// Makes the pipe hold so much, that an image writes on while its output is collected.
    pub(super) fn enlarge_pipe(&mut self, bytes: usize) {
        let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
        // SAFETY: plain system call on an open pipe. It returns the size, or fails where the user may have no larger pipes.
        let bytes = unsafe { libc::fcntl(self.pipe.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
        self.pipe_bytes = self.pipe_bytes.max(usize::try_from(bytes).unwrap_or(0));
    }

    /// Reads all that was in the pipe when this was called. Returns how much.
    pub(super) fn read_all(&mut self) -> usize {
        let mut bytes = 0;
        while bytes < self.pipe_bytes {
            match self.lines.read(&self.pipe, self.pipe_bytes) {
                Ok(0) => self.has_ended = true,
                Ok(count) => {
                    bytes += count;
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

    /// Its pipe.
    pub(super) fn pipe(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Where its lines go.
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

    /// Passes lines on that the queue of writes does not have. A single one may be that of a write which has not returned, so it
    /// waits. Several lines were written together. `waiting`: how many writes of this stream are in the queue, which wait for others;
    /// `now`: if there is a queue.
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

    /// Passes one line on.
    pub(super) fn pass_line(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.rank, self.sink, self.lines.take_line(), reports, outlet);
    }

    /// Passes the lines of so many writes on, or all if some were written together. Returns how many.
    pub(super) fn pass_noted(
        &mut self,
        writes: usize,
        reports: &mut Reports,
        outlet: &mut Outlet,
    ) -> usize {
        let count = self.lines.count();
        let text = if count == writes + 1 {
            // The last one may be of a write that has not returned.
            self.lines.take_all_but_one_line()
        } else {
            self.lines.take_lines()
        };
        pass(&self.form, self.rank, self.sink, text, reports, outlet);
        count
    }

    /// Passes all complete lines on.
    pub(super) fn pass_lines(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.rank, self.sink, self.lines.take_lines(), reports, outlet);
    }

    /// When the beginning of a line is passed on that may be a question.
    pub(super) fn question(&self) -> Option<Instant> {
        (self.may_ask && self.lines.has_beginning()).then(|| self.last + QUESTION)
    }

    /// Passes that on.
    pub(super) fn pass_question(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
        pass(&self.form, self.rank, self.sink, self.lines.take_all(), reports, outlet);
    }

    /// Passes everything on: the image writes no more.
    pub(super) fn finish(&mut self, reports: &mut Reports, outlet: &mut Outlet) {
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
