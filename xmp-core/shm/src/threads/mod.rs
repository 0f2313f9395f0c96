//! The thread lock of an image: of the threads of its process, one at a time executes in the library.
//!
//! The state of an image (reference counts, request numbers, the order of replies) is written for one thread. A front
//! end enters the lock before it touches that state, and leaves when its function returns. Code that only reads facts
//! that do not change meanwhile, such as where a coarray is, needs no lock: a put to an image of the same host is a
//! store.
//!
//! # One thread only
//!
//! Most programs have one thread that calls the library. The thread that has created the lock, the *first* one,
//! therefore enters by two plain stores and a load as long as no other thread has ever entered. Another thread ends
//! that for good: it sets `shared` and has the kernel execute a memory barrier on each processor that runs a thread of
//! this process (`membarrier`, expedited). Either the first thread has stored `depth` before that barrier; then the
//! other thread sees that it is inside, and waits. Or it loads `shared` after the barrier, sees that it is set, and
//! goes to the mutex. Where the kernel does not have the call, the lock is shared from the start.
//!
//! # Waits
//!
//! A thread that waits inside the lock for an action of another image would keep out the thread without which that
//! image never acts. Such a wait leaves the lock ([`ThreadLock::outside`]) before it sleeps, and whenever another
//! thread wants to enter. Replies of the servers of other hosts are awaited inside: servers answer whatever the threads
//! of this image do.
//!
//! A collective operation that waits has state in progress, so no other one may begin then. The thread that leaves the
//! lock marks that, and [`ThreadLock::only_one`] refuses a collective operation to other threads.

mod alone;
mod attempt;
#[cfg(not(loom))]
mod membarrier;
#[cfg(loom)]
#[path = "membarrier_of_model.rs"]
mod membarrier;
#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;
mod this_thread;

pub use alone::UncontendedGuard;

use crate::error::{Error, Result};
use crate::sync::{AtomicU32, Condvar, Mutex, MutexGuard, Ordering, yield_now};
use std::sync::PoisonError;
use this_thread::this_thread;

/// The number of no thread.
const NONE: u64 = 0;

/// The lock; see the module.
#[derive(Debug)]
pub struct ThreadLock {
    /// The thread that enters without the mutex while the lock is not shared; 0 if there is none.
    first: u64,
    /// How often the first thread has entered without the mutex and not left. Only that thread writes it.
    depth: AtomicU32,
    /// Whether a thread other than the first one has ever entered: 0 or 1.
    shared: AtomicU32,
    /// Whether any thread has ever entered by the mutex: 0 or 1.
    is_used: AtomicU32,
    /// Threads that wait to enter.
    wanted: AtomicU32,
    /// How often a thread has entered by the mutex, wrapping.
    entries: AtomicU32,
    /// Whether a thread has left the lock during a collective operation: 0 or 1. Changed inside only.
    exclusive: AtomicU32,
    holder: Mutex<Holder>,
    left: Condvar,
    /// Whether this is the memory of a process that the image has forked: 0 or 1.
    forked: AtomicU32,
}

/// The thread that has entered by the mutex.
#[derive(Debug)]
struct Holder {
    thread: u64,
    /// How often it has entered and not left.
    depth: u32,
}

/// A thread is inside the lock until it drops this.
#[derive(Debug)]
#[must_use]
pub struct Inside<'a>(&'a ThreadLock);

impl Drop for Inside<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.leave();
    }
}

impl Default for ThreadLock {
    /// A lock without a first thread.
    fn default() -> ThreadLock {
        ThreadLock::new(NONE)
    }
}

impl ThreadLock {
    fn new(first: u64) -> ThreadLock {
        ThreadLock {
            first,
            depth: AtomicU32::new(0),
            shared: AtomicU32::new((first == NONE).into()),
            is_used: AtomicU32::new(0),
            wanted: AtomicU32::new(0),
            entries: AtomicU32::new(0),
            exclusive: AtomicU32::new(0),
            holder: Mutex::new(Holder { thread: NONE, depth: 0 }),
            left: Condvar::new(),
            forked: AtomicU32::new(0),
        }
    }

