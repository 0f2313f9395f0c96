//! The request to run a program as images, and why one is refused.

use super::invitation::FileId;
use super::plan::{self, Placement};
use crate::error::Error;
use crate::job::ProgramFile;
use crate::rank::Rank;
use crate::region::HugePageReport;
use crate::settings::Settings;
use rustix::fs::{FileType, fstat};
use rustix::process::{Resource, getrlimit};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Name of the environment variable by which the launcher passes an image its job and rank ([`super::invitation`]). Private to
/// one version of this library.
pub(crate) const JOB_VARIABLE: &str = "XMP_JOB";

/// A program to run, and the options of its job.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Number of images.
    pub images: u32,
    /// Number of (virtual) hosts that they are split over.
    pub hosts: u32,
    /// The program: a path, or a name to be searched in `PATH`.
    pub program: OsString,
    /// The program's own name in its arguments, if not `program`.
    pub name: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The command that is started instead of the program on some images, with the program and its arguments after it.
    pub wrapper: Option<Wrapper>,
    /// The binding of each image, in image order; empty = the system decides.
    pub placements: Vec<Placement>,
    /// Whether each line of output is prefixed by the number of its image.
    pub prefix_output: bool,
    /// Whether warnings are omitted.
    pub quiet: bool,
    /// Whether the numbers of the images' processes are reported.
    pub shows_processes: bool,
    /// The interval of reports of the images' activities.
    pub watch: Option<Duration>,
    /// Ends the job after this time, with status [`TIMEOUT_STATUS`].
    pub timeout: Option<Duration>,
    /// Segment size, memory limit, waiting budgets and grace periods.
    pub settings: Settings,
}

/// A command that runs the program of some images, such as a debugger.
#[derive(Clone, Debug)]
pub struct Wrapper {
    /// The command and its arguments.
    pub command: Vec<OsString>,
    /// The images; empty = all.
    pub images: Vec<Rank>,
}

/// The end of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The exit status for the launcher (`README.md` has the rules).
    pub status: i32,
    /// The source of huge pages for its coarrays; `None` if its images could not be started.
    pub huge_pages: Option<HugePageReport>,
}

/// Most images whose output is forwarded, and the descriptors of the launcher that are for other purposes.
const MAX_FORWARDED: u32 = 256;
const OTHER_DESCRIPTORS: u64 = 32;

/// The path from the standard output of an image to the launcher's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// It is the launcher's.
    Direct,
    /// It is a pipe, which the launcher reads.
    Pipe,
    /// It is the launcher's, which is this file, until the image makes it a pipe. Run-time libraries write records to a pipe at
    /// once, and to a file in blocks, four times as fast: when they start they must see the file.
    PipeForFile(FileId),
}

/// Exit status of a job that has reached [`Launch::timeout`], as of `timeout(1)`.
pub const TIMEOUT_STATUS: i32 = 124;

/// Exit status of a job whose output has no reader any more, as of a program that SIGPIPE has killed.
pub const UNREAD_STATUS: i32 = 128 + libc::SIGPIPE;

/// Exit status when the launcher itself was used wrongly.
pub const USAGE_STATUS: i32 = 2;

impl Launch {
    /// A launch without any of the options.
    pub fn new(images: u32, program: OsString, args: Vec<OsString>, settings: Settings) -> Launch {
        Launch {
            images,
            hosts: settings.virtual_hosts,
            program,
            name: None,
            args,
            wrapper: None,
            placements: plan::one_processor_each(images),
            prefix_output: false,
            quiet: false,
            shows_processes: false,
            watch: None,
            timeout: settings.timeout,
            settings,
        }
    }

    /// Whether the standard error of the images goes through the launcher: where there are several, unless a debugger
    /// uses the terminal, or there are more than the launcher has descriptors for.
    pub(super) fn forwards_errors(&self) -> bool {
        let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        (2..=MAX_FORWARDED).contains(&self.images)
            && 3 * u64::from(self.images) + OTHER_DESCRIPTORS <= descriptors
            && self.wrapper.is_none()
            && !self.prefix_output
    }

    /// The path of the standard output of the images.
    pub(super) fn output(&self) -> Output {
        if self.prefix_output {
            return Output::Pipe;
        }
        if !self.forwards_errors() {
            return Output::Direct;
        }
        match fstat(io::stdout()).map(|stat| (FileType::from_raw_mode(stat.st_mode), stat)) {
            Ok((FileType::Fifo | FileType::Socket, _)) => Output::Pipe,
            Ok((FileType::RegularFile, stat)) => Output::PipeForFile(FileId::of(&stat)),
            // A terminal keeps the bytes of one system call together, and programs treat it in other ways than a pipe.
            _ => Output::Direct,
        }
    }

    /// The file that every image executes, unless some have a wrapper.
    pub(super) fn program_file(&self) -> ProgramFile {
        if self.wrapper.is_some() {
            return ProgramFile::UNKNOWN;
        }
        let file = candidates(Path::new(&self.program)).into_iter().find(|file| file.is_file());
        file.map_or(ProgramFile::UNKNOWN, |file| ProgramFile::at(&file))
    }

    /// The command of an image: a program, and its arguments from its own name on.
    pub(super) fn command(&self, rank: Rank) -> (&OsStr, Vec<&OsStr>) {
        let wrapper = self.wrapper.as_ref();
        let wrapper = wrapper.filter(|it| it.images.is_empty() || it.images.contains(&rank));
        let words = wrapper.map_or(&[][..], |wrapper| &wrapper.command);
        let words = words.iter().chain([&self.program]).chain(&self.args);
        let mut words: Vec<&OsStr> = words.map(OsString::as_os_str).collect();
        let file = words[0];
        words[0] = self.name.as_deref().unwrap_or(file);
        (file, words)
    }
}

/// The files that a program of this name can be, as the system looks for them: a path is itself, a name is in a directory of `PATH`.
pub(super) fn candidates(program: &Path) -> Vec<PathBuf> {
    if program.components().count() > 1 {
        return vec![program.into()];
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|directory| directory.join(program)).collect()
}

/// Why a job has not been started: the exit status, and the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: i32,
    pub(super) text: String,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::Setting { .. } | Error::Invalid(_) => USAGE_STATUS,
            _ => 1,
        };
        Refusal { status, text: error.to_string() }
    }
}
