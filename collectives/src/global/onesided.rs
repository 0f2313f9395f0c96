//! Gmove `in` and `out`: one side may be on images that do not execute it (XcalableMP 1.4, 4.5.2).
//!
//! The executing images get or put the elements themselves, straight from or to the memory of the owners. The owners do
//! not take part, and the executing images do not wait for them: programs synchronise before and after.

use super::StoredSection;
use super::copy::{Arrival, across, pack, unpack};
use super::exchange::named;
use super::gmove::{check_elements, check_side};
use super::plan::{Cell, Gmove, Side, Transfer, moves};
use smallvec::SmallVec;
use std::rc::Rc;
use xmp_core::global::{Array, Section};
use xmp_core::image_set::ImageSet;
use xmp_core::nest::{Loop, Nest};
use xmp_core::process::memory;
use xmp_core::transport::{FlushScope, Layout};
use xmp_core::{Image, Rank, Result};

/// The address of the part of an array that another image stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteAddress {
    /// An offset in its segment.
    Segment(u64),
    /// An address in its process. The system copies the memory there, which takes longer.
    Process(u64),
}

/// An array that images store where this image can access it.
#[derive(Clone, Copy)]
pub struct Remote<'a> {
    array: &'a Rc<Array>,
    element: usize,
    address: &'a dyn Fn(Rank) -> Result<RemoteAddress>,
}

/// A section of an array that images store where this image can access it.
#[derive(Clone, Copy, Debug)]
pub struct RemoteSection<'a> {
    remote: Remote<'a>,
    section: &'a Section,
}

impl<'a> Remote<'a> {
    /// An array with elements of `element` bytes. `address` gives the address of the part of an image, or an error if it
    /// is not known; it is asked for owners only, before anything is copied.
    ///
    /// # Safety
    /// As long as the value is used, the addresses are those of memory that has the part of the array. No other access
    /// changes what an operation reads or touches what it writes.
    pub unsafe fn new(
        array: &'a Rc<Array>,
        element: usize,
        address: &'a dyn Fn(Rank) -> Result<RemoteAddress>,
    ) -> Remote<'a> {
        Remote { array, element, address }
    }

    /// A section of the array.
    pub fn section(self, section: &'a Section) -> RemoteSection<'a> {
        RemoteSection { remote: self, section }
    }

    /// Calls `visit` for the transfer with each owner, once the addresses of all of them are known.
    fn for_each(
        &self,
        transfers: Vec<(Rank, Transfer)>,
        mut visit: impl FnMut(Rank, RemoteAddress, &Transfer) -> Result<()>,
    ) -> Result<()> {
        let addresses = transfers.iter().map(|(owner, _)| (self.address)(*owner));
        let addresses = addresses.collect::<Result<Vec<RemoteAddress>>>()?;
        let mut all = transfers.iter().zip(addresses);
        all.try_for_each(|((owner, transfer), address)| visit(*owner, address, transfer))
    }
}

impl RemoteAddress {
    /// The address in this process, if this image can access the memory there.
    fn local(self, image: &Image, owner: Rank) -> Option<*mut u8> {
        match self {
            RemoteAddress::Segment(offset) => image.local_address(owner, offset),
            RemoteAddress::Process(address) if owner == image.rank() => {
                Some(std::ptr::with_exposed_provenance_mut(address as usize))
            }
            RemoteAddress::Process(_) => None,
        }
    }
}

impl std::fmt::Debug for Remote<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("array", self.array).field("element", &self.element).finish()
    }
}

/// `gmove in`: assigns a section of an array that may be on any images to one on images of the set. Each image of the
/// set calls it, and returns when it has its part. The elements that overlapping sections of one array get are
/// unspecified, if other images have any of them.
///
/// # Errors
/// Those of [`super::prepare_gmove()`] that concern the left side; when an owner cannot be reached.
pub fn gmove_in(
    image: &Image,
    set: &ImageSet,
    left: StoredSection<'_>,
    right: RemoteSection<'_>,
) -> Result<()> {
    let (left, storage) = (left.side(), left.storage);
    let remote = right.remote;
    check_elements("gmove", storage.element, remote.element)?;
    let right = Side { array: remote.array, section: right.section };
    let gmove = Gmove::new(left, right, remote.element).map_err(named("gmove"))?;
    check_side("gmove", set, left)?;
    remote.for_each(gmove.received_by(image.rank()), |owner, address, transfer| {
        // SAFETY: both sides have the elements of the transfer (`Storage::new`, `Remote::new`).
        unsafe {
            match (address.local(image, owner), address) {
                (Some(from), _) => copy_local(transfer, from, storage.base),
                (None, RemoteAddress::Segment(offset)) => {
                    for_each_nest(transfer, offset, storage.base, false, |at, into, nest| {
                        image.transport().get(owner, at, into, nest)
                    })?;
                }
                (None, RemoteAddress::Process(address)) => {
                    from_process(image, owner, address, transfer, storage.base)?;
                }
            }
        }
        Ok(())
    })
}

/// `gmove out`: assigns a section of an array on images of the set to one that may be on any images. Each image of the
/// set calls it, and returns when its part has arrived.
///
/// # Errors
/// Those of [`super::prepare_gmove()`] that concern the right side; when an owner cannot be reached.
pub fn gmove_out(
    image: &Image,
    set: &ImageSet,
    left: RemoteSection<'_>,
    right: StoredSection<'_>,
) -> Result<()> {
    let (right, storage) = (right.side(), right.storage);
    let remote = left.remote;
    check_elements("gmove", remote.element, storage.element)?;
    let left = Side { array: remote.array, section: left.section };
    let gmove = Gmove::new(left, right, storage.element).map_err(named("gmove"))?;
    check_side("gmove", set, right)?;
    remote.for_each(gmove.sent_by(image.rank()), |owner, address, transfer| {
        // SAFETY: both sides have the elements of the transfer (`Storage::new`, `Remote::new`).
        unsafe {
            match (address.local(image, owner), address) {
                (Some(to), _) => copy_local(transfer, storage.base, to),
                (None, RemoteAddress::Segment(offset)) => {
                    for_each_nest(transfer, offset, storage.base, true, |at, from, nest| {
                        image.transport().put(owner, at, from, nest)
                    })?;
                }
                (None, RemoteAddress::Process(address)) => {
                    return to_process(image, owner, address, transfer, storage.base);
                }
            }
        }
        image.transport().flush(FlushScope::Target(owner))
    })
}