    /// Closes the lock in a process that the image has forked, which has one thread: from now on an attempt to enter
    /// ends that process with an error message.
    pub fn close_after_fork(&self) {
        // Relaxed: this is the only thread.
        self.forked.store(1, Ordering::Relaxed);
        self.shared.store(1, Ordering::Relaxed);
        self.depth.store(0, Ordering::Relaxed);
    }

    /// A lock whose first thread is this one.
    pub fn for_this_thread() -> ThreadLock {
        ThreadLock::new(if membarrier::prepare() { this_thread() } else { NONE })
    }

    /// Waits until no other thread is inside, and enters. A thread that is inside may enter again.
    #[inline(always)]
    pub fn enter(&self) -> Inside<'_> {
        self.enter_as(this_thread());
        Inside(self)
    }

    #[inline(always)]
    fn enter_as(&self, me: u64) {
        // Relaxed, all three: the module has the proof. What was done inside is ordered by the mutex, or by the release
        // and acquire of `depth` when the lock becomes shared.
        if me == self.first {
            let depth = self.depth.load(Ordering::Relaxed);
            self.depth.store(depth + 1, Ordering::Relaxed);
            membarrier::light();
            if depth > 0 || self.shared.load(Ordering::Relaxed) == 0 {
                return;
            }
            self.depth.store(0, Ordering::Release);
        }
        self.enter_shared(me);
    }

    #[cold]
    #[inline(never)]
    fn enter_shared(&self, me: u64) {
        // Checked before the mutex, which another thread of the image may have held when the process was forked.
        if self.forked.load(Ordering::Relaxed) != 0 {
            refuse_after_fork();
        }
        // Relaxed: a request, which orders nothing.
        self.wanted.fetch_add(1, Ordering::Relaxed);
        let mut holder = self.lock();
        if holder.thread == me {
            holder.depth += 1;
        } else {
            if self.shared.swap(1, Ordering::Relaxed) == 0 {
                membarrier::heavy();
                // Acquire: what the first thread has done inside.
                while self.depth.load(Ordering::Acquire) > 0 {
                    yield_now();
                }
            }
            while holder.thread != NONE {
                holder = self.left.wait(holder).unwrap_or_else(PoisonError::into_inner);
            }
            *holder = Holder { thread: me, depth: 1 };
            self.is_used.store(1, Ordering::Relaxed);
            self.entries.fetch_add(1, Ordering::Relaxed);
        }
        self.wanted.fetch_sub(1, Ordering::Relaxed);
    }

    #[inline(always)]
    fn leave(&self) {
        self.leave_by(this_thread);
    }

    #[inline(always)]
    fn leave_by(&self, me: impl FnOnce() -> u64) {
        // While the lock is not shared only the first thread enters.
        if self.shared.load(Ordering::Relaxed) == 0 {
            let depth = self.depth.load(Ordering::Relaxed);
            self.depth.store(depth.wrapping_sub(1), Ordering::Release);
        } else {
            self.leave_shared(me());
        }
    }

    #[cold]
    #[inline(never)]
    fn leave_shared(&self, me: u64) {
        if self.is_first_inside(me) {
            // The first thread has entered before the lock was shared.
            let depth = self.depth.load(Ordering::Relaxed);
            self.depth.store(depth - 1, Ordering::Release);
            return;
        }
        let mut holder = self.lock();
        holder.depth -= 1;
        if holder.depth == 0 {
            self.free(holder);
        }
    }

    /// Whether any thread other than the first one has entered; without a first thread, whether any has.
    #[inline(always)]
    pub fn is_shared(&self) -> bool {
        self.is_used.load(Ordering::Relaxed) != 0
    }

    /// Whether this is the first thread, and no other one has entered.
    #[inline(always)]
    pub fn is_only_first(&self) -> bool {
        this_thread() == self.first && !self.is_shared()
    }

    /// Whether this thread is inside.
    pub fn is_inside(&self) -> bool {
        self.is_inside_as(this_thread())
    }

    fn is_inside_as(&self, me: u64) -> bool {
        self.is_first_inside(me)
            || self.shared.load(Ordering::Relaxed) == 1 && self.lock().thread == me
    }

    /// Whether this is the first thread and has entered without the mutex.
    fn is_first_inside(&self, me: u64) -> bool {
        me == self.first && self.depth.load(Ordering::Relaxed) > 0
    }

    /// Executes `wait` with this thread outside, if it is inside, so that other threads may enter meanwhile.
    /// `exclusive`: this thread is executing a collective operation.
    pub fn outside<T>(&self, exclusive: bool, wait: impl FnOnce() -> T) -> T {
        self.outside_as(this_thread(), exclusive, wait)
    }

    fn outside_as<T>(&self, me: u64, exclusive: bool, wait: impl FnOnce() -> T) -> T {
        if !self.is_inside_as(me) {
            return wait();
        }
        if exclusive {
            self.exclusive.store(1, Ordering::Relaxed);
        }
        let depth = self.step_out(me);
        let result = wait();
        self.step_in(me, depth);
        if exclusive {
            self.exclusive.store(0, Ordering::Relaxed);
        }
        result
    }

    /// Lets in another thread that wants to enter, if there is one.
    #[inline]
    pub fn give_way(&self, exclusive: bool) {
        if self.wanted.load(Ordering::Relaxed) > 0 {
            self.let_another_in(exclusive);
        }
    }

    #[cold]
    #[inline(never)]
    fn let_another_in(&self, exclusive: bool) {
        let before = self.entries.load(Ordering::Relaxed);
        // Without a wait, this thread would enter again before the other one wakes up.
        self.outside(exclusive, || {
            while self.wanted.load(Ordering::Relaxed) > 0
                && self.entries.load(Ordering::Relaxed) == before
            {
                yield_now();
            }
        });
    }

    /// Refuses a collective operation while another thread executes one.
    ///
    /// # Errors
    /// [`Error::AnotherThread`].
    #[inline(always)]
    pub fn only_one(&self) -> Result<()> {
        if self.is_only_one() { Ok(()) } else { Err(Error::AnotherThread) }
    }

    /// Whether no other thread executes a collective operation.
    #[inline(always)]
    pub fn is_only_one(&self) -> bool {
        // Relaxed: changed inside only, where this thread is. The thread that has set it is outside.
        self.exclusive.load(Ordering::Relaxed) == 0
    }

    /// Leaves the lock entirely. Returns how often this thread had entered.
    fn step_out(&self, me: u64) -> u32 {
        if self.is_first_inside(me) {
            let depth = self.depth.load(Ordering::Relaxed);
            self.depth.store(0, Ordering::Release);
            return depth;
        }
        let holder = self.lock();
        let depth = holder.depth;
        self.free(holder);
        depth
    }

    /// Enters as often as this thread had entered before.
    fn step_in(&self, me: u64, depth: u32) {
        self.enter_as(me);
        if self.is_first_inside(me) {
            self.depth.store(depth, Ordering::Relaxed);
        } else {
            self.lock().depth = depth;
        }
    }

    fn free(&self, mut holder: MutexGuard<'_, Holder>) {
        *holder = Holder { thread: NONE, depth: 0 };
        drop(holder);
        self.left.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Holder> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a process that an image has forked, and that calls the library: it has the memory of the image, but is none.
/// Its exit handlers and buffers are those of the image, so they are left alone.
#[cold]
fn refuse_after_fork() -> ! {
    let text = "xmp: a process that an image has forked calls the library: only the image itself may; use exec, or \
                leave coarrays alone\n";
    // SAFETY: writes a text and ends the process; both are allowed in the child of a process with threads.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len());
        libc::_exit(ENDED_AFTER_FORK)
    }
}

/// Exit status of such a process.
const ENDED_AFTER_FORK: libc::c_int = 1;
