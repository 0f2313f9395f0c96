//! The flows that members give in ring exchanges, and what becomes of members that give different ones.
//!
//! A producer does not wait for its consumers. So members that name different roots may all go on: two of a broadcast that each
//! name themselves, for instance. Each member logs the flow of each exchange in memory of its own, and hashes it. The hash of the
//! exchanges since the last barrier is a part of what the next barrier compares. The logs are read when the hashes differ, and at
//! the end of the program.

use super::CollArea;
use super::layout::{Flows, RING, Ring};
use crate::endpoint::Endpoint;
use crate::rank::Rank;
use crate::sync::{AtomicU64, Ordering, fence};
use std::cell::Cell;

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

impl Direction {
    const ALL: [Direction; 3] = [Direction::FromRoot, Direction::ToRoot, Direction::Upwards];
}

/// Places in a flow, from the lowest bit on: the root, the direction, the kind of operation.
const DIRECTION_PLACE: u32 = 22;
const KIND_PLACE: u32 = 24;
/// The bits that members compare: all but the kind, which the lines of the exchange tell.
const COMPARED: u32 = (1 << KIND_PLACE) - 1;

/// The flow of a ring exchange: its direction and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow(u32);

impl Flow {
    /// The flow in an operation of a kind, which messages name.
    #[inline(always)]
    pub const fn new(direction: Direction, root: usize, kind: u8) -> Flow {
        debug_assert!(root < 1 << DIRECTION_PLACE);
        let kind = (kind as u32) << KIND_PLACE;
        Flow(kind | (direction as u32) << DIRECTION_PLACE | root as u32)
    }

    /// The direction.
    ///
    /// # Panics
    /// Never: each flow has one.
    pub fn direction(self) -> Direction {
        let number = self.0 >> DIRECTION_PLACE & (COMPARED >> DIRECTION_PLACE);
        let is_it = |direction: &Direction| *direction as u32 == number;
        Direction::ALL.into_iter().find(is_it).expect("a flow has a direction")
    }

    /// The position of the root; 0 if there is none.
    pub fn root(self) -> usize {
        (self.0 & ((1 << DIRECTION_PLACE) - 1)) as usize
    }

    /// The kind of operation.
    pub fn kind(self) -> u8 {
        (self.0 >> KIND_PLACE) as u8
    }

    /// The hash of exchanges, which is 0 without any, with this one more. It depends on their order.
    #[inline(always)]
    pub(super) fn hashed_after(self, others: u64) -> u64 {
        (others ^ u64::from(self.0 & COMPARED)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The word of this flow in a log.
    #[inline(always)]
    pub(super) fn logged(self, number: u64) -> u64 {
        number << 32 | u64::from(self.0)
    }
}

/// The exchange of a word in a log, and its flow; `None` if there is none.
fn exchange_of(word: u64) -> Option<(u32, Flow)> {
    (word != 0).then_some(((word >> 32) as u32, Flow(word as u32)))
}

/// Whether two words of logs are of one exchange and have flows that differ.
fn differ(one: u64, other: u64) -> bool {
    one >> 32 == other >> 32 && (one ^ other) as u32 & COMPARED != 0
}

/// The flows of a set's operations over hosts, of which an image that sends need not hear from the others either. All images of the
/// set note the same, in the same order, and compare it with the messages of later operations.
#[derive(Debug, Default)]
pub struct FlowsOverHosts(Cell<u64>);

impl FlowsOverHosts {
    /// Notes the flow of an operation that this image begins. The root is a position of the set.
    pub fn note(&self, flow: Flow) {
        self.0.set(flow.hashed_after(self.0.get()));
    }

    /// A number of all that was noted; 0 for nothing.
    pub fn number(&self) -> u32 {
        (self.0.get() >> 32) as u32
    }
}

/// Two members that gave different flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowDifference {
    /// Both members.
    pub members: [Rank; 2],
    /// What each gave in the first exchange that is not the same, as far as the logs reach; `None` for a member that did not take
    /// part in it.
    pub flows: [Option<Flow>; 2],
}

/// The number of what a member calls in a barrier, with the hash of its exchanges before it. Not linear, because sums of numbers are
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

    /// Publishes the hash of the exchanges before the barrier of an epoch, for members that find a difference.
    #[inline(never)]
    fn publish_flows(&self, epoch: u64, call: u32) -> u32 {
        let hash = self.flows.replace(0);
        let exchanges = self.ring_exchanges.get();
        self.compared.set(exchanges);
        let flows: &Flows = &self.members()[self.me].flows[(epoch % 2) as usize];
        // Relaxed: the barrier releases them.
        flows.hash.store(hash, Ordering::Relaxed);
        flows.exchanges.store(exchanges, Ordering::Relaxed);
        flows.epoch.store(epoch, Ordering::Relaxed);
        number_of(call, hash)
    }

