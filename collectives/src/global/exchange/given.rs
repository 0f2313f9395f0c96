//! What an image has for the others on its board, and how they get at it.
//!
//! | way | where the others find it | copied | steps |
//! |---|---|---|---|
//! | slot | packed in the cache line of the step | twice | one |
//! | staged | packed in the staging of the step | twice | one |
//! | apart | packed in a block of the segment | twice | two |
//! | in place | where it is, in the segment | once | two |
//!
//! Each image chooses for itself, and says in its slot what it has chosen. What lies in the buffers of a step may be read
//! until the next step (`xmp-core/src/board/README.md`), so nobody needs to hear that it was read; of what lies elsewhere
//! everybody does, and who may read it sees by all slots whether there is such a one, which is the same answer for all.

use super::super::copy::{Arrival, across, pack, unpack};
use super::super::plan::moves::{self, Amount};
use super::super::plan::{Moves, Transfer};
use crate::host::Host;
use xmp_core::board::{SLOT_DATA, STAGING};
use xmp_core::{Image, Rank};

/// Bytes of a slot for packed elements, behind the first word.
const IN_SLOT: usize = SLOT_DATA - SLOT_HEAD;
const SLOT_HEAD: usize = size_of::<u64>();
/// Members whose parts in a slot can be told apart: a byte of the first word each, behind the way.
const SLOT_MEMBERS: usize = SLOT_HEAD - 1;
/// Where the parts of packed elements begin.
const PART: usize = 64;
/// Up to so many bytes packing takes less time than another step, where each image has a core.
const SHORT: usize = 2 * 1024;
/// The same where images share cores: a step is a change of processes there.
const SHORT_CROWDED: usize = 32 * 1024;
/// Up to so many bytes elements are packed that lie so far apart that a line of memory has few of them: a neighbour would
/// fetch all these lines from this core.
const SPARSE: usize = 256 * 1024;

/// How the others get at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Way {
    /// Not at all.
    Hidden,
    /// There is nothing.
    Nothing,
    Slot,
    Staged,
    Apart,
    InPlace,
}

impl Way {
    const ALL: [Way; 6] =
        [Way::Hidden, Way::Nothing, Way::Slot, Way::Staged, Way::Apart, Way::InPlace];

    /// The best one for this amount; `near` if others may read it where it is.
    fn of(amount: Amount, members: usize, (near, crowded): (bool, bool)) -> Way {
        let Amount { bytes, lines, .. } = amount;
        let short = if crowded { SHORT_CROWDED } else { SHORT };
        let sparse = bytes <= SPARSE && lines * PART >= 4 * bytes;
        match bytes {
            0 => Way::Nothing,
            _ if members <= SLOT_MEMBERS && bytes <= IN_SLOT => Way::Slot,
            _ if near && bytes > short && !sparse => Way::InPlace,
            _ if room(amount, members) <= STAGING => Way::Staged,
            _ if near => Way::InPlace,
            _ => Way::Apart,
        }
    }
}

/// Bytes of the table in front of packed elements: where the part for each member begins.
fn table(members: usize) -> usize {
    (members * size_of::<u64>()).next_multiple_of(PART)
}

/// Bytes for the table and all parts.
fn room(amount: Amount, members: usize) -> usize {
    table(members) + amount.bytes + amount.partners * PART
}

/// A block of this image's segment, freed when this is dropped.
#[derive(Debug)]
pub struct Block<'a> {
    image: &'a Image,
    offset: u64,
}

