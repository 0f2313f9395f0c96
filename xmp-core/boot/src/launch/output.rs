//! Output with the number of the image before each line.

use super::wake::Wake;
use crate::rank::Rank;
use crate::readable;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Scope;

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

/// One output stream of one image.
#[derive(Debug)]
struct Stream {
    pipe: File,
    sink: Sink,
    lines: Prefixer,
}

impl Stream {
    /// Forwards what can be read without waiting; false at the end of the stream.
    fn hand_on(&mut self, buffer: &mut [u8]) -> bool {
        let mut out = Vec::new();
        let more = match self.pipe.read(buffer) {
            Ok(0) => false,
            Ok(count) => {
                self.lines.feed(&buffer[..count], &mut out);
                true
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => true,
            Err(error) => {
                tracing::warn!(%error, "output of an image lost");
                false
            }
        };
        if !more {
            self.lines.finish(&mut out);
        }
        // When our output has no reader any more, closing the pipe tells the image the same.
        self.sink.write(&out).is_ok() && more
    }
}

/// The streams of all images. A thread of its own forwards them, so that a slow reader (`xmprun ... | less`) does not
/// keep the launcher from its other work.
#[derive(Debug, Default)]
pub(super) struct Streams(Vec<Stream>);

impl Streams {
    /// Adds a stream of an image.
    pub(super) fn add(&mut self, rank: Rank, pipe: OwnedFd, sink: Sink) {
        self.0.push(Stream { pipe: pipe.into(), sink, lines: Prefixer::new(rank) });
    }

    /// Forwards output until all streams have ended; then sets `done` and wakes the launcher.
    pub(super) fn start<'scope>(
        mut self,
        scope: &'scope Scope<'scope, '_>,
        done: &'scope AtomicBool,
        wake: &'scope Wake,
    ) {
        scope.spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while !self.0.is_empty() {
                self.round(&mut buffer);
            }
            done.store(true, Ordering::Release);
            wake.wake();
        });
    }

    /// Waits for output and forwards it.
    fn round(&mut self, buffer: &mut [u8]) {
        let mut polled: Vec<_> =
            self.0.iter().map(|stream| readable::entry(&stream.pipe)).collect();
        readable::wait(&mut polled, None);
        let ready: Vec<bool> = polled.iter().map(readable::is_ready).collect();
        let mut ready = ready.into_iter();
        self.0.retain_mut(|stream| !ready.next().unwrap_or(false) || stream.hand_on(buffer));
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
