//! The contents of the environment variable [`super::JOB_VARIABLE`] of an image: its job and rank, and the pipe for its
//! output if there is one.

use crate::rank::Rank;
use rustix::fs::{Stat, fstat};
use rustix::process::{Pid, getppid};
use rustix::stdio::{dup2_stdout, stdout};
use std::fmt;
use std::os::fd::{BorrowedFd, RawFd};
use std::str::FromStr;

/// The place of an image in a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Invitation {
    /// The descriptor of the job's region.
    pub(crate) region: RawFd,
    /// The rank of the image.
    pub(crate) rank: Rank,
    /// Its standard output.
    pub(crate) output: Option<OutputPipe>,
}

/// A pipe to the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutputPipe {
    /// Its descriptor.
    pub(crate) pipe: RawFd,
    /// The launcher's process.
    pub(crate) launcher: i32,
    /// The launcher's standard output.
    pub(crate) file: FileId,
}

/// The numbers that identify a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn of(stat: &Stat) -> FileId {
        FileId { device: stat.st_dev, inode: stat.st_ino }
    }
}

impl OutputPipe {
    /// Makes the pipe the standard output of this process. Not where a program between the launcher and this one has another
    /// standard output, or may write to it after this one has ended: the order of the two would be lost.
    pub(crate) fn adopt(&self, pipe: BorrowedFd<'_>) {
        let is_child = getppid().map(Pid::as_raw_pid) == Some(self.launcher);
        let is_same = || fstat(stdout()).is_ok_and(|stat| FileId::of(&stat) == self.file);
        if is_child && is_same() {
            // Otherwise output goes to the file as before, where lines of several images may be mixed.
            let _ = dup2_stdout(pipe);
        }
    }
}

/// `<region>:<rank>`, or `<region>:<rank>:<pipe>:<launcher>:<device>:<inode>`.
impl fmt::Display for Invitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.region, self.rank.get())?;
        match &self.output {
            Some(OutputPipe { pipe, launcher, file: FileId { device, inode } }) => {
                write!(f, ":{pipe}:{launcher}:{device}:{inode}")
            }
            None => Ok(()),
        }
    }
}

impl FromStr for Invitation {
    type Err = ();

    fn from_str(text: &str) -> Result<Invitation, ()> {
        fn number<T: FromStr>(text: &str) -> Result<T, ()> {
            text.parse().map_err(|_| ())
        }
        let descriptor =
            |text: &str| number(text).and_then(|fd| if fd >= 0 { Ok(fd) } else { Err(()) });
        let fields: Vec<&str> = text.split(':').collect();
        let (region, rank, output) = match *fields.as_slice() {
            [region, rank] => (region, rank, None),
            [region, rank, pipe, launcher, device, inode] => {
                let file = FileId { device: number(device)?, inode: number(inode)? };
                let (pipe, launcher) = (descriptor(pipe)?, number(launcher)?);
                (region, rank, Some(OutputPipe { pipe, launcher, file }))
            }
            _ => return Err(()),
        };
        Ok(Invitation { region: descriptor(region)?, rank: Rank::new(number(rank)?), output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launcher_and_image_agree_on_the_variable() {
        let without = Invitation { region: 5, rank: Rank::new(0), output: None };
        let file = FileId { device: 7, inode: 1 << 40 };
        let output = Some(OutputPipe { pipe: 9, launcher: 123, file });
        for invitation in [without, Invitation { output, ..without }] {
            assert_eq!(invitation.to_string().parse(), Ok(invitation));
        }
        assert_eq!(without.to_string(), "5:0");
        for bad in ["", "5", "5:", ":1", "-1:0", "5:-1", "x:0", "5:0:1", "5:0:-1:2:3:4"] {
            assert_eq!(bad.parse::<Invitation>(), Err(()), "{bad}");
        }
    }
}