/// Copies a transfer between arrays of this host. Sections of one array may overlap, so they go through a copy.
///
/// # Safety
/// Both are valid for the elements of the transfer.
unsafe fn copy_local(transfer: &Transfer, from: *mut u8, to: *mut u8) {
    // SAFETY: both are valid for the elements of the transfer (contract above).
    unsafe {
        if from != to {
            return across(transfer, from, to, Arrival::Replace);
        }
        let transfer = std::slice::from_ref(transfer);
        let mut copy = vec![0_u8; moves::bytes(transfer)];
        pack(transfer, from, &mut copy);
        unpack(transfer, &copy, to, Arrival::Replace);
    }
}

/// Calls `access` for each cell of a transfer between a segment and this image: with its offset in the segment, which is
/// that of the part at `offset`, its address in the part at `base`, and its loops.
fn for_each_nest(
    transfer: &Transfer,
    offset: u64,
    base: *mut u8,
    into_segment: bool,
    access: impl Fn(u64, *mut u8, Layout<'_>) -> Result<()>,
) -> Result<()> {
    let sides = |from, to| if into_segment { (to, from) } else { (from, to) };
    transfer.cells().iter().try_for_each(|cell| {
        let loops = cell.loops.iter().map(|each| {
            let (remote, local) = sides(each.from, each.to);
            Loop { extent: each.extent as usize, remote, local }
        });
        let loops: SmallVec<[Loop; 4]> = loops.collect();
        let (remote, local) = sides(cell.from, cell.to);
        let nest = Nest { unit: cell.unit, loops: &loops };
        let address = base.wrapping_offset(local as isize);
        access(offset.wrapping_add_signed(remote), address, Layout::Nest(nest))
    })
}

/// Most bytes that are read at once although fewer of them are wanted.
const SPARSE: usize = 1 << 16;

/// Gets the elements of a transfer from an address in another process: of each cell all bytes from the first to the last
/// one at once, unless the wanted bytes are far fewer.
///
/// # Safety
/// The process at `address`, and `base`, are valid for the elements of the transfer.
unsafe fn from_process(
    image: &Image,
    owner: Rank,
    address: u64,
    transfer: &Transfer,
    base: *mut u8,
) -> Result<()> {
    let mut buffer = Vec::new();
    for cell in transfer.cells() {
        // The extents of all loops that go back, and of all that go forth.
        let extents = cell.loops.iter().map(|each| (each.extent - 1) * each.from);
        let (back, forth) = extents.fold((0, 0), |(back, forth): (i64, i64), extent| {
            (back + extent.min(0), forth + extent.max(0))
        });
        let span = (forth - back) as usize + cell.unit;
        if span <= (4 * cell.bytes()).max(SPARSE) {
            buffer.resize(span, 0);
            let start = address.wrapping_add_signed(cell.from + back);
            let whole = Transfer::new(vec![Cell { from: -back, ..cell.clone() }]);
            // SAFETY: the bytes between the elements of a cell are memory of the array, too. `base` is valid for the
            // elements (contract above).
            unsafe {
                memory::read(image, owner, start, buffer.as_mut_ptr(), span)?;
                across(&whole, buffer.as_ptr(), base, Arrival::Replace);
            }
            continue;
        }
        let mut outcome = Ok(());
        cell.for_each(|at, into, inner| {
            for i in 0..inner.extent {
                let from = address.wrapping_add_signed(at + i * inner.from);
                let to = base.wrapping_offset((into + i * inner.to) as isize);
                if outcome.is_ok() {
                    // SAFETY: both sides are valid for the elements of the transfer (contract above).
                    outcome = unsafe { memory::read(image, owner, from, to, cell.unit) };
                }
            }
        });
        outcome?;
    }
    Ok(())
}

/// Puts the elements of a transfer to an address in another process: contiguous bytes there at once.
///
/// # Safety
/// The process at `address`, and `base`, are valid for the elements of the transfer.
unsafe fn to_process(
    image: &Image,
    owner: Rank,
    address: u64,
    transfer: &Transfer,
    base: *mut u8,
) -> Result<()> {
    let mut piece = Vec::new();
    let mut outcome = Ok(());
    for cell in transfer.cells() {
        cell.for_each(|at, into, inner| {
            // Units that are contiguous on the remote side.
            let units = if inner.to == cell.unit as i64 { inner.extent } else { 1 };
            for first in (0..inner.extent).step_by(units.max(1) as usize) {
                piece.clear();
                for i in first..first + units {
                    let from = base.wrapping_offset((at + i * inner.from) as isize).cast_const();
                    // SAFETY: `base` is valid for the elements of the transfer (contract above).
                    piece.extend(unsafe { std::slice::from_raw_parts(from, cell.unit) });
                }
                let to = address.wrapping_add_signed(into + first * inner.to);
                if outcome.is_ok() {
                    let (from, len) = (piece.as_ptr(), piece.len());
                    // SAFETY: the process has the elements of the transfer there (contract above).
                    outcome = unsafe { memory::write(image, owner, to, from, len) };
                }
            }
        });
    }
    outcome
}
