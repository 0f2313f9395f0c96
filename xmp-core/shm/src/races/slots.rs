//! The slots of a granule: the accesses that one to come may conflict with.
//!
//! The first two belong to the owner of the segment: its last write and its last read. It enters them by plain stores
//! (`owner.rs`). Other images share the rest, where the owner keeps accesses that would leave its own slots too early.
//!
//! An image first writes its own access to a slot, then reads the others. Of two images that do this at the same time
//! at least one sees the other: there is a fence between the two steps, one for a block of granules. An access leaves
//! its slot when an access that is ordered after it covers it, because each conflict with the former is then a conflict
//! with the latter, or when all slots are in use. So a race may be missed where more than two accesses of other images
//! to a granule are unordered, and none is invented.

use super::access::{Access, BLOCK, GRANULE, SLOTS, bytes_within, is_alike};
use super::others::Others;
use crate::sync::{AtomicU64, Ordering, fence};
use std::ops::Range;

/// Those of the slots of a granule that belong to the owner of the segment.
pub const OWN: usize = 2;

/// The slots of a granule.
pub type Slots = [AtomicU64; SLOTS];

/// Enters an access to these bytes by an image that does not own the segment, and calls `found` with each access that
/// conflicts with it and is not ordered before it, with the number of the granule. `granules` are the granules of the
/// bytes; `mine.bytes` does not matter. `is_before` returns whether an access is ordered before, as accesses of the
/// same image are.
pub fn record(
    granules: &[Slots],
    bytes: Range<u64>,
    mine: Access,
    is_before: impl Fn(&Access) -> bool,
    mut found: impl FnMut(u64, Access),
) {
    let mut others = Others::new(&mine, &is_before);
    let mut first = bytes.start / GRANULE;
    for block in granules.chunks(BLOCK as usize) {
        let within = |at: usize| bytes_within((first + at as u64) * GRANULE, &bytes);
        let mut replaced = [None; BLOCK as usize];
        for (at, slots) in block.iter().enumerate() {
            let mine = Access { bytes: within(at), ..mine };
            replaced[at] = enter(slots, mine, &is_before);
        }
        // SeqCst: the other half of this fence is the same one of another image, here or in `owner.rs`. One of the two
        // fences is first; the image of the second one then sees the access that the first image has entered.
        fence(Ordering::SeqCst);
        for (at, (slots, replaced)) in block.iter().zip(replaced).enumerate() {
            let Some(replaced) = replaced else { continue };
            for (slot, word) in slots.iter().enumerate() {
                // Acquire: the site that the access belongs to was written before the access was entered.
                if let Some(other) = others.racing(slot, word.load(Ordering::Acquire), within(at)) {
                    found(first + at as u64, other);
                }
            }
            if let Some(other) = others.racing(SLOTS, replaced, within(at)) {
                found(first + at as u64, other);
            }
        }
        first += BLOCK;
    }
}

/// Enters an access in a slot that images share, and returns the word that it replaces. `None` if it is there already: then the other
/// ones have been looked at, too.
#[inline]
fn enter(slots: &Slots, mine: Access, is_before: &impl Fn(&Access) -> bool) -> Option<u64> {
    let shared = &slots[OWN..];
    let word = mine.to_word();
    // Acquire: as below.
    let first = shared[0].load(Ordering::Acquire);
    if is_alike(first, word) {
        if first == word {
            return None;
        }
        // The access of an earlier segment, mostly by the same statement. AcqRel and Relaxed: as below.
        if shared[0].compare_exchange(first, word, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            return Some(first);
        }
    }
    loop {
        let words: [u64; SLOTS - OWN] =
            std::array::from_fn(|at| shared[at].load(Ordering::Acquire));
        let (at, access) = place_for(&words, mine, is_before);
        let word = access.to_word();
        if words[at] == word {
            return None;
        }
        // AcqRel: publishes the site of this access, and sees the site of the access that it replaces. After a failure
        // all slots are read again, so no order is needed then.
        let entered =
            shared[at].compare_exchange(words[at], word, Ordering::AcqRel, Ordering::Relaxed);
        if entered.is_ok() {
            return Some(words[at]);
        }
    }
}

/// The slot for an access, and its new contents.
#[inline]
fn place_for(
    words: &[u64; SLOTS - OWN],
    mine: Access,
    is_before: &impl Fn(&Access) -> bool,
) -> (usize, Access) {
    let accesses = words.map(Access::from_word);
    let is_same =
        |it: &Access| (it.image, it.segment, it.kind) == (mine.image, mine.segment, mine.kind);
    for (at, former) in accesses.iter().enumerate() {
        if let Some(former) = former.as_ref().filter(|it| is_same(it)) {
            return (at, Access { bytes: mine.bytes | former.bytes, ..mine });
        }
    }
    let find = |wanted: &dyn Fn(&Access) -> bool| {
        accesses.iter().position(|access| access.as_ref().is_some_and(wanted))
    };
    let covered = |it: &Option<Access>| it.is_some_and(|it| mine.covers(&it) && is_before(&it));
    let at = (accesses.iter().position(covered))
        .or_else(|| words.iter().position(|&word| word == 0))
        .or_else(|| find(&|it| is_before(it) && !it.kind.writes()))
        .or_else(|| find(is_before))
        .unwrap_or(mine.segment as usize % words.len());
    (at, mine)
}