impl<'a> Block<'a> {
    /// `None` where there is no memory for it.
    fn new(image: &'a Image, bytes: usize) -> Option<Block<'a>> {
        let offset = image.memory().allocate_local(bytes as u64, PART as u64).ok()?;
        Some(Block { image, offset })
    }

    fn start(&self) -> *mut u8 {
        self.image.own_segment().wrapping_add(self.offset as usize)
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        self.image.memory().free_local(self.offset).expect("a block that was allocated");
    }
}

/// Says what this image has for its mates, before a step. What it returns is kept until they have read.
///
/// With `overlaps`, what is read may be written meanwhile: it is packed, or hidden.
///
/// # Safety
/// `from` is valid for what the moves read.
pub unsafe fn give<'a>(
    host: &Host<'a>,
    mates: &[Rank],
    (moves, from): (&Moves, *const u8),
    overlaps: bool,
) -> Option<Block<'a>> {
    let members = host.members();
    let shared = host.shared_address(from);
    let crowded = host.image.job().page().waiting.crowded != 0;
    let amount = moves.amount();
    let room = room(amount, members);
    // SAFETY: the caller's guarantee; what is packed has room.
    unsafe {
        match Way::of(amount, members, (shared != 0 && !overlaps, crowded)) {
            Way::Slot => {
                in_slot(host, mates, (moves, from));
                None
            }
            Way::Staged => {
                let start = host.board.staging(room);
                in_parts(start, members, mates, (moves, from));
                say(host, Way::Staged, start.expose_provenance() as u64);
                None
            }
            Way::Apart => {
                let block = Block::new(host.image, room);
                let Some(block) = block else {
                    say(host, Way::Hidden, 0);
                    return None;
                };
                in_parts(block.start(), members, mates, (moves, from));
                say(host, Way::Apart, block.start().expose_provenance() as u64);
                Some(block)
            }
            Way::InPlace => {
                say(host, Way::InPlace, shared);
                None
            }
            way => {
                say(host, way, 0);
                None
            }
        }
    }
}

/// Says that the others do not get at what this image has.
pub fn hide(host: &Host<'_>) {
    say(host, Way::Hidden, 0);
}

fn say(host: &Host<'_>, way: Way, address: u64) {
    let slot = host.board.slot();
    // SAFETY: this member's slot of the coming step: 8-aligned, long enough, nobody reads it yet.
    unsafe {
        slot.write(way as u8);
        slot.add(SLOT_HEAD).cast::<u64>().write(address);
    }
}

/// Where a mate is on the board.
fn member(mates: &[Rank], partner: Rank) -> Option<usize> {
    mates.iter().position(|&mate| mate == partner)
}

/// # Safety
/// All parts for mates fit in the slot, and their places in a byte each.
unsafe fn in_slot(host: &Host<'_>, mates: &[Rank], (moves, from): (&Moves, *const u8)) {
    let slot = host.board.slot();
    let mut head = [0_u8; SLOT_HEAD];
    head[0] = Way::Slot as u8;
    let mut at = SLOT_HEAD;
    for (partner, transfers) in &moves.send {
        let Some(member) = member(mates, *partner) else { continue };
        let len = moves::bytes(transfers);
        head[1 + member] = at as u8;
        // SAFETY: this member's slot of the coming step, which has room for all parts.
        unsafe { pack(transfers, from, std::slice::from_raw_parts_mut(slot.add(at), len)) };
        at += len;
    }
    // SAFETY: as above.
    unsafe { slot.cast::<[u8; SLOT_HEAD]>().write(head) };
}

/// # Safety
/// `start` is valid for the table and all parts, 8-aligned, and nobody else looks there.
unsafe fn in_parts(
    start: *mut u8,
    members: usize,
    mates: &[Rank],
    (moves, from): (&Moves, *const u8),
) {
    let mut at = table(members);
    for (partner, transfers) in &moves.send {
        let Some(member) = member(mates, *partner) else { continue };
        let len = moves::bytes(transfers);
        // SAFETY: the caller's guarantee.
        unsafe {
            start.cast::<u64>().add(member).write(at as u64);
            pack(transfers, from, std::slice::from_raw_parts_mut(start.add(at), len));
        }
        at += len.next_multiple_of(PART);
    }
}

/// What all members have said in the last step.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    /// Whether the others get at what everybody has.
    pub all: bool,
    /// Whether what somebody has lies where it may be read until another step is made.
    pub lasting: bool,
}

