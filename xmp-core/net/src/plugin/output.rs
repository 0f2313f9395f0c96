//! The output of this process that its launcher has not read yet.

use rustix::fd::AsFd;
use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use std::io::{stderr, stdout};
use std::thread;
use std::time::{Duration, Instant};

/// Waits until the launcher has read the pipes of both outputs, at most until `patience`. A launcher that ends its processes
/// drops what is still in them: the message that says why the job ends.
pub fn wait_until_read(patience: Instant) {
    while (unread(stdout()) || unread(stderr())) && Instant::now() < patience {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether a pipe has bytes that its reader has not taken. Anything else has none: a file keeps what is written.
fn unread(output: impl AsFd) -> bool {
    let is_pipe =
        fstat(&output).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Fifo);
    is_pipe && ioctl_fionread(&output).is_ok_and(|bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write, pipe};

    #[test]
    fn a_pipe_has_what_its_reader_has_not_taken() {
        let (mut reader, mut writer) = pipe().unwrap();
        assert!(!unread(&writer));
        writer.write_all(b"why").unwrap();
        assert!(unread(&writer));
        reader.read_exact(&mut [0; 3]).unwrap();
        assert!(!unread(&writer));
    }

    #[test]
    fn a_file_has_nothing_that_is_waited_for() {
        assert!(!unread(File::open("/proc/self/status").unwrap()));
    }
}
