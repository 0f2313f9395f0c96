//! Loom models of the thread lock.

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;

const FIRST: u64 = 1;
const OTHER: u64 = 2;

struct Shared {
    lock: ThreadLock,
    value: UnsafeCell<u32>,
}

impl Shared {
    fn change(&self, me: u64) {
        self.lock.enter_as(me);
        // SAFETY: this thread is inside the lock; loom reports another one that is, too.
        self.value.with_mut(|value| unsafe { *value += 1 });
        self.lock.leave_by(|| me);
    }
}

/// The other thread changes the value while the first one does what `first` says, in which it changes the value `changes`
/// times.
fn model(changes: u32, first: impl Fn(&Shared) + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let shared = Arc::new(Shared { lock: ThreadLock::new(FIRST), value: UnsafeCell::new(0) });
        let other = shared.clone();
        let thread = loom::thread::spawn(move || other.change(OTHER));
        first(&shared);
        thread.join().unwrap();
        // SAFETY: the other thread has ended.
        shared.value.with(|value| unsafe { assert_eq!(*value, changes + 1) });
    });
}

/// The first thread enters while another one makes the lock shared.
#[test]
fn loom_threads_are_inside_one_at_a_time() {
    model(2, |shared| {
        shared.change(FIRST);
        shared.change(FIRST);
    });
}

/// The first thread leaves for a wait, however far the other one is.
#[test]
fn loom_a_thread_that_left_for_a_wait_returns() {
    model(1, |shared| {
        shared.lock.enter_as(FIRST);
        shared.lock.outside_as(FIRST, false, || {});
        // SAFETY: this thread is inside the lock; loom reports another one that is, too.
        shared.value.with_mut(|value| unsafe { *value += 1 });
        shared.lock.leave_by(|| FIRST);
    });
}

/// The first thread enters in the short way while another one makes the lock shared, or finds that it has.
#[test]
fn loom_a_thread_alone_is_inside_alone() {
    model(2, |shared| {
        for _ in 0..2 {
            match shared.lock.enter_alone_as(FIRST) {
                // SAFETY: this thread is inside the lock; loom reports another one that is, too.
                Some(_alone) => shared.value.with_mut(|value| unsafe { *value += 1 }),
                None => shared.change(FIRST),
            }
        }
    });
}

/// The first thread attempts to enter while another one makes the lock shared, or has: it is inside alone, or not at all.
#[test]
fn loom_a_thread_that_attempts_to_enter_is_inside_alone_or_outside() {
    model(1, |shared| {
        let entered = shared.lock.try_enter_as(FIRST);
        if entered {
            assert!(!shared.lock.try_enter_as(FIRST), "inside already");
            // SAFETY: this thread is inside the lock; loom reports another one that is, too.
            shared.value.with_mut(|value| unsafe { *value += 1 });
            shared.lock.leave_by(|| FIRST);
        } else {
            shared.change(FIRST);
        }
    });
}

/// The other thread attempts to enter while the first one changes the value.
#[test]
fn loom_an_attempt_of_another_thread_leaves_the_lock_to_the_first_one() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(|| {
        let shared = Arc::new(Shared { lock: ThreadLock::new(FIRST), value: UnsafeCell::new(0) });
        let other = shared.clone();
        let thread = loom::thread::spawn(move || {
            assert!(!other.lock.try_enter_as(OTHER), "the lock is not shared");
        });
        shared.change(FIRST);
        thread.join().unwrap();
        assert!(!shared.lock.is_shared());
        shared.change(OTHER);
        assert!(shared.lock.try_enter_as(OTHER), "shared by now");
        assert!(!shared.lock.try_enter_as(OTHER) && !shared.lock.try_enter_as(FIRST));
        shared.lock.leave_by(|| OTHER);
    });
}
