//! Access to the elements of local peers: images that share a collective area.
//!
//! Each image chooses one of four kinds of access to the elements that it sends, and writes it into the head of its slot
//! (`head.rs`).
//!
//! | access | place of the elements | copies | barriers |
//! |---|---|---|---|
//! | slot | packed in the slot | two | one |
//! | staged | packed in the staging buffer | two | one |
//! | block | packed in a block of the segment | two | two |
//! | in place | where they are in the segment | one | two |
//!
//! The slots and staging buffers of an epoch may be read until the next barrier
//! (`xmp-core/shm/src/coll_area/README.md`). Elements that are elsewhere need a second barrier, which tells their owner
//! that all members have read them. All members see from all slots whether there are such elements, so all of them call
//! the second barrier or none.

use super::head::{self, Access, Head, IN_SLOT, SLOT_MEMBERS, Source};
use super::operation::Operation;
use crate::global::copy::{across, pack, unpack};
use crate::global::plan::Transfer;
use crate::global::plan::moves::{self, Amount};
use crate::host::Host;
use crate::leaders::plans_differ;
use xmp_core::coll_area::STAGING;
use xmp_core::failure::refusals::Reason;
use xmp_core::{Image, Rank, Result};

/// Alignment of the parts of packed elements, in bytes.
const PART: usize = 64;
/// Bytes up to which packing takes less time than a second barrier, where each image has a core.
const PACKING_LIMIT: usize = 2 * 1024;
/// The same where images share cores: a barrier is a change of processes there.
const SHORT_CROWDED: usize = 32 * 1024;
/// Bytes up to which elements are packed that are so far apart that a cache line has few of them: a neighbour would
/// fetch all these lines from this core.
const SPARSE: usize = 256 * 1024;

impl Access {
    /// The best access to this amount of data. `shared`: whether the others may read it in place.
    fn of(amount: Amount, members: usize, shared: bool, crowded: bool) -> Access {
        let Amount { bytes, lines, padded, .. } = amount;
        let short = if crowded { SHORT_CROWDED } else { PACKING_LIMIT };
        let sparse = bytes <= SPARSE && lines * PART >= 4 * bytes;
        match bytes {
            0 => Access::Empty,
            _ if members <= SLOT_MEMBERS && padded <= IN_SLOT => Access::Slot,
            _ if shared && bytes > short && !sparse => Access::InPlace,
            _ if room(amount, members) <= STAGING => Access::Staged,
            _ if shared => Access::InPlace,
            _ => Access::Block,
        }
    }
}

/// Bytes of the table in front of packed elements: where the part for each member begins.
fn table(members: usize) -> usize {
    (members * size_of::<u64>()).next_multiple_of(PART)
}

/// Bytes of the table and all parts.
fn room(amount: Amount, members: usize) -> usize {
    table(members) + amount.bytes + amount.partners * PART
}

/// A block of this image's segment, freed when it is dropped.
#[derive(Debug)]
pub struct Block<'a> {
    image: &'a Image,
    offset: u64,
}

impl<'a> Block<'a> {
    /// A block, or `None` if the segment has no memory for it.
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
        // SAFETY: the block of an operation that is over.
        let freed = unsafe { self.image.memory().free_local(self.offset) };
        freed.expect("a block that was allocated");
    }
}

/// Gives the local peers access to the elements that this image sends, before a barrier. If another image may write them
/// meanwhile (`operation.overlaps`), they are packed or hidden. The caller keeps the block until the others have read it.
pub fn give<'a>(
    host: &Host<'a>,
    local_peers: &[Rank],
    operation: &Operation<'_>,
) -> Option<Block<'a>> {
    let members = host.members();
    let shared = host.shared_address(operation.from);
    let crowded = host.image.job().page().waiting.crowded != 0;
    let amount = operation.plan.moves.amount();
    let (room, mapping) = (room(amount, members), operation.plan.mapping);
    let write = |access, address| {
        let head = Head { access, mapping, offsets: 0 };
        head::write(host, head, Source { address, room: room as u64, mapping });
    };
    let mut block = None;
    match Access::of(amount, members, shared != 0 && !operation.overlaps, crowded) {
        Access::Slot => in_slot(host, local_peers, operation),
        Access::Staged => {
            let start = host.area.staging(room);
            // SAFETY: the staging buffer of the current epoch has room for the table and all parts.
            unsafe { in_parts(start, members, local_peers, operation) };
            write(Access::Staged, start.expose_provenance() as u64);
        }
        Access::Block => {
            block = Block::new(host.image, room);
            let Some(block) = &block else {
                write(Access::Hidden, 0);
                return None;
            };
            // SAFETY: the block has room for the table and all parts.
            unsafe { in_parts(block.start(), members, local_peers, operation) };
            write(Access::Block, block.start().expose_provenance() as u64);
        }
        Access::InPlace => write(Access::InPlace, shared),
        access => write(access, 0),
    }
    block
}

