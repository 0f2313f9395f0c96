//! Messages of the launcher and of images to the user.

use std::fmt;
use std::io::{self, Write};
use std::os::fd::RawFd;
use std::time::{Duration, Instant};

/// Writes one line to standard error, `xmp: <text>`, as a whole: images write there at the same time. Does nothing when
/// standard error is closed; the job is more important.
pub fn report(text: fmt::Arguments<'_>) {
    let line = format!("xmp: {text}\n");
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// How long a launcher of MPI needs to pass on what it has read.
const PASSING_ON: Duration = Duration::from_millis(100);
/// How long it needs at most to read it, on the busiest machine.
const AT_MOST: Duration = Duration::from_secs(2);

/// Waits until a launcher of MPI, which is about to end this process and all others, has read the output: as long as
/// there are bytes in a pipe of standard output or error, and a while longer.
pub fn until_reports_are_read() {
    let deadline = Instant::now() + AT_MOST;
    let waiting = || [libc::STDOUT_FILENO, libc::STDERR_FILENO].into_iter().any(has_unread);
    while waiting() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(PASSING_ON);
}

/// Whether this is a pipe with bytes that its reader may still read.
fn has_unread(file: RawFd) -> bool {
    let mut unread = 0;
    // SAFETY: these calls write outputs of the sizes that they fill.
    unsafe {
        let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
        libc::fstat(file, status.as_mut_ptr()) == 0
            && status.assume_init().st_mode & libc::S_IFMT == libc::S_IFIFO
            && libc::ioctl(file, libc::FIONREAD, &raw mut unread) == 0
            && unread > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, pipe};
    use std::os::fd::AsRawFd;

    #[test]
    fn bytes_in_a_pipe_are_unread() {
        let (mut reader, mut writer) = pipe().unwrap();
        assert!(!has_unread(writer.as_raw_fd()));
        writer.write_all(b"words").unwrap();
        assert!(has_unread(writer.as_raw_fd()));
        reader.read_exact(&mut [0; 5]).unwrap();
        assert!(!has_unread(writer.as_raw_fd()));
        assert!(!has_unread(std::fs::File::open("/dev/null").unwrap().as_raw_fd()));
    }
}
