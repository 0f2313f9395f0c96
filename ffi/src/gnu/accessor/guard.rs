//! Accessors that follow a pointer out of all coarrays, to a variable of the other image's process. What they leave as a
//! result is read from there ([`super::result`]); but one that copies elements or puts to them touches addresses that mean
//! nothing in this process. The system's signal then has the pages of the other process copied to these very addresses
//! ([`super::windows`]), and the accessor goes on.

use super::windows;
use crate::process;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use xmp_core::Rank;
use xmp_core::job::Job;

/// The image index of the image whose pointers the accessor that runs follows; 0 for none. The thread that has set it has the
/// windows for itself: accessors run in the program's thread, and for images of other hosts in that of the server. Its signal
/// reads it, and what follows.
static FOLLOWED: AtomicU32 = AtomicU32::new(0);
/// The process of that image.
static PROCESS: AtomicI32 = AtomicI32::new(0);
/// Whether the accessor puts.
static PUTS: AtomicBool = AtomicBool::new(false);

/// What was done about the signal before; `None` if the system does not tell.
static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

/// Addresses below are those of components of nothing: an object that is not allocated.
const LOW: usize = 1 << 16;

/// Calls an accessor that may follow pointers of an image of this host, in order to put or only to get.
#[inline]
pub fn follow<T>(job: &Job, rank: Rank, puts: bool, access: impl FnOnce() -> T) -> T {
    // Acquire: the windows are as the thread has left them that had them before.
    while FOLLOWED
        .compare_exchange_weak(0, rank.image(), Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        // An accessor waits for nobody.
        std::thread::yield_now();
    }
    follow_alone(job, rank, puts, access)
}

/// As [`follow`], in the only thread that calls accessors, or in the one that has the windows.
#[inline(always)]
pub fn follow_alone<T>(job: &Job, rank: Rank, puts: bool, access: impl FnOnce() -> T) -> T {
    if BEFORE.get().is_none() {
        BEFORE.get_or_init(watch);
    }
    // The image has its process's number there before it begins.
    let process = job.entry(rank).pid.load(Ordering::Relaxed) as i32;
    // Relaxed: for this thread's own signal.
    FOLLOWED.store(rank.image(), Ordering::Relaxed);
    PROCESS.store(process, Ordering::Relaxed);
    PUTS.store(puts, Ordering::Relaxed);
    let result = access();
    if windows::any() {
        close(process, rank);
    }
    // Release: for a thread that follows next.
    FOLLOWED.store(0, Ordering::Release);
    result
}

#[cold]
fn close(process: libc::pid_t, rank: Rank) {
    // SAFETY: the accessor has returned, and this thread has opened them.
    if !unsafe { windows::close(process) } {
        out_of_reach(rank.image());
    }
}

#[cold]
fn watch() -> Option<libc::sigaction> {
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: a zeroed action is valid; the handler has the signature that goes with the flag. The system fills in the
    // old one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO;
        let done = libc::sigaction(libc::SIGSEGV, &action, before.as_mut_ptr());
        (done == 0).then(|| before.assume_init())
    }
}

/// Makes the address good if an accessor has gone there, or ends the job; an accessor holds no lock. Otherwise the signal
/// comes again, to who had it.
extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let image = FOLLOWED.load(Ordering::Relaxed);
    if image != 0 {
        // SAFETY: the system has filled it in.
        let address = unsafe { (*info).si_addr() };
        let process = PROCESS.load(Ordering::Relaxed);
        let puts = PUTS.load(Ordering::Relaxed);
        // SAFETY: in an accessor of this thread. It is an address that means nothing here, or the opening fails; and what is
        // put there is a variable that this image may define.
        let opened = address.addr() >= LOW && unsafe { windows::open(process, address, puts) };
        if opened {
            return;
        }
        FOLLOWED.store(0, Ordering::Relaxed);
        if address.addr() < LOW {
            process::die(
                "coindexed access",
                format_args!(
                    "a component on image {image}, or what it is part of, is not allocated"
                ),
            );
        }
        out_of_reach(image);
    }
    // SAFETY: what the system has told, or the default action.
    unsafe {
        let default: libc::sigaction = std::mem::zeroed();
        let before = BEFORE.get().and_then(Option::as_ref).unwrap_or(&default);
        libc::sigaction(libc::SIGSEGV, before, ptr::null_mut());
    }
}

fn out_of_reach(image: u32) -> ! {
    process::die(
        "coindexed access",
        format_args!(
            "a component on image {image} points to a variable that is no part of a coarray, and cannot be reached: have it point to a coarray"
        ),
    )
}
