//! The order in which images write into their pipes. A pipe for each image keeps their lines apart, but does not show
//! which of two images wrote first, and users expect output from before SYNC ALL to come first.
//!
//! The kernel sends the launcher a real-time signal for each write (`O_ASYNC`, `F_SETSIG`), which has the descriptor of the pipe.
//! Such signals are queued, and a write returns after its signal was queued. So the queue has the order that images see. It is
//! a hint only: no output depends on it. Images that print much have no such signals ([`super::bulk`]). Where the system has no such signals, pipes are read as they become readable. No thread
//! polls the descriptor by which the queue is read; [`super::signals`] has the reason.

use std::collections::VecDeque;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Signals that are read at a time.
const BATCH: usize = 256;
/// Writes that are looked at before output is passed on: more than the pipes of some images can hold.
const MAX_WRITES: usize = 1 << 20;

/// `F_SETSIG` of `fcntl(2)`, which the crate `libc` lacks.
const F_SETSIG: libc::c_int = 10;

/// The queue of writes.
#[derive(Debug)]
pub(super) struct WriteOrder {
    signals: OwnedFd,
}

impl WriteOrder {
    /// `None` where the system has no such queue. Call it before any thread is started: threads inherit the blocked signals.
    pub(super) fn new() -> Option<WriteOrder> {
        // SAFETY: `set` is initialised by sigemptyset; a null pointer requests no old mask. Returns a new descriptor or -1.
        let fd = unsafe {
            let mut set = MaybeUninit::uninit();
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            for signal in signals() {
                libc::sigaddset(&mut set, signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
            libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
        };
        // SAFETY: new, with no other owner.
        (fd >= 0).then(|| WriteOrder { signals: unsafe { OwnedFd::from_raw_fd(fd) } })
    }

    /// From now on writes into this pipe, whose end for reading it is, are in the queue, or are not. What was in the queue stays.
    pub(super) fn watch(&self, pipe: BorrowedFd<'_>, is_noted: bool) {
        let fd = pipe.as_raw_fd();
        // SAFETY: plain system calls on an open descriptor. Where they fail the pipe is read without hints.
        unsafe {
            libc::fcntl(fd, F_SETSIG, libc::SIGRTMAX());
            libc::fcntl(fd, libc::F_SETOWN, libc::getpid());
            let flags = libc::fcntl(fd, libc::F_GETFL);
            let flags = if is_noted { flags | libc::O_ASYNC } else { flags & !libc::O_ASYNC };
            libc::fcntl(fd, libc::F_SETFL, flags);
        }
    }

    /// Takes the descriptors of the next writes, in order.
    pub(super) fn take(&self, writes: &mut VecDeque<RawFd>) {
        const RECORD: usize = size_of::<libc::signalfd_siginfo>();
        while writes.len() < MAX_WRITES {
            let mut records = [MaybeUninit::<libc::signalfd_siginfo>::uninit(); BATCH];
            // SAFETY: room for this many records; records are written whole.
            let read = unsafe {
                libc::read(self.signals.as_raw_fd(), records.as_mut_ptr().cast(), RECORD * BATCH)
            };
            let Ok(read) = usize::try_from(read) else { return };
            // SAFETY: these were written.
            let fds =
                records[..read / RECORD].iter().map(|it| unsafe { it.assume_init_ref().ssi_fd });
            writes.extend(fds);
            // The queue was empty at that time. An image that goes on writing would never be caught up with.
            if read < RECORD * BATCH {
                return;
            }
        }
    }
}

/// The signal of a write; and the signal that reports, without a descriptor, that the queue was full.
fn signals() -> [libc::c_int; 2] {
    [libc::SIGRTMAX(), libc::SIGIO]
}

impl Drop for WriteOrder {
    fn drop(&mut self) {
        // Drops those that are pending: the default of these signals ends the process.
        for signal in signals() {
            // SAFETY: sets no handler.
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
    }
}
