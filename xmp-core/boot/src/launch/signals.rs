//! The signals of the launcher: received through a descriptor, and passed to the images unchanged.

use crate::error::{Error, Result};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Signals that request the end of the job.
pub(super) const REQUESTS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// Signals that ask what the images do (SIGQUIT: Ctrl-\ at a terminal).
pub(crate) const QUESTIONS: [libc::c_int; 2] = [libc::SIGUSR1, libc::SIGQUIT];
/// Signals that are only passed on.
const OTHERS: [libc::c_int; 3] = [libc::SIGUSR2, libc::SIGTSTP, libc::SIGCONT];
/// Signals of keys, which a terminal sends to all processes of the foreground group. The hangup of a terminal, SIGHUP,
/// reaches the leader of the session alone.
const KEYS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP];

/// One signal that the launcher has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Received {
    /// Its number.
    pub(super) number: libc::c_int,
    /// Whether a key of the terminal has sent it: then all processes of our group have it, too.
    pub(super) from_key: bool,
}

/// The signal state with which the launcher was started and images must be started.
#[derive(Clone, Copy)]
pub(super) struct Given {
    mask: libc::sigset_t,
    child: libc::sigaction,
}

impl Given {
    /// The state for images of the launcher's own process group, which Ctrl-\ reaches as well: it asks the launcher, and
    /// they must not die of it.
    pub(super) fn without_quit(mut self) -> Given {
        // SAFETY: the mask was filled in by the system.
        unsafe { libc::sigaddset(&mut self.mask, libc::SIGQUIT) };
        self
    }

    /// Restores it in a new process. Async-signal-safe.
    pub(super) fn restore(&self) -> io::Result<()> {
        // SAFETY: both were filled in by the system; null pointers request no old value.
        let failed = unsafe {
            libc::sigaction(libc::SIGCHLD, &self.child, std::ptr::null_mut()) != 0
                || libc::sigprocmask(libc::SIG_SETMASK, &self.mask, std::ptr::null_mut()) != 0
        };
        if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// The launcher's signals. Restored when dropped.
pub(super) struct Signals {
    fd: OwnedFd,
    given: Given,
}

impl Signals {
    /// Blocks the signals that the launcher handles and opens a descriptor for them. Call it before any thread is
    /// started: threads inherit the mask.
    ///
    /// A signal that was ignored stays ignored (`nohup`, background jobs of scripts). SIGCHLD must not be: it tells of the
    /// ends of images. (A pidfd for each image would, too, but Linux has them from 5.3 on, and filters of containers
    /// refuse them.)
    pub(super) fn take() -> Result<Signals> {
        let failed = || Error::last_os("cannot take over signals");
        // SAFETY: a zeroed sigaction is the default action; the system fills in the old one.
        let child = unsafe {
            let default: libc::sigaction = std::mem::zeroed();
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGCHLD, &default, &mut old) != 0 {
                return Err(failed());
            }
            old
        };
        // SAFETY: `set` is initialised by sigemptyset, `mask` by sigprocmask before it is read.
        let (set, mask) = unsafe {
            let mut set = MaybeUninit::uninit();
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            let handled = REQUESTS.into_iter().chain(QUESTIONS).chain(OTHERS);
            for number in handled.chain([libc::SIGCHLD]).filter(|&number| !is_ignored(number)) {
                libc::sigaddset(&mut set, number);
            }
            let mut mask = MaybeUninit::uninit();
            if libc::sigprocmask(libc::SIG_BLOCK, &set, mask.as_mut_ptr()) != 0 {
                return Err(failed());
            }
            (set, mask.assume_init())
        };
        let given = Given { mask, child };
        // SAFETY: `set` is initialised; returns a new descriptor or -1.
        let fd = unsafe { libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            let error = io::Error::last_os_error();
            return Err(Error::system_call("cannot take over signals", "signalfd4", error));
        }
        // SAFETY: new, with no other owner.
        Ok(Signals { fd: unsafe { OwnedFd::from_raw_fd(fd) }, given })
    }

    /// The signal state with which images must be started.
    pub(super) fn given(&self) -> Given {
        self.given
    }

    /// The next signal received.
    pub(super) fn next(&self) -> Option<Received> {
        let mut info = MaybeUninit::<libc::signalfd_siginfo>::uninit();
        let size = size_of::<libc::signalfd_siginfo>();
        // SAFETY: room for one record; records are written whole.
        let read = unsafe { libc::read(self.fd.as_raw_fd(), info.as_mut_ptr().cast(), size) };
        if read != size as isize {
            return None;
        }
        // SAFETY: the record was written.
        let info = unsafe { info.assume_init() };
        let number = info.ssi_signo as libc::c_int;
        Some(Received { number, from_key: info.ssi_code == SI_KERNEL && KEYS.contains(&number) })
    }
}

/// `si_code` of a signal that the kernel itself has sent, such as for Ctrl-C.
const SI_KERNEL: i32 = 0x80;

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        // Pending signals came too late for the job and must not reach its launcher when unblocked.
        while self.next().is_some() {}
        // It fails only for invalid arguments, and these came from the system.
        let _ = self.given.restore();
    }
}

fn is_ignored(number: libc::c_int) -> bool {
    // SAFETY: a null action only queries; the system fills in the old one.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(number, std::ptr::null(), &mut old) == 0
            && old.sa_sigaction == libc::SIG_IGN
    }
}

/// Whether a terminal's keys (Ctrl-C, Ctrl-Z) reach this process group.
pub(super) fn in_foreground() -> bool {
    // The controlling terminal, whatever the standard descriptors are; without one this fails.
    std::fs::File::open("/dev/tty").is_ok_and(|tty| tcgetpgrp(tty) == Ok(getpgrp()))
}
