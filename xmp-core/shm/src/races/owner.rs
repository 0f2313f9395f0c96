//! Accesses of an image to its own memory: most of all, and ranges of them. Only this image changes its two slots of a
//! granule, so it needs no atomic update, and one fence serves a block of granules. Granules that it has entered are not looked at
//! again in the same segment.

use super::access::{Access, BLOCK, GRANULE, Kind, bytes_within};
use super::others::Others;
use super::slots::{OWN, Slots};
use crate::sync::{AtomicU64, Ordering, fence};
use std::ops::Range;

/// All bytes of a granule.
const ALL_BYTES: u8 = 0xff;

/// The accesses of the owner to a block of granules in a segment. Only the owner uses it. Threads of the owner may lose
/// a concurrent store of another one: then a granule is entered once more, or in the first accesses of a segment a race
/// may be missed.
#[derive(Debug)]
#[repr(C)]
pub struct Block {
    segment: AtomicU64,
    /// The granules of which it has read, and has written, all bytes: a bit each.
    read: AtomicU64,
    written: AtomicU64,
}

impl Block {
    /// The granules of these that the owner has not accessed in this segment by an access that covers this kind.
    fn missing(&self, segment: u64, granules: u64, kind: Kind) -> u64 {
        // Relaxed, here and below: this image has stored them.
        if self.segment.load(Ordering::Relaxed) != segment {
            self.read.store(0, Ordering::Relaxed);
            self.written.store(0, Ordering::Relaxed);
            self.segment.store(segment, Ordering::Relaxed);
            return granules;
        }
        let written = self.written.load(Ordering::Relaxed);
        let read = if kind.writes() { 0 } else { self.read.load(Ordering::Relaxed) };
        granules & !(written | read)
    }

    /// The owner has accessed all bytes of these granules.
    fn enter(&self, granules: u64, kind: Kind) {
        let bits = match kind {
            Kind::Read => &self.read,
            Kind::Write => &self.written,
            // They do not cover all kinds.
            Kind::AtomicRead | Kind::AtomicWrite => return,
        };
        bits.store(bits.load(Ordering::Relaxed) | granules, Ordering::Relaxed);
    }

    /// One that has no access.
    #[cfg(all(test, loom))]
    pub fn new() -> Block {
        let [segment, read, written] = [(); 3].map(|()| AtomicU64::new(0));
        Block { segment, read, written }
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
    let mut others = Others::new(&mine, &is_before);
    let (mut first, end) = (own.first, own.first + own.granules.len() as u64);
    let whole = bytes.start.div_ceil(GRANULE)..bytes.end / GRANULE;
    for block in own.blocks {
        let start = first / BLOCK * BLOCK;
        let last = (start + BLOCK).min(end);
        if first >= last {
            return;
        }
        let in_block = |granules: Range<u64>| {
            let within = |granule: u64| granule.clamp(start, last) - start;
            bits(within(granules.start)..within(granules.end))
        };
        let missing = block.missing(mine.segment, in_block(first..last), mine.kind);
        if missing != 0 {
            let whole = missing & in_block(whole.clone());
            // Bits from the first granule on that is accessed.
            let shift = first - start;
            let slots = &own.granules[(first - own.first) as usize..(last - own.first) as usize];
            let within = |at: usize| bytes_within((first + at as u64) * GRANULE, &bytes);
            let entered = enter_block(missing >> shift, whole >> shift, slots, mine, within);
            look(entered, slots, &mut others, |at, other| {
                if other.bytes & within(at) != 0 {
                    found(first + at as u64, other);
                }
            });
            block.enter(whole, mine.kind);
        }
        first = last;
    }
}

/// The bits with these numbers, up to 64.
fn bits(numbers: Range<u64>) -> u64 {
    let below = |number: u64| if number < BLOCK { (1 << number) - 1 } else { u64::MAX };
    below(numbers.end) & !below(numbers.start)
}

/// The ranges of bits that are set.
fn ranges(mut bits: u64) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let start = bits.trailing_zeros();
        if start == u64::BITS {
            return None;
        }
        let end = start + (bits >> start).trailing_ones();
        bits = bits.checked_shr(end).map_or(0, |rest| rest << end);
        Some(start as usize..end as usize)
    })
}

/// Enters an access to granules of a block, and returns those in which it is new. Of `whole` all bytes are accessed.
fn enter_block(
    granules: u64,
    whole: u64,
    slots: &[Slots],
    mine: Access,
    bytes: impl Fn(usize) -> u8,
) -> u64 {
    let is_plain = matches!(mine.kind, Kind::Read | Kind::Write);
    let at_once = if is_plain { whole } else { 0 };
    let word = Access { bytes: ALL_BYTES, ..mine }.to_word();
    let slot = slot_of(mine.kind);
    for slots in ranges(at_once).flat_map(|range| &slots[range]) {
        // It covers whatever is there. Release: the site of this access.
        slots[slot].store(word, Ordering::Release);
    }
    let mut entered = at_once;
    for at in ranges(granules & !at_once).flatten() {
        let is_new = enter(&slots[at], Access { bytes: bytes(at), ..mine });
        entered |= u64::from(is_new) << at;
    }
    entered
}

/// Calls `found` with the accesses of other images to these granules that are a race with the access of this image, if
/// their bytes are the same.
fn look<B: Fn(&Access) -> bool>(
    granules: u64,
    slots: &[Slots],
    others: &mut Others<'_, B>,
    mut found: impl FnMut(usize, Access),
) {
    if granules == 0 {
        return;
    }
    // SeqCst: see `slots::record`, whose fence is the other half.
    fence(Ordering::SeqCst);
    for range in ranges(granules) {
        for (at, slots) in range.clone().zip(&slots[range]) {
            for (slot, word) in slots.iter().enumerate().skip(OWN) {
                // Acquire: the site that the access belongs to was written before the access was entered.
                let word = word.load(Ordering::Acquire);
                if let Some(other) = others.racing(slot, word, ALL_BYTES) {
                    found(at, other);
                }
            }
        }
    }
}

/// The slot of the owner for accesses of a kind.
fn slot_of(kind: Kind) -> usize {
    usize::from(!kind.writes())
}

/// Enters an access in the owner's slots of a granule. False where they have one of the same segment that covers it: then
/// the other images have been looked at already.
#[inline]
fn enter(slots: &Slots, mine: Access) -> bool {
    // Relaxed: this image has stored them. Its threads may lose a concurrent store of another one: a race may be missed
    // then.
    let former = |at: usize| Access::from_word(slots[at].load(Ordering::Relaxed));
    let is_entered = |former: Access| former.segment == mine.segment && former.covers(&mine);
    let at = slot_of(mine.kind);
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
