//! The counters and marks of a channel. The proof is in `README.md`.

use crate::sync::{AtomicU64, Ordering};

/// Sender: whether packet number `packet` may be written when `window` packets may be in transit and the receiver is
/// known to have taken `known` packets, or more by now.
#[inline(always)]
pub fn has_room(window: u64, packet: u64, known: &mut u64, taken: &AtomicU64) -> bool {
    if packet - *known < window {
        return true;
    }
    // Acquire: the receiver's reads of the slot happened before it counted them.
    *known = taken.load(Ordering::Acquire);
    packet - *known < window
}

/// Receiver: whether packet number `packet` has been counted by its sender.
#[inline(always)]
pub fn is_counted(sent: &AtomicU64, packet: u64) -> bool {
    // Acquire: the packet was written before it was counted.
    sent.load(Ordering::Acquire) > packet
}

/// Receiver: whether the packet in the slot with this mark is number `packet`.
#[inline(always)]
pub fn is_marked(mark: &AtomicU64, packet: u64) -> bool {
    // Acquire: the packet was written before its mark. Other values are 0 and earlier packets' marks.
    mark.load(Ordering::Acquire) == mark_of(packet)
}

/// The mark of packet number `packet`: never 0, which is the content of fresh memory.
#[inline(always)]
pub fn mark_of(packet: u64) -> u64 {
    packet + 1
}

/// Receiver: whether to notify the sender now that `taken` packets have been taken. Half a window at a time, so that
/// the counter's line does not travel for each packet; the sender has room for the other half by then.
#[inline(always)]
pub fn is_due(window: u64, taken: u64) -> bool {
    taken.is_multiple_of((window / 2).max(1))
}

/// Receiver: whether a due count may travel with the next packet to the sender, where a message of its own is
/// expensive. `answered`: whether a packet went there since the sender was notified last. The proof is in `README.md`.
#[inline(always)]
pub fn may_be_late(window: u64, answered: bool) -> bool {
    answered && window > 1
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::job::pair::PACKETS;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Shared {
        slots: [UnsafeCell<u64>; PACKETS as usize],
        marks: [AtomicU64; PACKETS as usize],
        sent: AtomicU64,
        taken: AtomicU64,
    }

    impl Shared {
        fn send(&self, window: u64, marked: bool, total: u64) {
            let mut known = 0;
            for k in 0..total {
                while !has_room(window, k, &mut known, &self.taken) {
                    loom::thread::yield_now();
                }
                let at = (k % PACKETS) as usize;
                // SAFETY: loom reports an access to the slot by the other thread now.
                self.slots[at].with_mut(|slot| unsafe { *slot = 100 + k });
                if marked {
                    self.marks[at].store(mark_of(k), Ordering::Release)
                } else {
                    self.sent.store(k + 1, Ordering::Release)
                }
            }
        }

        fn receive(&self, window: u64, marked: bool, total: u64) {
            for k in 0..total {
                let at = (k % PACKETS) as usize;
                let arrived = || {
                    if marked { is_marked(&self.marks[at], k) } else { is_counted(&self.sent, k) }
                };
                while !arrived() {
                    loom::thread::yield_now();
                }
                // SAFETY: loom reports a write of the slot by the other thread now.
                assert_eq!(self.slots[at].with(|slot| unsafe { *slot }), 100 + k);
                if is_due(window, k + 1) {
                    self.taken.store(k + 1, Ordering::Release);
                }
            }
        }
    }

    /// Two more packets than the ring holds: every one arrives intact and in order; loom reports any access to a slot
    /// that is not ordered by the counters.
    fn keeps_every_packet(window: u64, marked: bool, total: u64) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(move || {
            let shared = Arc::new(Shared {
                slots: std::array::from_fn(|_| UnsafeCell::new(0)),
                marks: std::array::from_fn(|_| AtomicU64::new(0)),
                sent: AtomicU64::new(0),
                taken: AtomicU64::new(0),
            });
            let other = shared.clone();
            let sender = loom::thread::spawn(move || other.send(window, marked, total));
            shared.receive(window, marked, total);
            sender.join().unwrap();
        });
    }

    #[test]
    fn loom_ring_keeps_every_packet() {
        keeps_every_packet(PACKETS, false, PACKETS + 2);
    }

    #[test]
    fn loom_marks_announce_their_packets() {
        keeps_every_packet(PACKETS, true, PACKETS + 2);
    }

    #[test]
    fn loom_a_window_of_one_keeps_every_packet() {
        for marked in [false, true] {
            keeps_every_packet(1, marked, 3);
        }
    }

    /// One end of two rings: what it has put and taken, and a count that travels with its next packet.
    #[derive(Default)]
    struct End {
        put: u64,
        known: u64,
        taken: u64,
        answered: bool,
        kept: Option<u64>,
    }

    impl End {
        fn put(&mut self, ring: &Shared, other: &Shared) {
            while !has_room(PACKETS, self.put, &mut self.known, &ring.taken) {
                loom::thread::yield_now();
            }
            if let Some(count) = self.kept.take() {
                other.taken.store(count, Ordering::Release);
            }
            let at = (self.put % PACKETS) as usize;
            // SAFETY: loom reports an access to the slot by the other thread now.
            ring.slots[at].with_mut(|slot| unsafe { *slot = 100 + self.put });
            ring.marks[at].store(mark_of(self.put), Ordering::Release);
            self.put += 1;
            self.answered = true;
        }

        fn take(&mut self, ring: &Shared) {
            let at = (self.taken % PACKETS) as usize;
            while !is_marked(&ring.marks[at], self.taken) {
                loom::thread::yield_now();
            }
            // SAFETY: loom reports a write of the slot by the other thread now.
            assert_eq!(ring.slots[at].with(|slot| unsafe { *slot }), 100 + self.taken);
            self.taken += 1;
            if is_due(PACKETS, self.taken) {
                if may_be_late(PACKETS, std::mem::take(&mut self.answered)) {
                    self.kept = Some(self.taken)
                } else {
                    ring.taken.store(self.taken, Ordering::Release)
                }
            }
        }
    }

    /// Two images that have sent to one another, then only one to the other: a count that was to travel with a packet
    /// that is never sent leaves no sender without room for ever.
    #[test]
    fn loom_a_piggybacked_count_blocks_no_sender() {
        let ring = || Shared {
            slots: std::array::from_fn(|_| UnsafeCell::new(0)),
            marks: std::array::from_fn(|_| AtomicU64::new(0)),
            sent: AtomicU64::new(0),
            taken: AtomicU64::new(0),
        };
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(2);
        builder.check(move || {
            let rings = Arc::new([ring(), ring()]);
            let other = rings.clone();
            let receiver = loom::thread::spawn(move || {
                let mut end = End::default();
                end.put(&other[1], &other[0]);
                (0..PACKETS + 2).for_each(|_| end.take(&other[0]));
            });
            let mut end = End::default();
            end.put(&rings[0], &rings[1]);
            end.take(&rings[1]);
            (1..PACKETS + 2).for_each(|_| end.put(&rings[0], &rings[1]));
            receiver.join().unwrap();
        });
    }
}
