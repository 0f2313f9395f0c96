//! Loom models of slots.

use super::access::{Access, Kind, SLOTS};
use super::owner::{self, Block, Own};
use super::slots::{self, OWN, Slots};
use crate::sync::AtomicU64;
use loom::sync::Arc;
use loom::thread;
use std::ops::Range;

/// The accesses that another image or the owner finds.
fn found_by(record: impl FnOnce(&mut dyn FnMut(Access))) -> Option<Access> {
    let mut first = None;
    record(&mut |other| first = first.or(Some(other)));
    first
}

fn access(image: u32, bytes: u8, kind: Kind) -> Access {
    Access { image, segment: 4, site: 1, bytes, kind }
}

/// An image that does not own it accesses a granule.
fn record(slots: &Slots, mine: Access, found: &mut dyn FnMut(Access)) {
    let bytes = mine.bytes.trailing_zeros().into()..(8 - mine.bytes.leading_zeros()).into();
    let granule = std::slice::from_ref(slots);
    slots::record(granule, bytes, mine, |it| it.image == mine.image, |_, other| found(other));
}

/// Two images access a granule at the same time: at least one of them finds the other.
fn one_finds_the_other(former: [u64; SLOTS], accesses: [Access; 2]) {
    loom::model(move || {
        let slots: Arc<[AtomicU64; SLOTS]> = Arc::new(former.map(AtomicU64::new));
        let theirs = slots.clone();
        let [first, second] = accesses;
        let other = thread::spawn(move || found_by(|found| record(&theirs, first, found)));
        let found = found_by(|found| record(&slots, second, found));
        let found = [other.join().unwrap(), found];
        assert!(found.contains(&Some(first)) || found.contains(&Some(second)), "{found:?}");
    });
}

#[test]
fn loom_one_of_two_writers_finds_the_other() {
    one_finds_the_other([0; SLOTS], [access(0, 0xff, Kind::Write), access(1, 0xff, Kind::Write)]);
}

#[test]
fn loom_a_reader_or_a_writer_finds_the_other() {
    one_finds_the_other([0; SLOTS], [access(0, 0x0f, Kind::Read), access(1, 0x3c, Kind::Write)]);
}

/// All slots are in use, so that both images want the same one.
#[test]
fn loom_an_access_that_loses_its_slot_is_found() {
    let former = std::array::from_fn(|at| match at {
        0..OWN => 0,
        _ => access(2 + at as u32, 0x80, Kind::Read).to_word(),
    });
    one_finds_the_other(former, [access(0, 1, Kind::Write), access(1, 1, Kind::AtomicWrite)]);
}

/// The owner accesses these bytes of the one granule that there is.
fn record_own(slots: &[Slots; 1], bytes: Range<u64>, own: Access) -> Option<Access> {
    let blocks = [Block::new()];
    let shadow = Own { first: 0, granules: slots, blocks: &blocks };
    found_by(|found| {
        owner::record(shadow, bytes, own, |it| it.image == own.image, |_, other| found(other));
    })
}

/// The owner and another image access the bytes of a granule at the same time: at least one of them finds the other.
fn one_of_owner_and_other_finds_the_other(former: [u64; SLOTS], own: Access, other: Access) {
    loom::model(move || {
        let slots: Arc<[Slots; 1]> = Arc::new([former.map(AtomicU64::new)]);
        let theirs = slots.clone();
        let accessing = thread::spawn(move || found_by(|found| record(&theirs[0], other, found)));
        let found = record_own(&slots, 0..8, own);
        let found = [accessing.join().unwrap(), found];
        assert!(found.contains(&Some(own)) || found.contains(&Some(other)), "{found:?}");
    });
}

#[test]
fn loom_the_owner_or_another_image_finds_the_other() {
    for (own, other) in [(Kind::Read, Kind::Write), (Kind::Write, Kind::Read)] {
        let accesses = (access(0, 0xff, own), access(1, 0x0f, other));
        one_of_owner_and_other_finds_the_other([0; SLOTS], accesses.0, accesses.1);
    }
}

/// An access of the owner that leaves its slot for one of other bytes is found by another image meanwhile.
#[test]
fn loom_an_access_that_the_owner_keeps_is_found() {
    loom::model(|| {
        let old = Access { segment: 3, ..access(0, 0x0f, Kind::Write) };
        let words = [old.to_word(), 0, 0, 0].map(AtomicU64::new);
        let slots: Arc<[Slots; 1]> = Arc::new([words]);
        let theirs = slots.clone();
        let mine = access(1, 0x0f, Kind::Read);
        let reading = thread::spawn(move || found_by(|found| record(&theirs[0], mine, found)));
        record_own(&slots, 4..8, access(0, 0, Kind::Write));
        assert_eq!(reading.join().unwrap(), Some(old));
    });
}
