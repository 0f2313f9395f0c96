//! The signals of the launcher: received by a thread, and passed to the images unchanged.
//!
//! A thread that polls a descriptor of `signalfd` is woken up by every signal of its process, also by those that the descriptor is
//! not for. So the event loop would be woken up by every write of an image ([`super::write_order`]), which costs the image more
//! than the write does. `sigwaitinfo` returns for its own signals only.

use super::thread::Sharing;
use super::wake::Wake;
use crate::error::{Error, Result};
use crate::service_thread;
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use std::io;
use std::mem::{self, MaybeUninit};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::thread::JoinHandleExt;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// Signals that request the end of the job.
pub(crate) const REQUESTS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];
/// Signals that request a report of the images (SIGQUIT: Ctrl-\ at a terminal).
pub(crate) const QUESTIONS: [libc::c_int; 2] = [libc::SIGUSR1, libc::SIGQUIT];
/// Signals that are only passed on.
const OTHERS: [libc::c_int; 3] = [libc::SIGUSR2, libc::SIGTSTP, libc::SIGCONT];
/// Signals of keys, which a terminal sends to all processes of the foreground group. The hangup of a terminal, SIGHUP,
/// reaches the leader of the session alone.
const KEYS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP];

/// One signal that the launcher has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received {
    /// Its number.
    pub(crate) number: libc::c_int,
    /// Whether a key of the terminal has sent it: then all processes of our group have it, too.
    pub(crate) from_key: bool,
}

/// The signal state with which the launcher was started and images must be started.
#[derive(Clone, Copy)]
pub(super) struct InheritedSignals {
    mask: libc::sigset_t,
    child: libc::sigaction,
}

impl InheritedSignals {
    /// The state for images of the launcher's own process group, which Ctrl-\ reaches as well: it asks the launcher, and
    /// they must not die of it.
    pub(super) fn without_quit(mut self) -> InheritedSignals {
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

/// The state that the thread shares with the event loop.
struct ThreadState {
    /// Wakes the event loop, which has a signal to receive.
    wake: Wake,
    stop: AtomicBool,
}

/// The launcher's signals. Restored when dropped.
pub(crate) struct Signals {
    /// The signals that the thread has received.
    received: Receiver<Received>,
    set: libc::sigset_t,
    given: InheritedSignals,
    shared: Arc<ThreadState>,
    thread: Option<JoinHandle<()>>,
}

impl Signals {
    /// Blocks the signals that the launcher handles and starts the thread that receives them. Call it before any other thread
    /// is started: threads inherit the mask.
    ///
    /// A signal that was ignored stays ignored (`nohup`, background jobs of scripts). SIGCHLD must not be: it reports
    /// the ends of images. (A pidfd for each image would, too, but Linux has them from 5.3 on, and filters of
    /// containers refuse them.)
    pub(crate) fn take(sharing: Sharing) -> Result<Signals> {
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
        let (sender, received) = channel();
        let shared = Arc::new(ThreadState { wake: Wake::new()?, stop: AtomicBool::new(false) });
        let its = shared.clone();
        let thread = service_thread::start("xmp-signals", move || {
            sharing.apply();
            receive(&set, &sender, &its);
        });
        let thread = thread.map_err(|error| {
            Error::no_process("cannot start a thread that receives signals", error)
        })?;
        let given = InheritedSignals { mask, child };
        Ok(Signals { received, set, given, shared, thread: Some(thread) })
    }

    /// The signal state with which images must be started.
    pub(super) fn given(&self) -> InheritedSignals {
        self.given
    }

    /// The next signal received.
    pub(crate) fn next(&self) -> Option<Received> {
        let next = || self.received.try_recv().ok();
        next().or_else(|| {
            // Looked at once more, because the thread makes the descriptor readable after it has sent a signal.
            self.shared.wake.clear();
            next()
        })
    }
}

/// Receives the signals of the set, and passes them on.
fn receive(set: &libc::sigset_t, to: &Sender<Received>, shared: &ThreadState) {
    loop {
        let signal = wait_for(set, None);
        // Relaxed: the flag orders nothing. It was set before the signal was sent that ends the last wait.
        if shared.stop.load(Ordering::Relaxed) {
            return;
        }
        if let Some(signal) = signal {
            // The receiver lives as long as this thread.
            let _ = to.send(signal);
            shared.wake.wake();
        }
    }
}

/// The next signal of the set; `limit`: how long to wait.
fn wait_for(set: &libc::sigset_t, limit: Option<&libc::timespec>) -> Option<Received> {
    let mut info = MaybeUninit::<libc::siginfo_t>::uninit();
    let limit = limit.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: an initialised set, room for the information, a limit or null. The information is read only if it was written.
    unsafe {
        let number = libc::sigtimedwait(set, info.as_mut_ptr(), limit);
        (number > 0).then(|| Received {
            number,
            from_key: info.assume_init().si_code == SI_KERNEL && KEYS.contains(&number),
        })
    }
}

/// `si_code` of a signal that the kernel itself has sent, such as for Ctrl-C.
const SI_KERNEL: i32 = 0x80;

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.shared.wake.as_fd()
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // SAFETY: a thread that was not joined. It waits for this signal, or returns before it waits again.
            unsafe { libc::pthread_kill(thread.as_pthread_t(), libc::SIGCHLD) };
            // A panic of the thread was written to standard error.
            let _ = thread.join();
        }
        // Pending signals came too late for the job and must not reach its launcher when unblocked.
        // SAFETY: a zeroed time is valid.
        let at_once = unsafe { mem::zeroed() };
        while wait_for(&self.set, Some(&at_once)).is_some() {}
        // It fails only for invalid arguments, and these came from the system.
        let _ = self.given.restore();
    }
}

/// Keeps a question, SIGUSR1, from ending this process while it has no job yet: schedulers signal all processes of a job, whatever
/// these are doing. Programs that it starts are ended by it as usual.
pub fn survive_questions() {
    extern "C" fn none(_: libc::c_int) {}
    if is_ignored(libc::SIGUSR1) {
        return;
    }
    // SAFETY: a zeroed action has an empty mask; the handler does nothing. It cannot fail for this signal.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = none as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGUSR1, &action, ptr::null_mut());
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
pub(crate) fn in_foreground() -> bool {
    // The controlling terminal, whatever the standard descriptors are; without one this fails.
    std::fs::File::open("/dev/tty").is_ok_and(|tty| tcgetpgrp(tty) == Ok(getpgrp()))
}