/// Hides the elements of this image from its local peers.
pub fn hide(host: &Host<'_>, mapping: u64) {
    let head = Head { access: Access::Hidden, mapping, offsets: 0 };
    head::write(host, head, Source { address: 0, room: 0, mapping });
}

/// Refuses the operation for this reason.
pub fn refuse(host: &Host<'_>, reason: &Reason) {
    let bytes = reason.as_bytes();
    let start = host.area.staging(bytes.len());
    // SAFETY: this member's staging buffer of the current epoch has this length, and is not read before the barrier.
    unsafe { start.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    let head = Head { access: Access::Refused, mapping: 0, offsets: 0 };
    let (address, room) = (start.expose_provenance() as u64, bytes.len() as u64);
    head::write(host, head, Source { address, room, mapping: 0 });
}

/// Position of a local peer in the collective area.
fn member(local_peers: &[Rank], partner: Rank) -> Option<usize> {
    local_peers.iter().position(|&local_peer| local_peer == partner)
}

/// Packs the parts for local peers into the slot, which has room for them ([`Access::Slot`]).
fn in_slot(host: &Host<'_>, local_peers: &[Rank], operation: &Operation<'_>) {
    let plan = &operation.plan;
    let elements = host.area.slot().wrapping_add(head::LEN);
    let mut head = Head { access: Access::Slot, mapping: plan.mapping, offsets: 0 };
    let mut at = 0;
    for (partner, transfers) in &plan.moves.send {
        let Some(member) = member(local_peers, *partner) else { continue };
        let len = moves::bytes(transfers);
        head.set_offset(member, at);
        // SAFETY: the slot of the current epoch has room for all parts after the head, and `from` has the elements of
        // the plan (`Storage::new`).
        unsafe {
            let part = std::slice::from_raw_parts_mut(elements.add(at), len);
            pack(transfers, operation.from, part);
        }
        at += len.next_multiple_of(4);
    }
    host.post_word(head.to_word());
}

/// Packs the parts for local peers after a table.
///
/// # Safety
/// `start` is valid for writes of the table and all parts, 8-aligned, and no other image reads it.
unsafe fn in_parts(
    start: *mut u8,
    members: usize,
    local_peers: &[Rank],
    operation: &Operation<'_>,
) {
    let mut at = table(members);
    for (partner, transfers) in &operation.plan.moves.send {
        let Some(member) = member(local_peers, *partner) else { continue };
        let len = moves::bytes(transfers);
        // SAFETY: `start` has room for the table and this part (contract above), and `from` has the elements of the plan
        // (`Storage::new`).
        unsafe {
            start.cast::<u64>().add(member).write(at as u64);
            let part = std::slice::from_raw_parts_mut(start.add(at), len);
            pack(transfers, operation.from, part);
        }
        at += len.next_multiple_of(PART);
    }
}

/// The access that all members gave before the last barrier.
#[derive(Clone, Copy, Debug)]
pub struct PeerAccess {
    /// Whether each member can access the elements of all others.
    pub all: bool,
    /// True if other images may read the elements in their places until a second barrier.
    pub second_barrier: bool,
}

impl PeerAccess {
    /// The access that all members gave: the same on all members that execute the operation, whose name is `name`.
    ///
    /// # Errors
    /// When a member has refused the operation, executes another one, or executes it with other arguments: on all these members, too.
    #[inline]
    pub fn read(host: &Host<'_>, local_peers: &[Rank], name: &str) -> Result<PeerAccess> {
        match head::accesses(host).filter(|accesses| !accesses.has(Access::Refused)) {
            Some(accesses) if accesses.are_of_one_plan() => Ok(PeerAccess {
                all: !accesses.has(Access::Hidden),
                second_barrier: accesses.has(Access::Block) || accesses.has(Access::InPlace),
            }),
            Some(_) => Err(other_arguments(host, local_peers, name)),
            None => Err(why_not(host, local_peers, name)),
        }
    }
}

/// The error of an operation that some member does not execute: that of the first one that has refused it, if any.
#[cold]
fn why_not(host: &Host<'_>, local_peers: &[Rank], name: &str) -> xmp_core::Error {
    let of = |member| head::read(host, member).map(|head| head.access);
    let members = || 0..host.members();
    if let Some(member) = members().find(|&member| of(member) == Some(Access::Refused)) {
        let source = head::source(host, member);
        // SAFETY: the member wrote its reason there before the last barrier, and does not write there before the next
        // one. Collective areas are mapped at the same address on all images of the host.
        let reason = unsafe { Reason::at(source.start()) };
        return reason.error(local_peers[member]);
    }
    let other = members().find(|&member| of(member).is_none());
    head::executes_another(name, local_peers[other.expect("a member that does not execute it")])
}

/// The error of an operation whose members have other plans.
#[cold]
fn other_arguments(host: &Host<'_>, local_peers: &[Rank], name: &str) -> xmp_core::Error {
    let of = |member| head::read(host, member).map(|head| head.mapping);
    let other = (0..host.members()).find(|&member| of(member) != of(host.me()));
    plans_differ(name, local_peers[other.expect("a member with another plan")])
}

/// A member executes the operation with other arguments than this image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch;

/// Copies the elements that `partner` sends to this image, if it is a local peer.
///
/// # Errors
/// When the partner has another plan; nothing is copied then.
///
/// # Safety
/// The last barrier is that after [`give`], and the partner has not called the second one.
pub unsafe fn take(
    host: &Host<'_>,
    local_peers: &[Rank],
    partner: Rank,
    transfers: &[Transfer],
    operation: &Operation<'_>,
) -> std::result::Result<(), Mismatch> {
    let (mapping, to, arrival) = (operation.plan.mapping, operation.to, operation.arrival);
    let Some(giver) = member(local_peers, partner) else { return Ok(()) };
    let head = head::read(host, giver).filter(|head| head.is_of(mapping)).ok_or(Mismatch)?;
    let source = || head::source(host, giver).of(mapping).ok_or(Mismatch);
    let len = || moves::bytes(transfers);
    // SAFETY: the partner does not write its slot, staging buffer, block or elements before the second barrier (contract
    // above). Segments and collective areas are mapped at the same address on all images of the host. Elements outside
    // the slot are where a plan with this mapping says. `to` has the elements of the plan (`Storage::new`).
    unsafe {
        match head.access {
            Access::Hidden | Access::Empty | Access::Refused => return Err(Mismatch),
            Access::Slot => {
                let (at, len) = (head.offset(host.me()), len());
                if at + len > IN_SLOT {
                    return Err(Mismatch);
                }
                let elements = host.area.slot_of(giver).add(head::LEN);
                let part = std::slice::from_raw_parts(elements.add(at), len);
                unpack(transfers, part, to, arrival);
            }
            Access::Staged | Access::Block => {
                let start = source()?.start();
                let at = start.cast::<u64>().add(host.me()).read() as usize;
                let part = std::slice::from_raw_parts(start.add(at), len());
                unpack(transfers, part, to, arrival);
            }
            Access::InPlace => {
                let start = source()?.start();
                for transfer in transfers {
                    across(transfer, start, to, arrival);
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
        let of = |bytes| Access::of(amount(bytes, bytes.div_ceil(64)), 4, true, false);
        assert_eq!(of(0), Access::Empty);
        assert_eq!(of(IN_SLOT), Access::Slot);
        assert_eq!(of(IN_SLOT + 1), Access::Staged);
        assert_eq!(of(PACKING_LIMIT), Access::Staged);
        assert_eq!(of(PACKING_LIMIT + 1), Access::InPlace);
        assert_eq!(of(2 * STAGING), Access::InPlace);
    }

    #[test]
    fn a_change_of_processes_is_worth_a_longer_copy() {
        let of = |crowded| Access::of(amount(PACKING_LIMIT + 8, 40), 4, true, crowded);
        assert_eq!((of(false), of(true)), (Access::InPlace, Access::Staged));
    }

    #[test]
    fn what_is_thin_is_packed_by_its_owner() {
        let of = |bytes| Access::of(amount(bytes, bytes / 8), 4, true, false);
        assert_eq!((of(SPARSE), of(SPARSE + 8)), (Access::Staged, Access::InPlace));
    }

    #[test]
    fn what_others_do_not_get_at_is_packed_however_much_it_is() {
        let of = |bytes| Access::of(amount(bytes, bytes / 64), 4, false, false);
        assert_eq!(of(64 * 1024), Access::Staged);
        assert_eq!(of(STAGING), Access::Block);
    }

    #[test]
    fn a_slot_tells_the_parts_of_few_members_apart() {
        let of = |members| Access::of(amount(16, 2), members, true, false);
        assert_eq!(of(SLOT_MEMBERS), Access::Slot);
        assert_eq!(of(SLOT_MEMBERS + 1), Access::Staged);
    }
}
