//! The flows that members give in ring exchanges, and what becomes of members that give different ones.
//!
//! A producer does not wait for its consumers. So members that name different roots may all go on: two of a broadcast that each
//! name themselves, for instance. Each member hashes the flows of its exchanges in their order, which takes a few instructions and no
//! memory but a word of its own. The hash since the last barrier is a part of what the next barrier compares; at the end of the program members compare it with those that have ended before. Which
//! exchange was wrong is sought in the rings when the hashes differ: its line has more producers than one root has.

use super::CollArea;
use super::layout::{Flows, RING, Ring, announces, call_of};
use crate::endpoint::Endpoint;
use crate::rank::Rank;
use crate::sync::{Ordering, fence};
use std::ops::RangeInclusive;

/// Who produces for whom in a ring exchange. All members give the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Direction {
    /// The root produces for the others.
    FromRoot = 1,
    /// The others produce for the root.
    ToRoot = 2,
    /// Each member produces for those of greater positions.
    Upwards = 3,
}

/// In the place of a flow: the member has given the exchange up.
pub(super) const GIVEN_UP: Flow = Flow(4 << DIRECTION_PLACE);

/// The place of the direction in a flow, above the root.
const DIRECTION_PLACE: u32 = 22;

/// The flow of a ring exchange: its direction and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow(u32);

impl Flow {
    /// The flow in this direction; `root` is 0 where there is none.
    #[inline(always)]
    pub const fn new(direction: Direction, root: usize) -> Flow {
        debug_assert!(root < 1 << DIRECTION_PLACE);
        Flow((direction as u32) << DIRECTION_PLACE | root as u32)
    }

    /// The hash of this flow and of those before it, whose hash is `before`; 0 for none. It depends on the order.
    #[inline(always)]
    pub fn after(self, before: u64) -> u64 {
        (before ^ u64::from(self.0)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }
}

/// Two members that gave different flows before a barrier, in these exchanges or in some of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowDifference {
    /// Both members.
    pub members: [Rank; 2],
    /// The number of the last exchange of each.
    pub last: [u64; 2],
    /// The exchanges since the barrier before, as far as the rings reach back.
    pub exchanges: RangeInclusive<u64>,
}

/// The number of what a member calls in a barrier, with the hash of the flows before it. Not linear, because sums of numbers are
/// compared; not 0.
#[inline(never)]
fn number_of(call: u32, exchanges: u64) -> u32 {
    let mixed = exchanges ^ exchanges >> 32 ^ u64::from(call);
    let mixed = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 33) as u32 | 1
}

impl CollArea {
    /// What this member calls in the barrier of an epoch, with the exchanges before it.
    #[inline(always)]
    pub(super) fn with_flows(&self, epoch: u64, call: u32) -> u32 {
        if self.flows.get() == 0 { call } else { self.publish_flows(epoch, call) }
    }

    /// Publishes the hash of the flows before the barrier of an epoch, for members that find a difference.
    #[inline(never)]
    fn publish_flows(&self, epoch: u64, call: u32) -> u32 {
        let (hash, last) = (self.flows.replace(0), self.ring_exchanges.get());
        let before = self.compared.replace(last);
        let flows: &Flows = &self.members()[self.me].flows[(epoch % 2) as usize];
        // Relaxed: the barrier releases them.
        flows.hash.store(hash, Ordering::Relaxed);
        flows.before.store(before, Ordering::Relaxed);
        flows.last.store(last, Ordering::Relaxed);
        // Release: members that look at their ends see the words above.
        flows.epoch.store(epoch, Ordering::Release);
        number_of(call, hash ^ last.rotate_left(32))
    }

    /// What a member has published for the barrier of an epoch, which this member has made: the hash of its flows, and the numbers
    /// of the last exchanges before the barrier before and before this one; zeros without exchanges.
    fn published_flows(&self, position: usize, epoch: u64) -> [u64; 3] {
        let flows: &Flows = &self.members()[position].flows[(epoch % 2) as usize];
        // Relaxed: ordered by the epoch. They are not written before the next barrier but one.
        let words = [&flows.hash, &flows.before, &flows.last];
        if flows.epoch.load(Ordering::Acquire) == epoch {
            words.map(|word| word.load(Ordering::Relaxed))
        } else {
            [0; 3]
        }
    }