    /// The hash that a member has published for the barrier of an epoch, which this member has made, and the number of its last
    /// exchange; 0 without exchanges.
    fn published_flows(&self, position: usize, epoch: u64) -> (u64, u64) {
        let flows: &Flows = &self.members()[position].flows[(epoch % 2) as usize];
        // Relaxed: ordered by the barrier. They are not written before the next barrier but one.
        if flows.epoch.load(Ordering::Relaxed) != epoch {
            return (0, 0);
        }
        (flows.hash.load(Ordering::Relaxed), flows.exchanges.load(Ordering::Relaxed))
    }

    /// Whether the flows before the barrier of an epoch, in which members called what differs, differ as well: the same on all
    /// members. Then all go on from the same number of exchanges, so that the next operation can be a correct one.
    #[cold]
    #[inline(never)]
    pub(super) fn flows_differ(&self, image: &Endpoint, epoch: u64) -> bool {
        let published = |position| self.published_flows(position, epoch);
        let (first, mut last) = published(0);
        let mut differ = false;
        for (hash, exchanges) in (1..self.len()).map(published) {
            differ |= hash != first;
            last = last.max(exchanges);
        }
        if differ {
            // No member has used the lines and pieces of later exchanges.
            self.ring_exchanges.set(last);
            self.compared.set(last);
            self.publish_exchanges(image, last);
        }
        differ
    }

    /// The first two members that gave different flows before the last barrier, if [`CollArea::barrier_of`] says that there are any.
    pub fn flows_that_differ(&self) -> FlowDifference {
        let epoch = self.epochs.get();
        let published = |position| self.published_flows(position, epoch);
        let other = (1..self.len()).find(|&other| published(other).0 != published(0).0);
        let positions = [0, other.unwrap_or(0)];
        let members = positions.map(|position| self.ranks[position]);
        let [last, its] = positions.map(|position| published(position).1);
        let flows = self.first_difference(positions, 0).unwrap_or_else(|| {
            // One has taken part in more exchanges; the log has the first of them unless they are many.
            let (ahead, from) = if last > its { (0, its) } else { (1, last) };
            let next = self.logged(positions[ahead], from + 1);
            std::array::from_fn(|at| next.filter(|_| at == ahead))
        });
        FlowDifference { members, flows }
    }

    /// Another member that has given another flow than this one in an exchange since the last barrier, if its log shows that.
    /// The first member compares itself with all others, and these with the first one: of two members that ask this when they
    /// have made all their exchanges, the second one finds a difference.
    pub fn find_flows_that_differ(&self) -> Option<FlowDifference> {
        if self.ring_exchanges.get() == self.compared.get() {
            return None;
        }
        // Either this member or the other one sees the other's words: both execute this fence between.
        fence(Ordering::SeqCst);
        let mut others = if self.me == 0 { 1..self.len() } else { 0..1 };
        others.find_map(|other| {
            let flows = self.first_difference([self.me, other], self.compared.get())?;
            Some(FlowDifference { members: [self.me, other].map(|at| self.ranks[at]), flows })
        })
    }

    /// The flows that two members gave in the first exchange behind `compared` in which their logs differ.
    fn first_difference(&self, members: [usize; 2], compared: u64) -> Option<[Option<Flow>; 2]> {
        let [one, other] = members.map(|position| &self.rings()[position]);
        first_difference(one, other, compared)
    }

    /// The flow that a member gave in an exchange, if its log has that.
    fn logged(&self, position: usize, number: u64) -> Option<Flow> {
        let log = &self.rings()[position].flows;
        let word = log[number as usize % RING].load(Ordering::Relaxed);
        let (logged, flow) = exchange_of(word)?;
        (logged == number as u32).then_some(flow)
    }
}

