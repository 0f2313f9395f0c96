//! The slots of a granule: the accesses that one to come may conflict with.
//!
//! The first two belong to the owner of the segment: its last write and its last read. It enters them by plain stores
//! (`owner.rs`). Other images share the rest, and the owner keeps there what would leave its own slots too early.
//!
//! An image first writes its own access to a slot, then looks at the others. Of two images that do this at the same time
//! at least one sees the other: a fence stands between the two steps. An access leaves its slot when one that is ordered
//! after it covers it, because what conflicts with the former then conflicts with the latter, or when all slots are in
//! use. So a race may be missed where more than two accesses of other images to a granule are unordered, and none is invented.

use super::access::Access;
use crate::sync::{AtomicU64, Ordering, fence};

/// Slots of a granule.
pub const SLOTS: usize = 4;
/// Those of them that belong to the owner of the segment.
pub const OWN: usize = 2;

/// The slots of a granule.
pub type Slots = [AtomicU64; SLOTS];

/// Enters an access by an image that does not own the segment, and calls `found` with those that conflict with it and are not
/// before it. `is_before` says whether an access is ordered before; those of the same image are.
pub fn record(
    slots: &Slots,
    mine: Access,
    is_before: impl Fn(&Access) -> bool,
    found: impl FnMut(Access),
) {
    let replaced = enter(slots, mine, &is_before);
    // SeqCst: the other half of this fence is the same one of another image, here or in `owner.rs`. One of the two fences is
    // first; the image of the second one then sees what the first image has entered.
    fence(Ordering::SeqCst);
    // Acquire: the site that the access belongs to was written before the access was entered.
    let words = slots.iter().map(|slot| slot.load(Ordering::Acquire)).chain([replaced]);
    let others = words.filter_map(Access::from_word);
    others.filter(|other| other.conflicts(&mine) && !is_before(other)).for_each(found);
}

/// Enters an access in a slot that images share, and returns the word that it replaces.
fn enter(slots: &Slots, mine: Access, is_before: &impl Fn(&Access) -> bool) -> u64 {
    let shared = &slots[OWN..];
    loop {
        let words: [u64; SLOTS - OWN] =
            std::array::from_fn(|at| shared[at].load(Ordering::Acquire));
        let (at, access) = place_for(&words, mine, is_before);
        // AcqRel: publishes the site of this access, and sees that of the one that it replaces. After a failure all is
        // looked at again, so nothing is needed then.
        let entered = shared[at].compare_exchange(
            words[at],
            access.to_word(),
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        if entered.is_ok() {
            return words[at];
        }
    }
}

/// The slot for an access, and what it then holds.
fn place_for(
    words: &[u64; SLOTS - OWN],
    mine: Access,
    is_before: &impl Fn(&Access) -> bool,
) -> (usize, Access) {
    let accesses = words.map(Access::from_word);
    let find = |wanted: &dyn Fn(&Access) -> bool| {
        accesses.iter().position(|access| access.as_ref().is_some_and(wanted))
    };
    let is_same =
        |it: &Access| (it.image, it.segment, it.kind) == (mine.image, mine.segment, mine.kind);
    if let Some((at, former)) = find(&is_same).and_then(|at| Some((at, accesses[at]?))) {
        return (at, Access { bytes: mine.bytes | former.bytes, ..mine });
    }
    let at = find(&|it| mine.covers(it) && is_before(it))
        .or_else(|| words.iter().position(|&word| word == 0))
        .or_else(|| find(&|it| is_before(it) && !it.kind.writes()))
        .or_else(|| find(is_before))
        .unwrap_or(mine.segment as usize % words.len());
    (at, mine)
}