    /// Whether the flows before the barrier of an epoch, in which members called what differs, differ as well: the same on all
    /// members. Then all go on from the same number of exchanges, so that the next operation can be a correct one.
    #[cold]
    #[inline(never)]
    pub(super) fn flows_differ(&self, image: &Endpoint, epoch: u64) -> bool {
        let published = (0..self.len()).map(|position| self.published_flows(position, epoch));
        let differ = published.clone().any(|flows| flows != self.published_flows(0, epoch));
        if differ {
            // No member has used the lines and pieces of later exchanges.
            let last = published.map(|[_, _, last]| last).max().unwrap_or(0);
            self.ring_exchanges.set(last);
            self.compared.set(last);
            self.publish_exchanges(image, last);
        }
        differ
    }

    /// The first two members that gave different flows before the last barrier, if [`CollArea::barrier_of`] says that there are any.
    pub fn flows_that_differ(&self) -> FlowDifference {
        let published = |position| self.published_flows(position, self.epochs.get());
        let other = (1..self.len()).find(|&other| published(other) != published(0)).unwrap_or(0);
        let both = [0, other].map(published);
        // One of them may have had no exchange.
        let first = both.map(|[_, before, _]| before).into_iter().max().unwrap_or(0) + 1;
        let last = both.map(|[_, _, last]| last).into_iter().max().unwrap_or(0);
        FlowDifference {
            members: [0, other].map(|position| self.ranks[position]),
            last: both.map(|[_, _, last]| last),
            exchanges: first.max((last + 1).saturating_sub(RING as u64))..=last,
        }
    }

    /// Publishes the hash of the flows since the last barrier, which this member makes no other one after; returns a member that
    /// has done so after as many exchanges with other flows. Of two such members, one at least finds the other.
    pub fn publish_last_flows(&self) -> Option<Rank> {
        if self.flows.get() == 0 {
            return None;
        }
        let epoch = self.epochs.get() + 1;
        self.publish_flows(epoch, 0);
        // Each of two members executes this between its own stores and its look at those of the other one.
        fence(Ordering::SeqCst);
        let [own, _, last] = self.published_flows(self.me, epoch);
        let differs = |&at: &usize| {
            let [hash, _, its] = self.published_flows(at, epoch);
            its == last && hash != own
        };
        (0..self.len()).find(differs).map(|at| self.ranks[at])
    }

    /// The exchanges of this member since the last barrier, as far as its ring reaches back.
    pub fn exchanges_since_barrier(&self) -> RangeInclusive<u64> {
        let last = self.ring_exchanges.get();
        // Either this member or another one sees the other's lines: both execute this fence between.
        fence(Ordering::SeqCst);
        (self.compared.get() + 1).max((last + 1).saturating_sub(RING as u64))..=last
    }

    /// What a member called that has produced in this exchange; `None` if it has not, or has used the line again.
    pub fn produced(&self, position: usize, number: u64) -> Option<u32> {
        produced(&self.rings()[position], number)
    }
}

