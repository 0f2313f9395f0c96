//! The two counters of a channel. The argument is in `README.md`.

use crate::sync::{AtomicU64, Ordering};

/// Packets in a ring.
pub const PACKETS: u64 = 4;

/// Sender: whether packet number `packet` may be written, given what the receiver has taken.
#[inline]
pub fn has_room(taken: &AtomicU64, packet: u64) -> bool {
    // Acquire: the receiver's reads of the slot happened before it counted them.
    packet - taken.load(Ordering::Acquire) < PACKETS
}

/// Receiver: whether packet number `packet` has arrived.
#[inline]
pub fn has_arrived(sent: &AtomicU64, packet: u64) -> bool {
    // Acquire: the packet was written before it was counted.
    sent.load(Ordering::Acquire) > packet
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// Two more packets than the ring holds: every one arrives intact and in order; loom reports any
    /// access to a slot that is not ordered by the counters.
    #[test]
    fn loom_ring_keeps_every_packet() {
        struct Shared {
            slots: [UnsafeCell<u64>; PACKETS as usize],
            sent: AtomicU64,
            taken: AtomicU64,
        }
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(|| {
            let shared = Arc::new(Shared {
                slots: std::array::from_fn(|_| UnsafeCell::new(0)),
                sent: AtomicU64::new(0),
                taken: AtomicU64::new(0),
            });
            let total = PACKETS + 2;
            let sender = {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    for k in 0..total {
                        while !has_room(&shared.taken, k) {
                            loom::thread::yield_now();
                        }
                        shared.slots[(k % PACKETS) as usize].with_mut(|slot| {
                            // SAFETY: loom checks that nobody else accesses the slot now.
                            unsafe { *slot = 100 + k }
                        });
                        shared.sent.store(k + 1, Ordering::Release);
                    }
                })
            };
            for k in 0..total {
                while !has_arrived(&shared.sent, k) {
                    loom::thread::yield_now();
                }
                // SAFETY: as above.
                let value = shared.slots[(k % PACKETS) as usize].with(|slot| unsafe { *slot });
                assert_eq!(value, 100 + k);
                shared.taken.store(k + 1, Ordering::Release);
            }
            sender.join().unwrap();
        });
    }
}
