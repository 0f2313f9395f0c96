//! Access to the elements of local peers: images that share a collective area.
//!
//! Each image chooses one of four ways for the elements that it sends, and writes the way into the head of its slot
//! (`head.rs`).
//!
//! | way | where the local peers find the elements | copies | barriers |
//! |---|---|---|---|
//! | slot | packed in the slot | two | one |
//! | staged | packed in the staging memory of the barrier | two | one |
//! | apart | packed in a block of the segment | two | two |
//! | in place | where they lie in the segment | one | two |
//!
//! The slots and the staging memory of a barrier may be read until the next barrier
//! (`xmp-core/shm/src/coll_area/README.md`). What lies elsewhere needs a second barrier, which tells its owner that all
//! have read it. All members see by all slots whether there is such a way, so all make the second barrier or none.

use super::super::copy::{Arrival, across, pack, unpack};
use super::super::plan::Transfer;
use super::super::plan::moves::{self, Amount};
use super::super::plans::Plan;
use super::head::{self, Head, IN_SLOT, Place, SLOT_MEMBERS, Way};
use crate::host::Host;
use xmp_core::coll_area::STAGING;
use xmp_core::failure::refusals::Reason;
use xmp_core::{Image, Rank, Result};

/// Where the parts of packed elements begin.
const PART: usize = 64;
/// Up to so many bytes packing takes less time than another step, where each image has a core.
const SHORT: usize = 2 * 1024;
/// The same where images share cores: a step is a change of processes there.
const SHORT_CROWDED: usize = 32 * 1024;
/// Up to so many bytes elements are packed that lie so far apart that a line of memory has few of them: a neighbour
/// would fetch all these lines from this core.
const SPARSE: usize = 256 * 1024;

impl Way {
    /// The best one for this amount; `near` if others may read it where it is.
    fn of(amount: Amount, members: usize, (near, crowded): (bool, bool)) -> Way {
        let Amount { bytes, lines, padded, .. } = amount;
        let short = if crowded { SHORT_CROWDED } else { SHORT };
        let sparse = bytes <= SPARSE && lines * PART >= 4 * bytes;
        match bytes {
            0 => Way::Nothing,
            _ if members <= SLOT_MEMBERS && padded <= IN_SLOT => Way::Slot,
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

/// What an image has for its local peers.
#[derive(Clone, Copy, Debug)]
pub struct Gift<'a> {
    /// What it moves.
    pub plan: &'a Plan,
    /// Start of what it stores of the array that is read.
    pub from: *const u8,
}

/// Says what this image has for its local peers, before a step. What it returns is kept until they have read.
///
/// With `overlaps`, what is read may be written meanwhile: it is packed, or hidden.
///
/// # Safety
/// `gift.from` is valid for what the moves read.
pub unsafe fn give<'a>(
    host: &Host<'a>,
    local_peers: &[Rank],
    gift: Gift<'_>,
    overlaps: bool,
) -> Option<Block<'a>> {
    let members = host.members();
    let shared = host.shared_address(gift.from);
    let crowded = host.image.job().page().waiting.crowded != 0;
    let amount = gift.plan.moves.amount();
    let (room, mapping) = (room(amount, members), gift.plan.mapping);
    let say = |way, address| {
        let head = Head { way, mapping, offsets: 0 };
        head::write(host, head, Place { address, room: room as u64, mapping });
    };
    // SAFETY: `from` and `start` are valid for what the plan sends (contract above); what is packed has room.
    unsafe {
        match Way::of(amount, members, (shared != 0 && !overlaps, crowded)) {
            Way::Slot => {
                in_slot(host, local_peers, gift);
                None
            }
            Way::Staged => {
                let start = host.area.staging(room);
                in_parts(start, members, local_peers, gift);
                say(Way::Staged, start.expose_provenance() as u64);
                None
            }
            Way::Apart => {
                let block = Block::new(host.image, room);
                let Some(block) = block else {
                    say(Way::Hidden, 0);
                    return None;
                };
                in_parts(block.start(), members, local_peers, gift);
                say(Way::Apart, block.start().expose_provenance() as u64);
                Some(block)
            }
            Way::InPlace => {
                say(Way::InPlace, shared);
                None
            }
            way => {
                say(way, 0);
                None
            }
        }
    }
}

/// Says that the others do not get at what this image has.
pub fn hide(host: &Host<'_>, mapping: u64) {
    let head = Head { way: Way::Hidden, mapping, offsets: 0 };
    head::write(host, head, Place { address: 0, room: 0, mapping });
}

/// Says that this image cannot execute the operation, and why.
pub fn refuse(host: &Host<'_>, reason: &Reason) {
    let bytes = reason.as_bytes();
    let start = host.area.staging(bytes.len());
    // SAFETY: this member's staging of the coming step, which is as long, and which no image reads yet.
    unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    let head = Head { way: Way::Refused, mapping: 0, offsets: 0 };
    let (address, room) = (start.expose_provenance() as u64, bytes.len() as u64);
    head::write(host, head, Place { address, room, mapping: 0 });
}

/// Where a local peer is on the collective area.
fn member(local_peers: &[Rank], partner: Rank) -> Option<usize> {
    local_peers.iter().position(|&local_peer| local_peer == partner)
}

