//! Output of images that the launcher forwards: with the number of the image before each line, or standard error, in which
//! reports of several images are kept apart.

use super::console::Console;
use super::reports::Reports;
use super::thread;
use super::wake::Wake;
use crate::error::{Result, system_message};
use crate::rank::Rank;
use crate::readable;
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

/// Longest line that is kept together.
const LONGEST: usize = 1 << 20;

/// Puts a prefix before each line of a stream that arrives in pieces.
#[derive(Debug)]
struct Prefixer {
    prefix: Vec<u8>,
    /// The beginning of a line whose end has not arrived yet.
    partial: Vec<u8>,
}

impl Prefixer {
    fn new(rank: Rank) -> Prefixer {
        Prefixer { prefix: format!("[{}] ", rank.image()).into_bytes(), partial: Vec::new() }
    }

    /// Takes a piece and writes the lines that it completes to `out`.
    fn feed(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        for part in piece.split_inclusive(|&byte| byte == b'\n') {
            self.partial.extend_from_slice(part);
            if part.ends_with(b"\n") || self.partial.len() >= LONGEST {
                self.finish(out);
            }
        }
    }

    /// Writes the rest of the last line, and ends it.
    fn finish(&mut self, out: &mut Vec<u8>) {
        if self.partial.is_empty() {
            return;
        }
        out.extend_from_slice(&self.prefix);
        out.append(&mut self.partial);
        if out.last() != Some(&b'\n') {
            out.push(b'\n');
        }
    }
}

/// The destination of an image's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sink {
    /// The launcher's standard output.
    Stdout,
    /// The launcher's standard error.
    Stderr,
}

impl Sink {
    fn write(self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Stdout => {
                let mut stdout = io::stdout().lock();
                stdout.write_all(bytes)?;
                stdout.flush()
            }
            Sink::Stderr => io::stderr().lock().write_all(bytes),
        }
    }
}

/// What becomes of what an image has written.
#[derive(Debug)]
enum Lines {
    /// Each line gets a prefix.
    Prefixed(Prefixer),
    /// Reports are kept together.
    Reports(Rank),
}

impl Lines {
    fn feed(&mut self, piece: &[u8], reports: &mut Reports, out: &mut Vec<u8>) {
        match self {
            Lines::Prefixed(prefixer) => prefixer.feed(piece, out),
            Lines::Reports(rank) => reports.feed(*rank, piece, Instant::now(), out),
        }
    }

    fn finish(&mut self, reports: &mut Reports, out: &mut Vec<u8>) {
        match self {
            Lines::Prefixed(prefixer) => prefixer.finish(out),
            Lines::Reports(rank) => reports.end(*rank, Instant::now()),
        }
    }
}

/// One output stream of one image.
#[derive(Debug)]
struct Stream {
    pipe: File,
    sink: Sink,
    lines: Lines,
}

impl Stream {
    /// Forwards what can be read without waiting; false at the end of the stream.
    fn hand_on(&mut self, buffer: &mut [u8], reports: &mut Reports, losses: &mut Losses) -> bool {
        let mut out = Vec::new();
        let more = match self.pipe.read(buffer) {
            Ok(0) => false,
            Ok(count) => {
                self.lines.feed(&buffer[..count], reports, &mut out);
                true
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            Err(error) => {
                tracing::warn!(%error, "output of an image lost");
                false
            }
        };
        if !more {
            self.lines.finish(reports, &mut out);
        }
        match self.sink.write(&out) {
            Ok(()) => more,
            // Our output has no reader any more. Closing the pipe tells the image the same.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => false,
            Err(error) => {
                losses.note(self.sink, &error);
                more
            }
        }
    }
}

/// Output of images that could not be written, because the disk is full for instance. Images are left to go on: they may write
/// results into other files.
#[derive(Debug, Default)]
struct Losses {
    has_any: bool,
    /// What the user has not been told yet.
    message: Option<String>,
}

impl Losses {
    fn note(&mut self, sink: Sink, error: &io::Error) {
        if !mem::replace(&mut self.has_any, true) {
            let name = match sink {
                Sink::Stdout => "standard output",
                Sink::Stderr => "standard error",
            };
            let error = system_message(error);
            self.message = Some(format!(
                "cannot write to {name}: {error}: what the images print is lost from here on\n"
            ));
        }
    }

