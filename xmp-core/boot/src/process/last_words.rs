//! Work that a process still has to do after a request to end (SIGTERM), and that no handler of a signal may do. A thread does it while
//! the program continues; then the process ends.

use crate::launch::ending::RACE_REPORTS;
use crate::service_thread;
use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::io;
use std::mem::MaybeUninit;
use std::panic::catch_unwind;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The semaphore by which a handler calls the thread.
static CALL: Call = Call(UnsafeCell::new(MaybeUninit::zeroed()));
/// Whether the thread is there.
static IS_THERE: AtomicBool = AtomicBool::new(false);
/// When the time is over, in nanoseconds of the monotonic clock; 0 before the request.
static OVER: AtomicU64 = AtomicU64::new(0);
/// Whether all is done.
static IS_DONE: AtomicBool = AtomicBool::new(false);

/// A semaphore: a handler of a signal may post it.
struct Call(UnsafeCell<MaybeUninit<libc::sem_t>>);

// SAFETY: functions of the C library alone access it, for which it is made. `set` initialises it before others use it.
unsafe impl Sync for Call {}

impl Call {
    fn get(&self) -> *mut libc::sem_t {
        self.0.get().cast()
    }
}

/// From now on a request to end has a thread execute `work` before the process ends. The first call counts.
///
/// # Errors
/// When the system has no thread.
pub fn set(work: fn()) -> io::Result<()> {
    static SET: Once = Once::new();
    let mut started = Ok(());
    SET.call_once(|| {
        // SAFETY: the first access, for the threads of this process.
        unsafe { libc::sem_init(CALL.get(), 0, 0) };
        started = service_thread::start("xmp-last-words", move || {
            // SAFETY: initialised above.
            while unsafe { libc::sem_wait(CALL.get()) } != 0 {}
            // The process ends all the same.
            let _ = catch_unwind(work);
            // Relaxed: the handler of the signal that follows reads it.
            IS_DONE.store(true, Ordering::Relaxed);
            // SAFETY: no memory is accessed.
            unsafe { libc::kill(libc::getpid(), REQUEST) };
        })
        .map(drop);
        // Release: the semaphore.
        IS_THERE.store(started.is_ok(), Ordering::Release);
    });
    started
}

/// The signal that requests the end.
const REQUEST: c_int = libc::SIGTERM;

/// The time for which the program continues at most after a request to end, while there is work that is not done yet. The handler of the
/// request calls this; the handler is called again when all is done.
pub(super) fn time_left(signal: c_int) -> Option<Duration> {
    // Acquire: the semaphore.
    if signal != REQUEST || !IS_THERE.load(Ordering::Acquire) || IS_DONE.load(Ordering::Relaxed) {
        return None;
    }
    let now = now();
    // Relaxed: this process's handlers, of which one is executed at a time.
    let over = OVER.load(Ordering::Relaxed);
    if over == 0 {
        OVER.store(now + RACE_REPORTS.as_nanos() as u64, Ordering::Relaxed);
        // SAFETY: initialised; a handler may call this.
        unsafe { libc::sem_post(CALL.get()) };
        return Some(RACE_REPORTS);
    }
    (now < over).then(|| Duration::from_nanos(over - now))
}

fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the structure. Every Linux has the clock; a handler may call this.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
