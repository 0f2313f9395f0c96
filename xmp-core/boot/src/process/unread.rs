//! Reports that the launcher of MPI does not read. `mpirun` of Open MPI 5 (its process is `prterun`) stops reading when
//! it gets SIGTERM, and it discards at its end the output of its processes in between. This process takes such a report
//! back from the pipe, and writes it to the standard error of the launcher itself. So each byte is shown once, whether
//! or not the launcher reads after all.
//!
//! Other launchers read at all times, even if they are late. Nothing is taken from them: those that have seen a byte in a pipe wait
//! for it, and serve no other process meanwhile.

use crate::report::{are_reports_read_within, until_reports_are_read};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl, fstat};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, getppid, pidfd_getfd, pidfd_open};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time that the launcher has for reading, of the 250 ms that Open MPI 5 leaves between SIGTERM and SIGKILL. Others
/// read at once.
const READING: Duration = Duration::from_millis(10);

/// The name of the launcher that does not read.
const LAUNCHER: &str = "prterun";

/// The descriptor of standard error.
const STDERR: i32 = 2;

/// Waits until the launcher of MPI, which is about to end this process, has read its reports. Where the launcher does not read,
/// this process passes them on.
pub(super) fn until_reports_are_read_or_passed_on() {
    if !are_reports_read_within(READING) {
        match pass_on() {
            Ok(()) => return,
            // The launcher is late, or shows no reports.
            Err(error) => tracing::debug!(%error, "reports were not passed on"),
        }
    }
    until_reports_are_read();
}

/// Moves the unread bytes in the pipe of standard error to the standard error of the pipe's reader.
fn pass_on() -> io::Result<()> {
    let pipe = Descriptor { process: rustix::process::getpid(), number: STDERR };
    let reader = reader_among(ancestors(), &pipe)?;
    if name(reader)? != LAUNCHER {
        return Err(io::Error::new(ErrorKind::Unsupported, "the launcher reads late only"));
    }
    let mut target = Descriptor { process: reader, number: STDERR }.duplicate()?;
    if is_null_device(&target) {
        return Err(io::Error::new(ErrorKind::Unsupported, "the launcher shows no reports"));
    }
    write_all(&mut target, &take_back(&pipe)?)
}

/// Writes all bytes, also where the owner of the file has made it non-blocking.
fn write_all(file: &mut File, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                // A signal may end it: the next write finds out.
                let _ = poll(&mut [PollFd::new(file, PollFlags::OUT)], None);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A descriptor of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Descriptor {
    process: Pid,
    number: i32,
}

impl Descriptor {
    fn path(&self) -> PathBuf {
        directory(self.process).join(self.number.to_string())
    }

    /// The same open file for this process, to write to.
    fn duplicate(&self) -> io::Result<File> {
        let copy = pidfd_open(self.process, PidfdFlags::empty())
            .and_then(|process| pidfd_getfd(process, self.number, PidfdGetfdFlags::empty()));
        // Systems that forbid debugging forbid the copy.
        copy.map_or_else(|_| self.reopen(), |copy| Ok(copy.into()))
    }

    /// The file, opened again. The position in a regular file is not shared then, so each write goes to the end.
    fn reopen(&self) -> io::Result<File> {
        // The call does not wait for a reader of a named pipe. Writes wait for room.
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        let file = OpenOptions::new().append(true).custom_flags(flags).open(self.path())?;
        fcntl_setfl(&file, OFlags::APPEND)?;
        Ok(file)
    }
}

/// The directory with the descriptors of a process.
fn directory(process: Pid) -> PathBuf {
    format!("/proc/{process}/fd").into()
}

/// The parent of this process, its parent, and so on.
fn ancestors() -> impl Iterator<Item = Pid> {
    std::iter::successors(getppid(), |&process| parent(process))
}

/// The name that the system has for a process.
fn name(process: Pid) -> io::Result<String> {
    let name = fs::read_to_string(format!("/proc/{process}/comm"))?;
    Ok(name.trim_end().into())
}

fn parent(process: Pid) -> Option<Pid> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
    line.trim().parse().ok().and_then(Pid::from_raw)
}

