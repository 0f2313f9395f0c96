//! Loom models of ring exchanges, with rings of two lines.

use super::*;
use crate::coll_area::barrier::can_be_made;
use crate::error::Error;
use crate::job::page::{Status, Waiting};
use crate::rank::Rank;
use crate::sync::{AtomicU32, Padded};
use crate::wait::Doorbell;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use std::cell::Cell;

struct Shared {
    rings: Vec<Ring>,
    gate: Release,
    doorbells: Vec<Doorbell>,
    status: Status,
    /// The content of each member's lines.
    data: Vec<[UnsafeCell<u64>; RING]>,
}

impl Shared {
    fn new(members: usize) -> Shared {
        let slot =
            || Slot { epoch: AtomicU64::new(0), data: std::array::from_fn(|_| AtomicU64::new(0)) };
        let ring =
            || Ring { done: Padded(AtomicU64::new(0)), lines: std::array::from_fn(|_| slot()) };
        Shared {
            rings: (0..members).map(|_| ring()).collect(),
            gate: Release {
                epochs: AtomicU64::new(0),
                differs: AtomicU64::new(0),
                sleepers: AtomicU32::new(0),
            },
            doorbells: (0..members).map(|_| Doorbell::default()).collect(),
            status: Status::default(),
            data: (0..members).map(|_| std::array::from_fn(|_| UnsafeCell::new(0))).collect(),
        }
    }

    /// One ring exchange of a member.
    fn exchange(
        &self,
        me: usize,
        number: u64,
        room: &Cell<u64>,
        part: Part,
        watch: impl Fn() -> Result<()>,
    ) -> Result<()> {
        let exchange = MemberExchange {
            rings: &self.rings,
            gate: &self.gate,
            me,
            number,
            waits: || {
                let waiting = Waiting { spin_ns: 0, yields: 0, crowded: 1 };
                Waits::new(&self.doorbells[me], &self.status, waiting, None)
            },
            watch,
            ring: || self.doorbells.iter().for_each(Doorbell::ring_if_parked),
        };
        if part.produces {
            if number > room.get() {
                room.set(exchange.make_room()?);
            }
            // SAFETY: loom reports a read of this line while it is written.
            self.data[me][place(number)].with_mut(|data| unsafe { *data = number });
            exchange.produce(number as u32 + 7);
        }
        for &from in part.sources {
            exchange.wait_for(from)?;
            // SAFETY: loom reports a write of this line while it is read.
            assert_eq!(self.data[from][place(number)].with(|data| unsafe { *data }), number);
        }
        exchange.done();
        Ok(())
    }
}

/// The part of a member in a ring exchange: whether it produces, and the members whose lines it consumes.
#[derive(Clone, Copy)]
struct Part {
    produces: bool,
    sources: &'static [usize],
}

/// A producer that consumes nothing.
const PRODUCER: Part = Part { produces: true, sources: &[] };

/// A consumer of the lines of these members.
const fn consumer(sources: &'static [usize]) -> Part {
    Part { produces: false, sources }
}

/// `ring_exchanges` ring exchanges. Rings are full after two.
fn model(members: usize, ring_exchanges: u64, part: fn(usize, u64) -> Part) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(if members > 2 { 1 } else { 2 });
    builder.check(move || {
        let shared = Arc::new(Shared::new(members));
        let run = move |shared: &Shared, me: usize| {
            let room = Cell::new(0);
            for number in 1..=ring_exchanges {
                shared.exchange(me, number, &room, part(me, number), || Ok(())).unwrap();
            }
        };
        let threads: Vec<_> = (1..members)
            .map(|me| {
                let shared = shared.clone();
                loom::thread::spawn(move || run(&shared, me))
            })
            .collect();
        run(&shared, 0);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// The root reaches the end of its ring and starts over.
#[test]
fn loom_a_root_that_runs_ahead_overwrites_nothing() {
    model(2, 4, |me, _| if me == 0 { PRODUCER } else { consumer(&[0]) });
}

#[test]
fn loom_one_root_and_two_others() {
    model(3, 3, |me, _| if me == 0 { PRODUCER } else { consumer(&[0]) });
}

/// Members that produce in turn reach the same line again after others have used theirs.
#[test]
fn loom_roots_take_turns() {
    model(2, 4, |me, number| {
        if me as u64 == number % 2 { PRODUCER } else { consumer(if me == 0 { &[1] } else { &[0] }) }
    });
}

/// As in a reduction to one image.
#[test]
fn loom_two_producers_and_one_consumer() {
    model(3, 3, |me, _| if me == 0 { consumer(&[1, 2]) } else { PRODUCER });
}

/// The other member ends after its first exchange: the root gets the error when its ring is full, and does not hang.
#[test]
fn loom_a_root_learns_of_an_end_when_its_ring_is_full() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let shared = Arc::new(Shared::new(2));
        let other = {
            let shared = shared.clone();
            loom::thread::spawn(move || {
                shared.exchange(1, 1, &Cell::new(0), consumer(&[0]), || Ok(())).unwrap();
                shared.status.epoch.fetch_add(1, Ordering::Release);
                shared.doorbells.iter().for_each(Doorbell::ring);
            })
        };
        let room = Cell::new(0);
        let ended = || match shared.status.epoch.load(Ordering::Acquire) {
            0 => Ok(()),
            _ => Err(Error::FailedImage(Rank::new(1))),
        };
        let failed =
            (1..=5).find(|&number| shared.exchange(0, number, &room, PRODUCER, ended).is_err());
        // Lines of the third half are those of the first, which the other member has completed.
        assert_eq!(failed, Some(4));
        other.join().unwrap();
    });
}

/// One member produces, if `produces`, and ends. The other one consumes.
fn one_producer_ends(produces: bool) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let shared = Arc::new(Shared::new(2));
        let producer = {
            let shared = shared.clone();
            loom::thread::spawn(move || {
                if produces {
                    shared.exchange(1, 1, &Cell::new(0), PRODUCER, || Ok(())).unwrap();
                }
                shared.status.epoch.fetch_add(1, Ordering::Release);
                shared.doorbells.iter().for_each(Doorbell::ring);
            })
        };
        // The check of `RingExchange::watch`.
        let watch = || {
            let done = |at: usize| shared.rings[at].done.load(Ordering::Acquire) >= 1;
            let ended = |at| match shared.status.epoch.load(Ordering::Acquire) {
                1 if at == 1 => Err(Error::StoppedImage(Rank::new(1))),
                _ => Ok(()),
            };
            can_be_made(2, done, ended, |_| Ok(()))
        };
        let outcome =
            watch().and_then(|()| shared.exchange(0, 1, &Cell::new(0), consumer(&[1]), watch));
        assert_eq!(outcome.is_ok(), produces);
        producer.join().unwrap();
    });
}

#[test]
fn loom_a_line_is_consumed_though_its_producer_has_ended() {
    one_producer_ends(true);
}

#[test]
fn loom_an_end_without_a_line_is_an_error() {
    one_producer_ends(false);
}
