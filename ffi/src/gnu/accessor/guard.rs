//! Accessors that follow a pointer out of all coarrays, to a variable of the other image's process. What they leave as a
//! result is read from there ([`super::result`]); but one that copies elements or puts to them touches addresses that mean
//! nothing in this process. The system's signal becomes an error that says so.

use crate::process;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use xmp_core::Rank;

/// The image index of the image whose pointers the accessor that runs follows; 0 for none. Relaxed: read by a signal of
/// the thread that has written it.
static FOLLOWED: AtomicU32 = AtomicU32::new(0);

/// What was done about the signal before; `None` if the system does not tell.
static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

/// Calls an accessor that may follow pointers of an image.
#[inline]
pub fn follow(rank: Rank, access: impl FnOnce()) {
    BEFORE.get_or_init(watch);
    FOLLOWED.store(rank.image(), Ordering::Relaxed);
    access();
    FOLLOWED.store(0, Ordering::Relaxed);
}

#[cold]
fn watch() -> Option<libc::sigaction> {
    let mut before = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: a zeroed action is valid; the handler has the signature that goes with no flags. The system fills in the
    // old one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as libc::sighandler_t;
        let done = libc::sigaction(libc::SIGSEGV, &action, before.as_mut_ptr());
        (done == 0).then(|| before.assume_init())
    }
}

/// Ends the job if an accessor has done it, which holds no lock then. Otherwise the signal comes again, to who had it.
extern "C" fn on_fault(_: libc::c_int) {
    let image = FOLLOWED.swap(0, Ordering::Relaxed);
    if image != 0 {
        process::die(
            "coindexed access",
            format_args!(
                "a component on image {image} points to a variable that is no part of a coarray, which an accessor function of gfortran 15 or later cannot copy from or put to: have it point to a coarray"
            ),
        );
    }
    // SAFETY: what the system has told, or the default action.
    unsafe {
        let default: libc::sigaction = std::mem::zeroed();
        let before = BEFORE.get().and_then(Option::as_ref).unwrap_or(&default);
        libc::sigaction(libc::SIGSEGV, before, ptr::null_mut());
    }
}
