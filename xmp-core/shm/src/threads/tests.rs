//! Tests of the thread lock with real threads.

use super::*;
use std::cell::Cell;
use std::sync::atomic::AtomicBool;

/// State that only one thread at a time may touch.
struct Counter(ThreadLock, Cell<u64>);
// SAFETY: the cell is used inside the lock only.
unsafe impl Sync for Counter {}

impl Counter {
    fn count(&self) {
        let _inside = self.0.enter();
        let _again = self.0.enter();
        self.1.set(self.1.get() + 1);
    }
}

#[test]
fn threads_are_inside_one_at_a_time() {
    const EACH: u64 = 10_000;
    let counter = Counter(ThreadLock::for_this_thread(), Cell::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| (0..EACH).for_each(|_| counter.count()));
        }
        (0..EACH).for_each(|_| counter.count());
    });
    assert_eq!(counter.1.get(), 4 * EACH);
    assert!(!counter.0.is_inside());
}

#[test]
fn a_thread_that_waits_lets_others_in() {
    let lock = ThreadLock::for_this_thread();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _inside = lock.enter();
        let _again = lock.enter();
        scope.spawn(|| {
            let _inside = lock.enter();
            assert_eq!(lock.only_one(), Err(Error::AnotherThread));
            done.store(true, Ordering::Release);
        });
        while !done.load(Ordering::Acquire) {
            lock.give_way(true);
        }
        assert_eq!(lock.only_one(), Ok(()));
        assert!(lock.is_inside());
        // With the roles exchanged, and with the lock shared.
        done.store(false, Ordering::Release);
        scope.spawn(|| {
            let _inside = lock.enter();
            assert_eq!(lock.only_one(), Ok(()));
            done.store(true, Ordering::Release);
        });
        lock.outside(false, || {
            while !done.load(Ordering::Acquire) {
                yield_now();
            }
        });
    });
    assert!(!lock.is_inside());
}

#[test]
fn a_thread_is_alone_where_no_other_one_has_ever_entered() {
    let lock = ThreadLock::for_this_thread();
    for _ in 0..2 {
        let alone = lock.enter_alone().expect("the first thread, outside");
        assert!(lock.is_inside() && lock.enter_alone().is_none());
        drop(alone);
        assert!(!lock.is_inside());
    }
    let inside = lock.enter();
    assert!(lock.enter_alone().is_none(), "it is inside already");
    drop(inside);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(lock.enter_alone().is_none(), "not the first thread");
            drop(lock.enter());
        });
    });
    assert!(lock.enter_alone().is_none() && !lock.is_inside(), "the lock is shared");
}