/// The flows in the first exchange behind `compared` in which two logs differ.
fn first_difference(one: &Ring, other: &Ring, compared: u64) -> Option<[Option<Flow>; 2]> {
    // Relaxed: each word has its exchange in it. Words of other exchanges are not compared.
    let word = |log: &[AtomicU64; RING], at: usize| log[at].load(Ordering::Relaxed);
    let words = (0..RING).map(|at| [word(&one.flows, at), word(&other.flows, at)]);
    // The exchanges that a log has are a few behind `compared`.
    let age = |words: &[u64; 2]| ((words[0] >> 32) as u32).wrapping_sub(compared as u32);
    let found = words
        .filter(|&[one, other]| differ(one, other))
        .filter(|words| (1..=i32::MAX as u32).contains(&age(words)))
        .min_by_key(age)?;
    Some(found.map(|word| exchange_of(word).map(|(_, flow)| flow)))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::coll_area::{Comparison, RingExchange};
    use crate::settings::Settings;
    use crate::thread_images;

    const BROADCAST: u8 = 3 << 2;

    fn from(root: usize) -> Flow {
        Flow::new(Direction::FromRoot, root, BROADCAST)
    }

    #[test]
    fn a_flow_tells_its_parts() {
        let flow = Flow::new(Direction::ToRoot, 4095, 255);
        assert_eq!((flow.direction(), flow.root(), flow.kind()), (Direction::ToRoot, 4095, 255));
        assert_eq!(exchange_of(flow.logged(7)), Some((7, flow)));
        // The kind is not compared.
        assert!(!differ(from(1).logged(7), Flow::new(Direction::FromRoot, 1, 0).logged(7)));
        assert!(differ(from(1).logged(7), from(2).logged(7)));
        assert!(!differ(from(1).logged(7), from(2).logged(8)));
    }

    #[test]
    fn hashes_depend_on_order_and_number() {
        let hash = |roots: &[usize]| roots.iter().fold(0, |hash, &it| from(it).hashed_after(hash));
        let all = [&[][..], &[0], &[1], &[0, 1], &[1, 0], &[0, 0], &[0, 0, 0]].map(hash);
        for (at, one) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other != one), "{at}");
        }
        assert!(all[1..].iter().all(|&hash| number_of(0, hash) != 0));
    }

    /// Images that each name themselves, as often as they are told to, and then make a barrier; after that they agree.
    fn images(exchanges: [usize; 3]) -> Vec<Option<FlowDifference>> {
        let found = std::sync::Mutex::new(Vec::new());
        thread_images::run_with(Settings::default(), 3, 1, |image| {
            let set = image.executing();
            let levels = set.levels(image).unwrap();
            let area = levels.area().unwrap();
            for _ in 0..exchanges[area.position()] {
                let exchange = RingExchange::begin(area, image, from(area.position())).unwrap();
                exchange.line().unwrap();
                exchange.produce(1);
                exchange.done();
            }
            let differ = area.barrier_of(image, 0).unwrap() == Comparison::FlowsDiffer;
            found.lock().unwrap().push(differ.then(|| area.flows_that_differ()));
            // They have the same number again.
            for root in [2, 0, 1] {
                let exchange = RingExchange::begin(area, image, from(root)).unwrap();
                if area.position() == root {
                    exchange.line().unwrap();
                    exchange.produce(1);
                } else {
                    exchange.consume(root).unwrap();
                }
                exchange.done();
            }
            assert_eq!(area.find_flows_that_differ(), None);
            area.barrier(image).unwrap();
        })
        .unwrap();
        found.into_inner().unwrap()
    }

    #[test]
    fn all_members_find_that_their_flows_differ_and_go_on_alike() {
        let members = |flows| Some(FlowDifference { members: [Rank::new(0), Rank::new(1)], flows });
        assert_eq!(images([0, 0, 0]), [None; 3]);
        assert_eq!(images([1, 1, 1]), [members([Some(from(0)), Some(from(1))]); 3]);
        assert_eq!(images([20, 20, 0]), [members([Some(from(0)), Some(from(1))]); 3]);
        assert_eq!(images([0, 1, 0]), [members([None, Some(from(1))]); 3]);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::sync::Padded;
    use loom::sync::Arc;

    /// Two members that name different roots look for differences at their ends: one of them at least finds it.
    #[test]
    fn loom_the_second_member_at_its_end_finds_flows_that_differ() {
        loom::model(|| {
            let ring = || Ring {
                done: Padded(AtomicU64::new(0)),
                lines: std::array::from_fn(|_| crate::coll_area::layout::Slot {
                    epoch: AtomicU64::new(0),
                    data: std::array::from_fn(|_| AtomicU64::new(0)),
                }),
                flows: std::array::from_fn(|_| AtomicU64::new(0)),
            };
            let rings = Arc::new([ring(), ring()]);
            let run = |rings: &[Ring; 2], me: usize| {
                let flow = Flow::new(Direction::FromRoot, me, 0);
                // The stores of `RingExchange::done`.
                rings[me].flows[1].store(flow.logged(1), Ordering::Relaxed);
                rings[me].done.store(1, Ordering::Release);
                fence(Ordering::SeqCst);
                first_difference(&rings[me], &rings[1 - me], 0).is_some()
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
