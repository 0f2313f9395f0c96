//! Protection of accessors that follow a pointer out of all coarrays, to a variable of the other image's process.
//!
//! A result that such an accessor leaves there is read by [`super::result`]. An accessor that copies elements, or puts
//! to them, touches addresses that this process has not mapped. The handler of the system's signal then copies the
//! pages of the other process to these addresses ([`super::windows`]), and the accessor continues.

use super::windows;
use crate::process;
use crate::process::instance;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use xmp_core::Rank;
use xmp_core::job::Job;

/// Where the segment of the image begins whose pointers the accessor that runs follows, with [`PUTS`]; 0 for none. The
/// thread that has set it has the windows for itself: accessors run in the program's thread, and for images of other
/// hosts in that of the server. Its signal reads it.
static FOLLOWED: AtomicUsize = AtomicUsize::new(0);
/// Set if the accessor puts. Segments begin with pages.
const PUTS: usize = 1;

/// The job, for the signal: null until [`prepare`].
static JOB: AtomicPtr<Job> = AtomicPtr::new(ptr::null_mut());

/// What was done about the signal before; `None` if the system does not tell.
static BEFORE: OnceLock<Option<libc::sigaction>> = OnceLock::new();

/// Addresses below are those of components of nothing: an object that is not allocated.
const LOW: usize = 1 << 16;

/// To be called before the first accessor: from now on the signal is looked at. The job is this process's, which lives
/// as long as it.
pub fn prepare(job: &Job) {
    JOB.store(ptr::from_ref(job).cast_mut(), Ordering::Release);
    BEFORE.get_or_init(watch);
}

/// Calls an accessor that may follow pointers of an image of this host, whose segment this is, in order to put or only
/// to get.
pub fn follow<T>(segment: *mut u8, puts: bool, access: impl FnOnce() -> T) -> T {
    wait_for_windows(segment);
    begin(segment, puts);
    let result = access();
    end();
    result
}

/// Waits until no other thread follows: what begins then is [`begin`].
#[inline(never)]
pub fn wait_for_windows(segment: *mut u8) {
    // Acquire: the windows are as the thread has left them that had them before.
    while FOLLOWED
        .compare_exchange_weak(0, segment.addr(), Ordering::Acquire, Ordering::Relaxed)
        .is_err()
    {
        // An accessor does not wait.
        std::thread::yield_now();
    }
}

/// Prepares a call of an accessor that may follow pointers, in the thread that calls accessors or has the windows.
/// [`end`] follows the accessor.
#[inline(always)]
pub fn begin(segment: *mut u8, puts: bool) {
    // Relaxed: for this thread's own signal.
    FOLLOWED.store(segment.addr() | if puts { PUTS } else { 0 }, Ordering::Relaxed);
}

/// See [`begin`].
#[inline(always)]
pub fn end() {
    if windows::any() {
        close();
    }
    // Release: for a thread that follows next.
    FOLLOWED.store(0, Ordering::Release);
}

/// The image that is followed, and its process. Nothing here waits or allocates, as a signal handler calls it.
fn followed() -> Option<(Rank, libc::pid_t)> {
    let segment = FOLLOWED.load(Ordering::Relaxed) & !PUTS;
    // SAFETY: null or what `prepare` got.
    let job = unsafe { JOB.load(Ordering::Acquire).as_ref()? };
    let is_it = |&rank: &Rank| job.segment(rank).is_some_and(|its| its.addr() == segment);
    let rank = job.region_ranks().iter().copied().find(is_it)?;
    // The image has its process's number there before it begins.
    Some((rank, job.entry(rank).pid.load(Ordering::Relaxed) as libc::pid_t))
}

#[cold]
#[inline(never)]
fn close() {
    let (rank, process) = followed().expect("windows are opened for an image that is followed");
    // SAFETY: the accessor has returned, and this thread has opened them.
    if !unsafe { windows::close(process) } {
        out_of_reach(rank.image());
    }
    // The accessor may have defined private memory.
    instance().image.acquired();
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

/// Maps the address if an accessor has accessed it, or ends the job; an accessor holds no lock. Otherwise the signal
/// comes again, and the action that was set before handles it.
extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let puts = FOLLOWED.load(Ordering::Relaxed) & PUTS != 0;
    // SAFETY: the system has filled it in.
    let address = unsafe { (*info).si_addr() };
    // What this image's own pointers point to is here, or nowhere.
    let own = std::process::id() as libc::pid_t;
    if let Some((rank, process)) = followed()
        && (process != own || address.addr() < LOW)
    {
        let image = rank.image();
        // SAFETY: in an accessor of this thread. It is an address that means nothing here, or the opening fails; and
        // what is put there is a variable that this image may define.
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
    // Of a copy of an object of another host.
    if FOLLOWED.load(Ordering::Relaxed) != 0 && address.addr() < LOW {
        process::die("coindexed access", "a component, or what it is part of, is not allocated");
    }
    // SAFETY: the action that was set before, or the default action.
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
