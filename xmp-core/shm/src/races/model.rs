//! Loom models of slots and records of statements.

use super::access::{Access, Kind};
use super::slots::{SLOTS, record};
use super::statements;
use crate::sync::AtomicU64;
use loom::sync::Arc;
use loom::thread;

fn access(image: u32, bytes: u8, kind: Kind) -> Access {
    Access { image, number: 4, bytes, kind }
}

/// Two images access a granule at the same time: at least one of them finds the other.
fn one_finds_the_other(former: [u64; SLOTS], accesses: [Access; 2]) {
    loom::model(move || {
        let slots: Arc<[AtomicU64; SLOTS]> = Arc::new(former.map(AtomicU64::new));
        let theirs = slots.clone();
        let [first, second] = accesses;
        let other = thread::spawn(move || record(&theirs, first, |it| it.image == first.image));
        let found = record(&slots, second, |it| it.image == second.image);
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
    let former = std::array::from_fn(|at| access(2 + at as u32, 0x80, Kind::Read).to_word());
    one_finds_the_other(former, [access(0, 1, Kind::Write), access(1, 1, Kind::AtomicWrite)]);
}

#[test]
fn loom_the_addresses_of_a_statement_are_those_of_its_number() {
    loom::model(|| {
        let words: Arc<[AtomicU64; 3]> = Arc::new(std::array::from_fn(|_| AtomicU64::new(0)));
        statements::write(&*words, 1, &[11, 12]);
        let theirs = words.clone();
        let writer = thread::spawn(move || statements::write(&*theirs, 2, &[21, 22]));
        for (number, callers) in [(1, [11, 12]), (2, [21, 22])] {
            if let Some(found) = statements::read(&*words, number) {
                assert_eq!(found, callers);
            }
        }
        writer.join().unwrap();
        assert_eq!(statements::read(&*words, 2), Some(vec![21, 22]));
    });
}