/// The first of these processes that has the reading end of the pipe with this writing end.
fn reader_among(mut processes: impl Iterator<Item = Pid>, pipe: &Descriptor) -> io::Result<Pid> {
    let file = fs::read_link(pipe.path())?;
    let reader = processes.find(|&process| reads(process, &file));
    reader.ok_or_else(|| io::Error::new(ErrorKind::NotFound, "no ancestor reads the pipe"))
}

/// Whether the process has a descriptor that reads the file of this name (`pipe:[...]`).
fn reads(process: Pid, file: &Path) -> bool {
    /// The permission of a link in `/proc/PID/fd` of which the descriptor reads.
    const READS: u32 = 0o400;
    // No entries: the process has ended, or is of another user.
    let descriptors = fs::read_dir(directory(process)).into_iter().flatten().flatten();
    descriptors.into_iter().any(|it| {
        let is_it = fs::read_link(it.path()).is_ok_and(|link| link == file);
        is_it && fs::symlink_metadata(it.path()).is_ok_and(|link| link.mode() & READS != 0)
    })
}

/// Takes the unread bytes out of the pipe with this writing end.
fn take_back(pipe: &Descriptor) -> io::Result<Vec<u8>> {
    let mut reader =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(pipe.path())?;
    let mut unread = Vec::new();
    match reader.read_to_end(&mut unread) {
        // The pipe has writers, so its end is not reached.
        Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
        _ => Ok(unread),
    }
}

fn is_null_device(file: &impl AsFd) -> bool {
    let null = fs::metadata("/dev/null").map(|it| it.rdev());
    fstat(file).is_ok_and(|status| status.st_rdev != 0 && null.is_ok_and(|it| it == status.st_rdev))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::getpid;
    use std::os::fd::AsRawFd;

    fn of_this_process(file: &impl AsRawFd) -> Descriptor {
        Descriptor { process: getpid(), number: file.as_raw_fd() }
    }

    #[test]
    fn the_bytes_that_are_unread_are_taken_back_once() {
        let (mut reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"read, unread").unwrap();
        reader.read_exact(&mut [0; 6]).unwrap();
        let pipe = of_this_process(&writer);
        assert_eq!(take_back(&pipe).unwrap(), b"unread");
        assert_eq!(take_back(&pipe).unwrap(), b"");
    }

    #[test]
    fn the_process_with_the_reading_end_is_the_reader() {
        let (reader, writer) = io::pipe().unwrap();
        let pipe = of_this_process(&writer);
        let processes = || ancestors().chain([getpid()]);
        assert_eq!(reader_among(processes(), &pipe).unwrap(), getpid());
        drop(reader);
        assert_eq!(reader_among(processes(), &pipe).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn writes_to_a_duplicate_come_after_those_to_the_file() {
        let path = std::env::temp_dir().join(format!("xmp-unread-{}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one ").unwrap();
        of_this_process(&file).duplicate().unwrap().write_all(b"two ").unwrap();
        file.write_all(b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two three");
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_is_opened_again_is_appended_to_and_waits_for_room() {
        let path = std::env::temp_dir().join(format!("xmp-unread-again-{}", std::process::id()));
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one ").unwrap();
        of_this_process(&file).reopen().unwrap().write_all(b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        fs::remove_file(path).unwrap();
        let (_reader, writer) = io::pipe().unwrap();
        let again = of_this_process(&writer).reopen().unwrap();
        assert!(!rustix::fs::fcntl_getfl(&again).unwrap().contains(OFlags::NONBLOCK));
    }

    #[test]
    fn what_finds_no_room_in_a_pipe_is_written_later() {
        const BYTES: usize = 1 << 20;
        let (mut reader, writer) = io::pipe().unwrap();
        fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
        let mut file = of_this_process(&writer).duplicate().unwrap();
        drop(writer);
        let writing = std::thread::spawn(move || write_all(&mut file, &[7; BYTES]).unwrap());
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        writing.join().unwrap();
        assert_eq!(all, [7; BYTES]);
    }

    #[test]
    fn the_null_device_shows_nothing() {
        let null = OpenOptions::new().write(true).open("/dev/null").unwrap();
        assert!(is_null_device(&null));
        let (_reader, writer) = io::pipe().unwrap();
        assert!(!is_null_device(&writer));
    }
}
