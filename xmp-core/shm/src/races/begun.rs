//! Operations that this image has begun and not completed yet, such as collectives in the background. Their accesses last from the
//! statement that begins an operation to its completion.
//!
//! An access of another image conflicts with the operation unless it is ordered before the beginning or after the completion. So the
//! operation is entered twice: at its beginning, and at its completion with the clock of its beginning. Accesses of this image
//! itself in between are found by the list here.

use super::access::Kind;
use super::bytes::Bytes;
use super::sites::Site;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Ranges of bytes in their order, which do not overlap.
#[derive(Debug)]
struct Ranges(Vec<Bytes>);

impl Ranges {
    /// The ranges of the accesses of one kind.
    fn of(accesses: &[(Bytes, Kind)], kind: Kind) -> Ranges {
        let its = accesses.iter().filter(|(bytes, its)| *its == kind && bytes.len > 0);
        let mut all: Vec<Bytes> = its.map(|(bytes, _)| *bytes).collect();
        all.sort_unstable_by_key(|bytes| (bytes.of, bytes.offset));
        all.dedup_by(|next, last| {
            let joins = next.of == last.of && next.offset <= last.end();
            if joins {
                last.len = next.end().max(last.end()) - last.offset;
            }
            joins
        });
        Ranges(all)
    }

    /// The first byte that a range has in common with these ranges.
    fn first_of(&self, bytes: Bytes) -> Option<u64> {
        let end = |it: &Bytes| (it.of, it.end()) <= (bytes.of, bytes.offset);
        let it = self.0.get(self.0.partition_point(end))?;
        let overlaps = it.of == bytes.of && it.offset < bytes.end();
        overlaps.then(|| it.offset.max(bytes.offset))
    }
}

/// An operation in the background.
#[derive(Debug)]
pub struct BegunOperation {
    /// The statement that has begun it.
    pub(super) site: Site,
    /// The clock of the image when it began.
    pub(super) clock: Box<[u64]>,
    reads: Ranges,
    writes: Ranges,
}

impl BegunOperation {
    /// An operation that the statement at a site begins, with the clock of the image.
    pub(super) fn new(site: Site, clock: Box<[u64]>, accesses: &[(Bytes, Kind)]) -> BegunOperation {
        let [reads, writes] = [Kind::Read, Kind::Write].map(|kind| Ranges::of(accesses, kind));
        BegunOperation { site, clock, reads, writes }
    }

    /// Its accesses.
    pub(super) fn accesses(&self) -> impl Iterator<Item = (Bytes, Kind)> {
        let its = [(&self.reads, Kind::Read), (&self.writes, Kind::Write)];
        its.into_iter().flat_map(|(ranges, kind)| ranges.0.iter().map(move |&bytes| (bytes, kind)))
    }

    /// The first byte of an access that conflicts with the operation, and the kind of the operation's access to this byte.
    fn conflict(&self, bytes: Bytes, kind: Kind) -> Option<(u64, Kind)> {
        let its = [(&self.writes, Kind::Write), (&self.reads, Kind::Read)];
        let mut its = its.into_iter().filter(|(_, own)| own.conflicts(kind));
        its.find_map(|(ranges, own)| Some((ranges.first_of(bytes)?, own)))
    }
}

/// The operations of an image that are not complete.
#[derive(Debug, Default)]
pub struct BegunOperations {
    number: AtomicUsize,
    all: Mutex<Vec<Arc<BegunOperation>>>,
}

impl BegunOperations {
    /// Calls `found` with the first byte, the kind and the site of each operation that an access of this image conflicts with.
    pub fn conflicts(&self, bytes: Bytes, kind: Kind, found: impl FnMut((u64, Kind, Site))) {
        // Relaxed: the thread that begins operations sees its own ones. Others that access their memory meanwhile race with it.
        if self.number.load(Ordering::Relaxed) > 0 {
            self.look(bytes, kind, found);
        }
    }

    #[cold]
    fn look(&self, bytes: Bytes, kind: Kind, found: impl FnMut((u64, Kind, Site))) {
        // `found` may name the statements, which takes long.
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let conflict = |it: &Arc<BegunOperation>| {
            it.conflict(bytes, kind).map(|(offset, its)| (offset, its, it.site))
        };
        all.iter().filter_map(conflict).for_each(found);
    }

    /// Changes the list.
    pub(super) fn change(&self, change: impl FnOnce(&mut Vec<Arc<BegunOperation>>)) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut all);
        self.number.store(all.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Rank;

    fn bytes(of: u32, offset: u64, len: u64) -> Bytes {
        Bytes { of: Rank::new(of), offset, len }
    }

    #[test]
    fn ranges_that_touch_are_one_and_overlaps_are_found() {
        let read = |of, offset, len| (bytes(of, offset, len), Kind::Read);
        let accesses = [read(1, 40, 8), read(0, 8, 8), read(1, 44, 20), read(1, 64, 0)];
        let ranges = Ranges::of(&accesses, Kind::Read);
        assert_eq!(ranges.0, [bytes(0, 8, 8), bytes(1, 40, 24)]);
        assert!(Ranges::of(&accesses, Kind::Write).0.is_empty());
        for (of, offset, len, first) in [
            (0, 0, 8, None),
            (0, 0, 9, Some(8)),
            (0, 15, 9, Some(15)),
            (0, 16, 100, None),
            (1, 0, 100, Some(40)),
            (1, 63, 1, Some(63)),
            (1, 64, 1, None),
            (2, 40, 8, None),
        ] {
            assert_eq!(ranges.first_of(bytes(of, offset, len)), first, "{of}, {offset}, {len}");
        }
    }

    #[test]
    fn an_operation_conflicts_with_what_it_reads_only_if_that_is_written() {
        let operation = BegunOperation {
            site: Site::UNKNOWN,
            clock: Box::default(),
            reads: Ranges(vec![bytes(0, 0, 16)]),
            writes: Ranges(vec![bytes(0, 32, 16)]),
        };
        assert_eq!(operation.conflict(bytes(0, 8, 8), Kind::Read), None);
        assert_eq!(operation.conflict(bytes(0, 8, 8), Kind::AtomicWrite), Some((8, Kind::Read)));
        assert_eq!(operation.conflict(bytes(0, 8, 80), Kind::Read), Some((32, Kind::Write)));
    }
}
