//! Messages of the launcher and of images to the user.

use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use std::fmt;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Writes one line to standard error, `xmp: <text>`, as a whole: images write there at the same time. Does nothing when
/// standard error is closed; the job is more important.
pub fn report(text: fmt::Arguments<'_>) {
    report_at("xmp", text);
}

/// The same, `<place>: <text>`.
pub fn report_at(place: &str, text: fmt::Arguments<'_>) {
    let line = format!("{place}: {text}\n");
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// How long a launcher of MPI needs to pass on what it has read.
const PASSING_ON: Duration = Duration::from_millis(100);
/// How long it needs at most to read it, on the busiest machine.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Waits until a launcher of MPI, which is about to end this process and all others, has read the output: as long as
/// there are bytes in a pipe of standard output or error, and a while longer.
pub fn until_reports_are_read() {
    are_reports_read_within(MAX_WAIT);
    std::thread::sleep(PASSING_ON);
}

/// Waits until the readers of standard output and error have read the output, but no longer than `limit`. Returns whether they have;
/// they need time to pass it on.
pub fn are_reports_read_within(limit: Duration) -> bool {
    let deadline = Instant::now() + limit;
    while has_unread(&io::stdout()) || has_unread(&io::stderr()) {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// Whether this is a pipe with bytes that its reader may still read.
fn has_unread(file: &impl AsFd) -> bool {
    let kind = fstat(file).map(|status| FileType::from_raw_mode(status.st_mode));
    kind == Ok(FileType::Fifo) && ioctl_fionread(file).is_ok_and(|unread| unread > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, pipe};

    #[test]
    fn bytes_in_a_pipe_are_unread() {
        let (mut reader, mut writer) = pipe().unwrap();
        assert!(!has_unread(&writer));
        writer.write_all(b"words").unwrap();
        assert!(has_unread(&writer));
        reader.read_exact(&mut [0; 5]).unwrap();
        assert!(!has_unread(&writer));
        assert!(!has_unread(&std::fs::File::open("/dev/null").unwrap()));
    }
}
