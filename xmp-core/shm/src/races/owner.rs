//! Accesses of an image to its own memory: most of all, and ranges of them. Only this image changes its two slots of a
//! granule, so it needs no atomic update, and one fence serves a block of granules. A block that it has entered as a whole is not
//! looked at again in the same segment.

use super::access::{Access, GRANULE, Kind, bytes_within};
use super::slots::{OWN, Slots};
use crate::sync::{AtomicU32, Ordering, fence};
use std::ops::Range;

/// Granules of a block: bits of a word.
pub const BLOCK: u64 = u64::BITS as u64;

/// The last segments in which the owner has read and has written all bytes of a block. Only the owner uses it.
#[derive(Debug)]
#[repr(C)]
pub struct Block {
    read: AtomicU32,
    written: AtomicU32,
}

impl Block {
    /// Whether the owner has entered an access to the whole block in this segment that covers one of this kind.
    fn is_entered(&self, segment: u64, kind: Kind) -> bool {
        // Relaxed, here and below: this image has stored them.
        let is_in = |word: &AtomicU32| u64::from(word.load(Ordering::Relaxed)) == segment;
        is_in(&self.written) || (!kind.writes() && is_in(&self.read))
    }

    fn enter(&self, segment: u64, kind: Kind) {
        let word = match kind {
            Kind::Read => &self.read,
            Kind::Write => &self.written,
            // They do not cover all kinds.
            Kind::AtomicRead | Kind::AtomicWrite => return,
        };
        word.store(segment as u32, Ordering::Relaxed);
    }

    /// One that has no access.
    #[cfg(all(test, loom))]
    pub fn new() -> Block {
        Block { read: AtomicU32::new(0), written: AtomicU32::new(0) }
    }
}

/// The shadow of a part of the owner's memory.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// The number of the first granule.
    pub first: u64,
    /// The slots from this granule on.
    pub granules: &'a [Slots],
    /// The blocks from the one with this granule on.
    pub blocks: &'a [Block],
}

/// Enters an access of the owner to these bytes, and calls `found` with those that conflict with it and are not before it,
/// with the number of the granule. `mine.bytes` does not matter.
pub fn record(
    own: Own<'_>,
    bytes: Range<u64>,
    mine: Access,
    is_before: impl Fn(&Access) -> bool,
    mut found: impl FnMut(u64, Access),
) {
    let (mut first, end) = (own.first, own.first + own.granules.len() as u64);
    while first < end {
        let number = first / BLOCK;
        let last = ((number + 1) * BLOCK).min(end);
        let block = &own.blocks[(number - own.first / BLOCK) as usize];
        if !block.is_entered(mine.segment, mine.kind) {
            let slots = &own.granules[(first - own.first) as usize..(last - own.first) as usize];
            record_block(first, slots, &bytes, mine, &is_before, &mut found);
            let whole = number * BLOCK * GRANULE..(number + 1) * BLOCK * GRANULE;
            if bytes.start <= whole.start && whole.end <= bytes.end {
                block.enter(mine.segment, mine.kind);
            }
        }
        first = last;
    }
}

/// Enters an access to the granules of a block, of which the first one has this number.
fn record_block(
    first: u64,
    slots: &[Slots],
    bytes: &Range<u64>,
    mine: Access,
    is_before: &impl Fn(&Access) -> bool,
    found: &mut impl FnMut(u64, Access),
) {
    let mine = |granule: u64| Access { bytes: bytes_within(granule * GRANULE, bytes), ..mine };
    let mut entered = 0u64;
    for (at, (granule, slots)) in (first..).zip(slots).enumerate() {
        entered |= u64::from(enter(slots, mine(granule))) << at;
    }
    if entered == 0 {
        return;
    }
    // SeqCst: see `slots::record`, whose fence is the other half.
    fence(Ordering::SeqCst);
    for (at, (granule, slots)) in (first..).zip(slots).enumerate() {
        // Acquire: the site that the access belongs to was written before the access was entered.
        let words = [slots[OWN].load(Ordering::Acquire), slots[OWN + 1].load(Ordering::Acquire)];
        if words == [0; 2] || entered & 1 << at == 0 {
            continue;
        }
        let mine = mine(granule);
        let others = words.into_iter().filter_map(Access::from_word);
        let conflicting = others.filter(|other| other.conflicts(&mine) && !is_before(other));
        conflicting.for_each(|other| found(granule, other));
    }
}

/// Enters an access in the owner's slots of a granule. False where they have one of the same segment that covers it: then
/// the other images have been looked at already.
#[inline]
fn enter(slots: &Slots, mine: Access) -> bool {
    // Relaxed: this image has stored them. Its threads may lose what another one stores at the same time: a race may be
    // missed then.
    let former = |at: usize| Access::from_word(slots[at].load(Ordering::Relaxed));
    let is_entered = |former: Access| former.segment == mine.segment && former.covers(&mine);
    let at = usize::from(!mine.kind.writes());
    let old = former(at);
    if old.is_some_and(is_entered) || (at > 0 && former(0).is_some_and(is_entered)) {
        return false;
    }
    let access = match old {
        Some(old) if old.segment == mine.segment && old.kind == mine.kind => {
            Access { bytes: mine.bytes | old.bytes, ..mine }
        }
        Some(old) => {
            if !mine.covers(&old) {
                keep(slots, old);
            }
            mine
        }
        None => mine,
    };
    // Release: the site of this access.
    slots[at].store(access.to_word(), Ordering::Release);
    true
}

/// Keeps an access of the owner in a slot that images share, if one is free or has one of the owner that it covers.
#[cold]
fn keep(slots: &Slots, old: Access) {
    for slot in &slots[OWN..] {
        // Relaxed: only compared. What it replaces is the owner's own.
        let word = slot.load(Ordering::Relaxed);
        let is_free =
            Access::from_word(word).is_none_or(|it| it.image == old.image && old.covers(&it));
        // Release: the site of this access. Relaxed after a failure: the next slot is tried.
        if is_free
            && slot
                .compare_exchange(word, old.to_word(), Ordering::Release, Ordering::Relaxed)
                .is_ok()
        {
            return;
        }
    }
}