impl Said {
    /// The same for all members of the board.
    pub fn by(host: &Host<'_>) -> Said {
        let ways = || (0..host.members()).map(|member| way(host, member));
        Said {
            all: ways().all(|way| way != Way::Hidden),
            lasting: ways().any(|way| matches!(way, Way::Apart | Way::InPlace)),
        }
    }
}

fn way(host: &Host<'_>, member: usize) -> Way {
    // SAFETY: written before the last step, not written again before the next.
    Way::ALL[unsafe { host.board.slot_of(member).read() } as usize]
}

/// Takes what a mate has for this image; not if it is none.
///
/// # Safety
/// The mate has said in the last step where it is; `to` is valid for what the transfers write.
pub unsafe fn take(
    host: &Host<'_>,
    mates: &[Rank],
    (partner, transfers): (Rank, &[Transfer]),
    (to, arrival): (*mut u8, Arrival<'_>),
) {
    let Some(giver) = member(mates, partner) else { return };
    let slot = host.board.slot_of(giver);
    // SAFETY: written before the last step, not written again before the next. Segments and boards are mapped at one
    // address on this host.
    unsafe {
        let address = || {
            let address = slot.add(SLOT_HEAD).cast::<u64>().read();
            std::ptr::with_exposed_provenance::<u8>(address as usize)
        };
        let len = || moves::bytes(transfers);
        match way(host, giver) {
            Way::Hidden | Way::Nothing => unreachable!("image {partner} has something to give"),
            Way::Slot => {
                let at = slot.add(1 + host.me()).read() as usize;
                let part = std::slice::from_raw_parts(slot.add(at), len());
                unpack(transfers, part, to, arrival);
            }
            Way::Staged | Way::Apart => {
                let start = address();
                let at = start.cast::<u64>().add(host.me()).read() as usize;
                let part = std::slice::from_raw_parts(start.add(at), len());
                unpack(transfers, part, to, arrival);
            }
            Way::InPlace => {
                let from = address();
                for transfer in transfers {
                    across(transfer, from, to, arrival);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(bytes: usize, lines: usize) -> Amount {
        Amount { bytes, lines, partners: 2 }
    }

    #[test]
    fn few_bytes_travel_with_the_step_and_many_are_read_where_they_are() {
        let of = |bytes| Way::of(amount(bytes, bytes.div_ceil(64)), 4, (true, false));
        assert_eq!(of(0), Way::Nothing);
        assert_eq!(of(IN_SLOT), Way::Slot);
        assert_eq!(of(IN_SLOT + 1), Way::Staged);
        assert_eq!(of(SHORT), Way::Staged);
        assert_eq!(of(SHORT + 1), Way::InPlace);
        assert_eq!(of(2 * STAGING), Way::InPlace);
    }

    #[test]
    fn a_change_of_processes_is_worth_a_longer_copy() {
        let of = |crowded| Way::of(amount(SHORT + 8, 40), 4, (true, crowded));
        assert_eq!((of(false), of(true)), (Way::InPlace, Way::Staged));
    }

    #[test]
    fn what_is_thin_is_packed_by_its_owner() {
        let of = |bytes| Way::of(amount(bytes, bytes / 8), 4, (true, false));
        assert_eq!((of(SPARSE), of(SPARSE + 8)), (Way::Staged, Way::InPlace));
    }

    #[test]
    fn what_others_do_not_get_at_is_packed_however_much_it_is() {
        let of = |bytes| Way::of(amount(bytes, bytes / 64), 4, (false, false));
        assert_eq!(of(64 * 1024), Way::Staged);
        assert_eq!(of(STAGING), Way::Apart);
    }

    #[test]
    fn a_slot_tells_the_parts_of_few_members_apart() {
        let of = |members| Way::of(amount(16, 2), members, (true, false));
        assert_eq!(of(SLOT_MEMBERS), Way::Slot);
        assert_eq!(of(SLOT_MEMBERS + 1), Way::Staged);
    }
}