fn produced(ring: &Ring, number: u64) -> Option<u32> {
    // Acquire: not for the data, which is not read, but as a consumer reads it.
    let word = ring.lines[number as usize % RING].epoch.load(Ordering::Acquire);
    announces(word, number).then(|| call_of(word))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::coll_area::{Comparison, RingExchange};
    use crate::settings::Settings;
    use crate::thread_images;

    fn from(root: usize) -> Flow {
        Flow::new(Direction::FromRoot, root)
    }

    #[test]
    fn hashes_of_flows_differ() {
        let hash = |roots: &[usize]| roots.iter().fold(0_u64, |hash, &root| from(root).after(hash));
        // The last pairs have the same sums of roots, and of their squares, or another order.
        let all = [
            &[][..],
            &[0],
            &[1],
            &[0, 0],
            &[0, 1],
            &[1, 3],
            &[2, 2],
            &[1, 5, 6],
            &[2, 3, 7],
            &[1, 2],
            &[2, 1],
            &[6, 5, 1],
        ];
        let hashes = all.map(hash);
        for (at, one) in hashes.iter().enumerate() {
            assert!(hashes[..at].iter().all(|other| other != one), "{at}");
        }
        assert_ne!(from(3).after(0), Flow::new(Direction::ToRoot, 3).after(0));
        assert!(hashes.iter().all(|&hash| number_of(0, hash) != 0));
    }

    /// Images that each name themselves, as often as they are told to, and then make a barrier; after that they agree.
    fn images(exchanges: [usize; 3]) -> Vec<Option<FlowDifference>> {
        let found = std::sync::Mutex::new(Vec::new());
        thread_images::run_with(Settings::default(), 3, 1, |image| {
            let set = image.executing();
            let levels = set.levels(image).unwrap();
            let area = levels.area().unwrap();
            let me = area.position();
            for _ in 0..exchanges[me] {
                let exchange = RingExchange::begin(area, image).unwrap();
                exchange.line().unwrap();
                exchange.produce(me as u32 + 1);
                exchange.done(from(me));
            }
            let differ = area.barrier_of(image, 0).unwrap() == Comparison::FlowsDiffer;
            let difference = differ.then(|| area.flows_that_differ());
            if let Some(difference) = &difference {
                let last = *difference.exchanges.end();
                for (position, &count) in exchanges.iter().enumerate() {
                    let call = (count as u64 >= last).then_some(position as u32 + 1);
                    assert_eq!(area.produced(position, last), call);
                }
            }
            found.lock().unwrap().push(difference);
            area.barrier(image).unwrap();
            // They have the same number again.
            for root in [2, 0, 1] {
                let exchange = RingExchange::begin(area, image).unwrap();
                if me == root {
                    exchange.line().unwrap();
                    exchange.produce(1);
                } else {
                    exchange.consume(root).unwrap();
                }
                exchange.done(from(root));
            }
            assert_eq!(area.exchanges_since_barrier().count(), 3);
            area.barrier(image).unwrap();
            assert_eq!(area.exchanges_since_barrier().count(), 0);
        })
        .unwrap();
        found.into_inner().unwrap()
    }

    #[test]
    fn all_members_find_that_their_flows_differ_and_go_on_alike() {
        let difference = |other, last, exchanges| {
            Some(FlowDifference { members: [0, other].map(Rank::new), last, exchanges })
        };
        assert_eq!(images([0, 0, 0]), vec![None; 3]);
        assert_eq!(images([1, 1, 1]), vec![difference(1, [1, 1], 1..=1); 3]);
        assert_eq!(images([20, 20, 0]), vec![difference(1, [20, 20], 1..=20); 3]);
        assert_eq!(images([0, 1, 0]), vec![difference(1, [0, 1], 1..=1); 3]);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::coll_area::layout::{Slot, announcement};
    use crate::sync::{AtomicU64, Padded};
    use loom::sync::Arc;

    /// Two members that each produce look at their ends whether the other one did, too: one of them at least finds it.
    #[test]
    fn loom_the_second_member_at_its_end_finds_another_producer() {
        loom::model(|| {
            let ring = || Ring {
                done: Padded(AtomicU64::new(0)),
                lines: std::array::from_fn(|_| Slot {
                    epoch: AtomicU64::new(0),
                    data: std::array::from_fn(|_| AtomicU64::new(0)),
                }),
            };
            let rings = Arc::new([ring(), ring()]);
            let run = |rings: &[Ring; 2], me: usize| {
                // The store of `MemberExchange::produce`.
                rings[me].lines[1].epoch.store(announcement(1, 7), Ordering::Release);
                fence(Ordering::SeqCst);
                produced(&rings[1 - me], 1).is_some()
            };
            let other = {
                let rings = rings.clone();
                loom::thread::spawn(move || run(&rings, 1))
            };
            let found = run(&rings, 0);
            assert!(other.join().unwrap() || found);
        });
    }
}
