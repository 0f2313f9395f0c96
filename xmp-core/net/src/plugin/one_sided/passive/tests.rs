//! Networks that are made to write without the target, with it, or too early.

use super::*;
use crate::server::Window;
use crate::server::in_process::{InProcess, Network, Shim};
use std::sync::Mutex;

/// When a stand-in for a network writes what was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    /// At once, as adapters do.
    AtOnce,
    /// When the target tests an operation, as MPI does over TCP.
    ByTarget,
    /// Before the target is silent.
    TooEarly,
    /// Half of it.
    Half,
}

/// Words to write, and where.
type Late = Mutex<Vec<(usize, u64)>>;

/// A fabric with a window of a target in this process.
#[derive(Debug)]
struct StandIn<'a> {
    messages: InProcess,
    writes: Writes,
    target: &'a [AtomicU64],
    late: &'a Late,
    is_target: bool,
}

impl StandIn<'_> {
    fn deliver(&self) {
        for (at, word) in self.late.lock().unwrap().drain(..) {
            self.target[at].store(word, Ordering::Release);
        }
    }
}

impl Fabric for StandIn<'_> {
    fn rank(&self) -> Rank {
        self.messages.rank()
    }
    unsafe fn send(&mut self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        if self.writes == Writes::TooEarly {
            self.target[..WORDS].iter().for_each(|word| word.store(MARK, Ordering::Release));
        }
        // SAFETY: the caller's promise.
        unsafe { self.messages.send(to, tag, bytes) }
    }
    unsafe fn receive(&mut self, from: Rank, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the caller's promise.
        unsafe { self.messages.receive(from, tag, bytes) }
    }
    unsafe fn receive_any(&mut self, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        // SAFETY: the caller's promise.
        unsafe { self.messages.receive_any(tag, bytes) }
    }
    fn test(&mut self, op: Op) -> Result<Option<(Rank, usize)>> {
        if self.is_target {
            self.deliver();
        }
        self.messages.test(op)
    }
    fn cancel(&mut self, op: Op) -> Result<bool> {
        self.messages.cancel(op)
    }
    fn window(&mut self) -> Option<&mut dyn Window> {
        Some(self)
    }
}

impl Window for StandIn<'_> {
    unsafe fn put(&mut self, leader: Rank, offset: u64, bytes: *const [u8]) -> Result<Op> {
        // SAFETY: valid until the operation is over (contract of this method).
        let words = unsafe { &*bytes }.chunks_exact(8);
        let words = words.map(|word| u64::from_ne_bytes(word.try_into().unwrap()));
        let count = words.len();
        let words = words.enumerate().map(|(at, word)| (offset as usize / 8 + at, word));
        let half = if self.writes == Writes::Half { count / 2 } else { count };
        self.late.lock().unwrap().extend(words.take(half));
        if self.writes != Writes::ByTarget {
            self.deliver();
        }
        let none: [u8; 0] = [];
        // SAFETY: no bytes. A message that nothing receives, for an operation that is over at once.
        unsafe { self.messages.send(leader, Tag::REPLY, &none[..]) }
    }
    unsafe fn get(&mut self, _: Rank, _: u64, _: *mut [u8]) -> Result<Op> {
        unreachable!("nothing is got")
    }
    fn flush(&mut self, _: Rank) -> Result<()> {
        Ok(())
    }
}

#[test]
fn only_what_the_network_writes_to_a_silent_target_counts() {
    let is_found = |writes| {
        let scratch = Scratch::new(true);
        let (network, late) = (Network::new(2, Shim::default()), Late::default());
        let end = |rank: u32| StandIn {
            messages: network.fabric(Rank::new(rank)),
            writes,
            target: &scratch.0,
            late: &late,
            is_target: rank == 1,
        };
        let (mut first, mut second) = (end(0), end(1));
        std::thread::scope(|scope| {
            let origin = scope.spawn(move || put(&mut first, Rank::new(1)));
            let found = arrives(&mut second, Rank::new(0), &scratch).unwrap();
            origin.join().unwrap().unwrap();
            found
        })
    };
    // The origin may not get a core while the target looks.
    assert!((0..1000).any(|_| is_found(Writes::AtOnce)));
    for writes in [Writes::ByTarget, Writes::TooEarly, Writes::Half] {
        assert!(!is_found(writes), "{writes:?}");
    }
}

#[test]
fn a_process_that_leads_no_host_opens_no_memory() {
    assert_eq!((Scratch::new(false).len(), Scratch::new(true).len()), (0, 8 * WINDOW));
}

#[test]
fn memory_is_resident_once_it_was_written() {
    let scratch = Scratch::new(true);
    assert!(!scratch.is_mostly_resident() && !Scratch::new(false).is_mostly_resident());
    scratch.0.iter().for_each(|word| word.store(1, Ordering::Relaxed));
    assert!(scratch.is_mostly_resident());
}

#[test]
fn memory_that_the_allocator_has_used_before_is_untouched() {
    // The first one makes the allocator keep memory of this length, the second one is in it.
    (0..2).for_each(|_| drop(std::hint::black_box(vec![1u8; 17 << 20])));
    assert!(!Scratch::new(true).is_mostly_resident());
}
