//! Turns at a lock: the protocol between the image that releases it and one of another host that has asked for its turn
//! (`README.md`, "Turns").

use crate::sync::{AtomicU32, Ordering};

/// The bit of a lock's gate that asks for a turn. Below it is the number of sleeping images.
pub const ASKED: u32 = 1 << 31;

/// Waits, if an image of another host has asked for its turn, until the lock that this image has just released is taken, or as
/// long as `wait` does. If nobody has taken it then, the request is taken back: the image that has asked may have ended.
///
/// `gate` was loaded after the release, by the notifier's side of the gate protocol.
pub fn leave(owner: &AtomicU32, gate: &AtomicU32, wait: impl FnOnce(&dyn Fn() -> bool)) {
    // Relaxed: hints. Who takes the lock orders by its compare-and-swap.
    if gate.load(Ordering::Relaxed) & ASKED == 0 {
        return;
    }
    let is_taken = || owner.load(Ordering::Relaxed) != 0;
    wait(&is_taken);
    if !is_taken() {
        gate.fetch_and(!ASKED, Ordering::Relaxed);
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread::yield_now;

    struct Shared {
        owner: AtomicU32,
        gate: AtomicU32,
        data: UnsafeCell<u32>,
    }

    impl Shared {
        fn new() -> Arc<Shared> {
            Arc::new(Shared {
                owner: AtomicU32::new(0),
                gate: AtomicU32::new(0),
                data: UnsafeCell::new(0),
            })
        }

        fn acquires(&self, image: u32) -> bool {
            self.owner.compare_exchange(0, image, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        }

        /// Changes what the lock protects, and releases it. Returns how often it has waited for a taker.
        fn use_and_release(&self, image: u32) -> u32 {
            // SAFETY: loom reports a second image that does this at the same time.
            self.data.with_mut(|data| unsafe { *data += 1 });
            self.owner.compare_exchange(image, 0, Ordering::SeqCst, Ordering::SeqCst).unwrap();
            let mut waits = 0;
            if self.gate.load(Ordering::SeqCst) != 0 {
                leave(&self.owner, &self.gate, |is_taken| {
                    waits += 1;
                    for _ in 0..2 {
                        if is_taken() {
                            break;
                        }
                        yield_now();
                    }
                });
            }
            waits
        }
    }

    /// An image acquires and releases again and again, and one of another host wants the lock: both get it, and no request is left.
    #[test]
    fn loom_an_image_of_another_host_gets_its_turn() {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(|| {
            let shared = Shared::new();
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    while !shared.acquires(2) {
                        shared.gate.fetch_or(ASKED, Ordering::SeqCst);
                        yield_now();
                    }
                    shared.gate.fetch_and(!ASKED, Ordering::SeqCst);
                    shared.use_and_release(2);
                })
            };
            for _ in 0..2 {
                while !shared.acquires(1) {
                    yield_now();
                }
                shared.use_and_release(1);
            }
            other.join().unwrap();
            assert_eq!(shared.gate.load(Ordering::SeqCst), 0);
            // SAFETY: no other thread is left.
            assert_eq!(shared.data.with(|data| unsafe { *data }), 3);
        });
    }

    /// The image that has asked ends: one release waits for it, and the next ones do not.
    #[test]
    fn loom_an_image_that_ends_delays_one_release() {
        loom::model(|| {
            let shared = Shared::new();
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    shared.gate.fetch_or(ASKED, Ordering::SeqCst);
                })
            };
            let waits: u32 = (0..3)
                .map(|_| {
                    assert!(shared.acquires(1));
                    shared.use_and_release(1)
                })
                .sum();
            assert!(waits <= 1);
            other.join().unwrap();
        });
    }
}
