//! Loom models of what is built on waiting: the end of an image, events, locks.
use super::*;
use crate::error::{Error, Result};
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use loom::sync::Arc;

#[derive(Default)]
struct Shared {
    doorbell: Doorbell,
    status: Status,
    state: AtomicU32,
    counter: AtomicU64,
}

impl Shared {
    /// The waiter: waits for the counter, and gives up once the other image has ended.
    fn wait(&self) -> Result<()> {
        let budget = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
        Waits::new(&self.doorbell, &self.status, budget, None).until(
            || match self.state.load(Ordering::Acquire) {
                0 => Ok(()),
                _ => Err(Error::StoppedImage(crate::rank::Rank::new(1))),
            },
            || self.counter.load(Ordering::Acquire) == 1,
        )
    }

    /// The ending image, as in `failure::publish_state`.
    fn end(&self) {
        self.state.store(1, Ordering::Release);
        self.status.epoch.fetch_add(1, Ordering::Release);
        self.doorbell.ring();
    }
}

/// An image ends without notifying: the waiter gets the error and is not left asleep.
#[test]
fn loom_an_end_reaches_the_waiter() {
    loom::model(|| {
        let shared = Arc::new(Shared::default());
        let other = shared.clone();
        let ending = loom::thread::spawn(move || other.end());
        assert!(shared.wait().is_err());
        ending.join().unwrap();
    });
}

/// An image notifies and then ends: the wait is fulfilled, whichever of the two the waiter sees first.
#[test]
fn loom_a_notification_before_the_end_counts() {
    for ended_before in [0, 1] {
        a_notification_before_the_end_counts(ended_before);
    }
}

/// Runs the model after `ended_before` other images have ended, so that the watch is asked at once.
fn a_notification_before_the_end_counts(ended_before: u32) {
    loom::model(move || {
        let shared = Arc::new(Shared::default());
        shared.status.epoch.store(ended_before, Ordering::Relaxed);
        let other = shared.clone();
        let ending = loom::thread::spawn(move || {
            crate::sync::store_then_fence(&other.counter, 1);
            other.doorbell.ring_if_parked();
            other.end();
        });
        assert_eq!(shared.wait(), Ok(()));
        ending.join().unwrap();
    });
}

/// An event: posts are counted by read-modify-writes, and the post that the waiter needs wakes it.
#[test]
fn loom_a_post_is_not_lost() {
    // Three threads: bounded, or it takes hours.
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let shared = Arc::new(Shared::default());
        let posters: Vec<_> = (0..2)
            .map(|_| {
                let other = shared.clone();
                loom::thread::spawn(move || {
                    other.counter.fetch_add(1, Ordering::SeqCst);
                    crate::sync::fence_after_rmw();
                    other.doorbell.ring_if_parked();
                })
            })
            .collect();
        let budget = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
        Waits::new(&shared.doorbell, &shared.status, budget, None)
            .until(|| Ok(()), || shared.counter.load(Ordering::Acquire) >= 2)
            .unwrap();
        posters.into_iter().for_each(|t| t.join().unwrap());
    });
}

/// A lock with a gate (`coarray::lock`): at most one image is inside, and a sleeping one is woken.
#[test]
fn loom_a_lock_is_handed_over() {
    #[derive(Default)]
    struct Lock {
        owner: AtomicU32,
        gate: AtomicU32,
        doorbells: [Doorbell; 2],
        status: Status,
        inside: loom::cell::UnsafeCell<u32>,
    }
    fn enter_and_leave(lock: &Lock, me: usize) {
        let budget = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
        let free = || {
            let mine = me as u32 + 1;
            lock.owner.compare_exchange(0, mine, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        };
        Waits::new(&lock.doorbells[me], &lock.status, budget, None)
            .until_gate(&lock.gate, || Ok(()), free)
            .unwrap();
        // SAFETY: loom reports an access while the other thread is inside.
        lock.inside.with_mut(|inside| unsafe { *inside += 1 });
        lock.owner.compare_exchange(me as u32 + 1, 0, Ordering::SeqCst, Ordering::SeqCst).unwrap();
        crate::sync::fence_after_rmw();
        if lock.gate.load(Ordering::SeqCst) != 0 {
            lock.doorbells[1 - me].ring();
        }
    }
    loom::model(|| {
        let lock = Arc::new(Lock::default());
        let other = lock.clone();
        let thread = loom::thread::spawn(move || enter_and_leave(&other, 1));
        enter_and_leave(&lock, 0);
        thread.join().unwrap();
        // SAFETY: both threads have ended.
        assert_eq!(lock.inside.with(|inside| unsafe { *inside }), 2);
    });
}

/// While an image waits for one thing, it serves another in the background: a question of the image that it waits for,
/// which notifies it only after the answer.
#[test]
fn loom_background_work_is_not_slept_through() {
    #[derive(Default, Debug)]
    struct Both {
        doorbells: [Doorbell; 2],
        status: Status,
        question: AtomicU32,
        answer: AtomicU32,
        counter: AtomicU32,
    }
    /// Answers questions.
    #[derive(Debug)]
    struct Answering(Arc<Both>, std::cell::Cell<u32>);
    impl Background for Answering {
        fn advance(&self, _spun: Option<u32>) -> bool {
            let new = self.0.question.load(Ordering::Acquire) > self.1.get();
            if new {
                self.1.set(self.1.get() + 1);
                self.0.answer.store(self.1.get(), Ordering::Release);
                self.0.doorbells[1].ring();
            }
            new
        }
    }
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let budget = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
        let both = Arc::new(Both::default());
        let other = both.clone();
        let asking = loom::thread::spawn(move || {
            other.question.store(1, Ordering::Release);
            other.doorbells[0].ring();
            Waits::new(&other.doorbells[1], &other.status, budget, None)
                .until(|| Ok(()), || other.answer.load(Ordering::Acquire) == 1)
                .unwrap();
            other.counter.store(1, Ordering::Release);
            other.doorbells[0].ring();
        });
        let answering = Answering(both.clone(), std::cell::Cell::new(0));
        Waits::new(&both.doorbells[0], &both.status, budget, Some(&answering))
            .until(|| Ok(()), || both.counter.load(Ordering::Acquire) == 1)
            .unwrap();
        asking.join().unwrap();
    });
}