/// # Safety
/// All parts for local peers fit in the slot, and their places in a byte each.
unsafe fn in_slot(host: &Host<'_>, local_peers: &[Rank], Gift { plan, from }: Gift<'_>) {
    let elements = host.area.slot().wrapping_add(head::LEN);
    let mut head = Head { way: Way::Slot, mapping: plan.mapping, offsets: 0 };
    let mut at = 0;
    for (partner, transfers) in &plan.moves.send {
        let Some(member) = member(local_peers, *partner) else { continue };
        let len = moves::bytes(transfers);
        head.set_offset(member, at);
        // SAFETY: this member's slot of the coming step, which has room for all parts.
        unsafe { pack(transfers, from, std::slice::from_raw_parts_mut(elements.add(at), len)) };
        at += len.next_multiple_of(4);
    }
    // SAFETY: as above; 8-aligned.
    unsafe { host.area.slot().cast::<u64>().write(head.to_word()) };
}

/// # Safety
/// `start` is valid for the table and all parts, 8-aligned, and no other image reads it.
unsafe fn in_parts(
    start: *mut u8,
    members: usize,
    local_peers: &[Rank],
    Gift { plan, from }: Gift<'_>,
) {
    let mut at = table(members);
    for (partner, transfers) in &plan.moves.send {
        let Some(member) = member(local_peers, *partner) else { continue };
        let len = moves::bytes(transfers);
        // SAFETY: `from` and `start` are valid for what the plan sends (contract above).
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
    /// Whether the others can access what each image has.
    pub all: bool,
    /// Whether something lies where it may be read until the next barrier.
    pub lasting: bool,
}

impl Said {
    /// The same for all members of the collective area that execute the operation, which is called `name`.
    ///
    /// # Errors
    /// When a member has refused it, or executes another operation; the same for all these members, too.
    #[inline]
    pub fn by(host: &Host<'_>, local_peers: &[Rank], name: &str) -> Result<Said> {
        match head::ways(host).filter(|ways| !ways.has(Way::Refused)) {
            Some(ways) => Ok(Said {
                all: !ways.has(Way::Hidden),
                lasting: ways.has(Way::Apart) || ways.has(Way::InPlace),
            }),
            None => Err(why_not(host, local_peers, name)),
        }
    }
}

/// The error of an operation that some member does not execute: that of the first one that has refused it, if any.
#[cold]
fn why_not(host: &Host<'_>, local_peers: &[Rank], name: &str) -> xmp_core::Error {
    let of = |member| head::read(host, member).map(|head| head.way);
    let members = || 0..host.members();
    if let Some(member) = members().find(|&member| of(member) == Some(Way::Refused)) {
        let place = head::place(host, member);
        // SAFETY: the member has written its reason there before the last step, and writes there again only after the
        // next. Collective areas are mapped at one address on this host.
        let reason = unsafe { Reason::at(place.start()) };
        return reason.error(local_peers[member]);
    }
    let other = members().find(|&member| of(member).is_none());
    head::executes_another(name, local_peers[other.expect("a member that does not execute it")])
}

/// The giver does not execute what this image executes, with the same arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other;

/// Takes what a local peer has for this image; not if it is none. `mapping` is that of the plan.
///
/// # Errors
/// When the local peer has another plan; nothing is taken then.
///
/// # Safety
/// The local peer has said in the last step where it is; `to` is valid for what the transfers write.
pub unsafe fn take(
    host: &Host<'_>,
    local_peers: &[Rank],
    ((partner, transfers), mapping): ((Rank, &[Transfer]), u64),
    (to, arrival): (*mut u8, Arrival<'_>),
) -> std::result::Result<(), Other> {
    let Some(giver) = member(local_peers, partner) else { return Ok(()) };
    let head = head::read(host, giver).filter(|head| head.is_of(mapping)).ok_or(Other)?;
    let len = || moves::bytes(transfers);
    // SAFETY: written before the last step, not written again before the next. Segments and collective areas are mapped
    // at one address on this host. What lies elsewhere than in the slot is where a plan with this mapping says.
    unsafe {
        match head.way {
            Way::Hidden | Way::Nothing | Way::Refused => return Err(Other),
            Way::Slot => {
                let (at, len) = (head.offset(host.me()), len());
                if at + len > IN_SLOT {
                    return Err(Other);
                }
                let elements = host.area.slot_of(giver).add(head::LEN);
                let part = std::slice::from_raw_parts(elements.add(at), len);
                unpack(transfers, part, to, arrival);
            }
            Way::Staged | Way::Apart => {
                let place = head::place(host, giver).of(mapping).ok_or(Other)?;
                let start = place.start();
                let at = start.cast::<u64>().add(host.me()).read() as usize;
                let part = std::slice::from_raw_parts(start.add(at), len());
                unpack(transfers, part, to, arrival);
            }
            Way::InPlace => {
                let place = head::place(host, giver).of(mapping).ok_or(Other)?;
                for transfer in transfers {
                    across(transfer, place.start(), to, arrival);
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(bytes: usize, lines: usize) -> Amount {
        Amount { bytes, lines, partners: 2, padded: bytes }
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
