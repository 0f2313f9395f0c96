//! The images' output as the launcher writes it: whole lines, in order, to standard output and standard error.

use crate::error::system_message;
use crate::rank::Rank;
use std::io::{self, Write};
use std::mem;

/// Bytes that are written at a time.
const BLOCK_BYTES: usize = 1 << 16;

/// The destination of an image's output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sink {
    /// The launcher's standard output.
    #[default]
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

/// Makes the launcher's standard output hold so much, if it is a pipe that holds less: then its reader and the launcher need not wait
/// for one another.
pub(super) fn enlarge_pipe(bytes: usize) {
    let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    // SAFETY: plain system calls. They fail for a file that is no pipe, and where the user may have no larger ones.
    unsafe {
        if (1..bytes).contains(&libc::fcntl(libc::STDOUT_FILENO, libc::F_GETPIPE_SZ)) {
            libc::fcntl(libc::STDOUT_FILENO, libc::F_SETPIPE_SZ, bytes);
        }
    }
}

/// The text that is about to be written.
#[derive(Debug, Default)]
pub(super) struct Outlet {
    bytes: Vec<u8>,
    /// Its stream.
    sink: Sink,
    /// Whose line has begun and not ended, on standard output and standard error.
    begun: [Option<Rank>; 2],
    /// Whether these have no reader any more.
    closed: [bool; 2],
    losses: Losses,
}

impl Outlet {
    /// Adds text of an image. Where it follows the beginning of another image's line, that line is ended first.
    pub(super) fn add(&mut self, sink: Sink, rank: Rank, text: &[u8]) {
        self.add_after(sink, Some(rank), text);
    }

    /// Adds messages of the launcher.
    pub(super) fn add_messages(&mut self, text: &[u8]) {
        self.add_after(Sink::Stderr, None, text);
    }

    fn add_after(&mut self, sink: Sink, rank: Option<Rank>, text: &[u8]) {
        let Some(last) = text.last() else { return };
        if sink != self.sink || self.bytes.len() >= BLOCK_BYTES {
            self.write_bytes();
            self.sink = sink;
        }
        let begun = &mut self.begun[sink as usize];
        if begun.is_some() && *begun != rank {
            self.bytes.push(b'\n');
        }
        *begun = rank.filter(|_| *last != b'\n');
        if text.len() >= BLOCK_BYTES {
            // Without a copy.
            self.write_bytes();
            return self.write_now(text);
        }
        self.bytes.extend_from_slice(text);
    }

    /// Writes the text that was added, and a message about text that could not be written.
    pub(super) fn write(&mut self) {
        self.write_bytes();
        let message = self.losses.take();
        if !message.is_empty() {
            self.add_messages(&message);
            self.write_bytes();
        }
    }

    fn write_bytes(&mut self) {
        let bytes = mem::take(&mut self.bytes);
        self.write_now(&bytes);
        self.bytes = bytes;
        self.bytes.clear();
    }

    fn write_now(&mut self, bytes: &[u8]) {
        match self.sink.write(bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed[self.sink as usize] = true;
            }
            // If standard error fails, too, only the exit status shows it: there is no other place for a message.
            Err(error) => self.losses.note(self.sink, &error),
        }
    }

    /// Whether there is no reader any more.
    pub(super) fn is_closed(&self, sink: Sink) -> bool {
        self.closed[sink as usize]
    }

    /// Whether some output could not be written.
    pub(super) fn has_lost_any(&self) -> bool {
        self.losses.has_any
    }
}

/// Output of images that could not be written, because the disk is full for instance. Images are left to go on: they may write
/// results into other files.
#[derive(Debug, Default)]
struct Losses {
    has_any: bool,
    /// The message that the user has not got yet.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pieces: &[(u32, &str)]) -> String {
        let mut outlet = Outlet::default();
        for &(image, piece) in pieces {
            outlet.add(Sink::Stdout, Rank::new(image - 1), piece.as_bytes());
        }
        String::from_utf8(mem::take(&mut outlet.bytes)).unwrap()
    }

    #[test]
    fn a_line_that_another_image_has_begun_is_ended_first() {
        assert_eq!(text(&[(1, "a"), (2, "b\n"), (1, "c\n")]), "a\nb\nc\n");
        assert_eq!(text(&[(1, "a"), (1, "b\n"), (2, "c\n")]), "ab\nc\n");
        assert_eq!(text(&[(1, "a"), (2, "")]), "a");
    }
}
