//! The start of an image by a proxy: the process, with its pipes and its connection to the store.

use super::environment::Environment;
use super::frame::Job;
use super::reach::{IGNORED, unblock_signals};
use crate::control::XMPRUN;
use crate::launch::execute::{Child, Program, text};
use crate::launch::{Placement, cpu_set};
use crate::rank::Rank;
use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal, setpgid};
use rustix::thread::sched_setaffinity;
use std::ffi::{CStr, CString, OsString};
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// An image that is about to be watched.
pub(super) struct StartedImage {
    pub child: Child,
    /// The standard input of the first image.
    pub input: Option<PipeWriter>,
    pub server: UnixStream,
    pub output: PipeReader,
    pub errors: PipeReader,
}

/// Starts an image, with its connection to the store. `null`: the standard input of images that have none.
pub(super) fn start(
    job: &Job,
    rank: Rank,
    place: Option<&Placement>,
    environment: &Environment,
    null: BorrowedFd<'_>,
) -> io::Result<StartedImage> {
    let (server, image) = UnixStream::pair()?;
    let (output, its_output) = io::pipe()?;
    let (errors, its_errors) = io::pipe()?;
    let (its_input, input) = (rank.get() == 0).then(io::pipe).transpose()?.unzip();
    let is_wrapped = job.wrapped.is_empty() || job.wrapped.contains(&rank.image());
    let wrapper = if is_wrapped { &job.wrapper[..] } else { &[] };
    let words: Vec<&OsString> = wrapper.iter().chain(&job.command).collect();
    let file = environment.find(Path::new(words[0]))?;
    let arguments = words.into_iter().map(|word| text(word)).collect::<io::Result<_>>()?;
    let program = Program { file: text(file.as_os_str())?, arguments };
    let connection = image.as_raw_fd();
    let own = [
        format!("{}={connection}", XMPRUN[0]),
        format!("{}={}", XMPRUN[1], rank.get()),
        format!("{}={}", XMPRUN[2], job.images),
    ];
    let own = own.map(|variable| text(variable.as_ref()));
    let own = own.into_iter().collect::<io::Result<Vec<CString>>>()?;
    let variables = environment.variables.iter().chain(&own);
    let variables: Vec<&CStr> = variables.map(CString::as_c_str).collect();
    let input_of_image = its_input.as_ref().map_or(null.as_raw_fd(), AsRawFd::as_raw_fd);
    let standard = [input_of_image, its_output.as_raw_fd(), its_errors.as_raw_fd()];
    let cpus = place.map(|place| cpu_set(&place.cpus));
    let proxy = getpid();
    let mut prepare = || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if getppid() != Some(proxy) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        setpgid(None, None)?;
        for signal in IGNORED {
            // SAFETY: sets no handler.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        unblock_signals()?;
        if let Some(cpus) = &cpus {
            sched_setaffinity(None, cpus)?;
        }
        for (number, descriptor) in (0..).zip(standard) {
            // SAFETY: plain system call on open descriptors.
            if unsafe { libc::dup2(descriptor, number) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        // SAFETY: plain system call on an open descriptor.
        match unsafe { libc::fcntl(connection, libc::F_SETFD, 0) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: the closure makes system calls only and neither allocates nor takes locks.
    let child = unsafe { Child::start(&program, &variables, &mut prepare) }?;
    Ok(StartedImage { child, input, server, output, errors })
}