    /// The message about them, once.
    fn take(&mut self) -> Vec<u8> {
        let message = self.message.take().map(|message| format!("xmp: {message}"));
        message.unwrap_or_default().into_bytes()
    }
}

/// The streams of all images. A thread of its own forwards them, so that a slow reader (`xmprun ... | less`) does not
/// keep the launcher from its other work.
#[derive(Debug, Default)]
pub(super) struct Streams {
    streams: Vec<Stream>,
    reports: Reports,
    losses: Losses,
}

impl Streams {
    /// Adds a stream of an image, whose lines get its number.
    pub(super) fn add_prefixed(&mut self, rank: Rank, pipe: OwnedFd, sink: Sink) {
        let lines = Lines::Prefixed(Prefixer::new(rank));
        self.streams.push(Stream { pipe: pipe.into(), sink, lines });
    }

    /// Adds the standard error of an image.
    pub(super) fn add_errors(&mut self, rank: Rank, pipe: OwnedFd) {
        let lines = Lines::Reports(rank);
        self.streams.push(Stream { pipe: pipe.into(), sink: Sink::Stderr, lines });
    }

    /// Forwards output, and the launcher's own messages, until all streams have ended; then sets `done` and wakes the
    /// launcher. The thread returns whether some output could not be written.
    pub(super) fn start<'scope>(
        mut self,
        scope: &'scope Scope<'scope, '_>,
        console: &'scope Console,
        done: &'scope AtomicBool,
        wake: &'scope Wake,
    ) -> Result<ScopedJoinHandle<'scope, bool>> {
        console.forward();
        thread::start(scope, move || {
            let mut buffer = vec![0; 1 << 16];
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
            self.write_errors(&out);
            done.store(true, Ordering::Release);
            wake.wake();
            self.losses.has_any
        })
    }

    /// Waits for output and forwards it.
    fn round(&mut self, buffer: &mut [u8], console: &Console) {
        let next = self.reports.next();
        let left = next.map(|next| next.saturating_duration_since(Instant::now()));
        let descriptors = self.streams.iter().map(|stream| stream.pipe.as_fd());
        // The launcher's messages come behind the reports.
        let messages = (!self.reports.is_any_left()).then(|| console.as_fd());
        let descriptors: Vec<_> = descriptors.chain(messages).collect();
        let mut polled: Vec<_> = descriptors.iter().map(readable::entry).collect();
        readable::wait(&mut polled, left);
        let ready: Vec<bool> = polled.iter().map(readable::is_ready).collect();
        let mut ready = ready.into_iter();
        let (reports, losses) = (&mut self.reports, &mut self.losses);
        self.streams.retain_mut(|stream| {
            !ready.next().unwrap_or(false) || stream.hand_on(buffer, reports, losses)
        });
        let mut out = Vec::new();
        self.reports.take(Instant::now(), &mut out);
        if !self.reports.is_any_left() {
            out.extend(console.take());
        }
        out.extend(self.losses.take());
        self.write_errors(&out);
    }

    /// Writes reports and messages. If that fails the exit status tells: there is no other place for a message.
    fn write_errors(&mut self, out: &[u8]) {
        if let Err(error) = Sink::Stderr.write(out)
            && error.kind() != io::ErrorKind::BrokenPipe
        {
            self.losses.note(Sink::Stderr, &error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(pieces: &[&str]) -> String {
        let mut lines = Prefixer::new(Rank::new(2));
        let mut out = Vec::new();
        for piece in pieces {
            lines.feed(piece.as_bytes(), &mut out);
        }
        lines.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn each_line_gets_its_prefix_once() {
        assert_eq!(fed(&["a\nb\n"]), "[3] a\n[3] b\n");
        assert_eq!(fed(&["a", "b\n\nc", "\n"]), "[3] ab\n[3] \n[3] c\n");
    }

    #[test]
    fn a_last_line_without_end_is_not_lost() {
        assert_eq!(fed(&["a\nb", "c"]), "[3] a\n[3] bc\n");
        assert_eq!(fed(&[]), "");
    }

    #[test]
    fn endless_lines_do_not_fill_the_memory() {
        let mut lines = Prefixer::new(Rank::new(0));
        let mut out = Vec::new();
        lines.feed(&vec![b'x'; 3 * LONGEST], &mut out);
        assert!(lines.partial.is_empty() && out.len() > 3 * LONGEST);
    }
}
