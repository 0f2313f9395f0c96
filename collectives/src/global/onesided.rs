//! Gmove `in` and `out`: one side may be on images that do not execute it (XcalableMP 1.4, 4.5.2).
//!
//! The executing images get or put the elements themselves, straight from or to the memory of the owners. The owners do
//! not take part, and the executing images do not wait for them: programs synchronise before and after.

use super::StoredSection;
use super::copy::{Arrival, across, pack, unpack};
use super::entered;
use super::exchange::named;
use super::gmove::{check_elements, check_side};
use super::plan::{ArraySection, Gmove, Transfer, moves};
use smallvec::SmallVec;
use std::rc::Rc;
use xmp_core::global::{Array, Section};
use xmp_core::image_set::ImageSet;
use xmp_core::nest::{Loop, Nest};
use xmp_core::process::memory;
use xmp_core::transport::{FlushScope, Layout, Run};
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
    let right = ArraySection { array: remote.array, section: right.section };
    let gmove = Gmove::new(left, right, remote.element).map_err(named("gmove"))?;
    check_side("gmove", set, left)?;
    remote.for_each(gmove.received_by(image.rank()), |owner, address, transfer| {
        enter(image, transfer, storage.base, (owner, address), false);
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
                    for_each_batch(transfer, address, true, |runs| {
                        memory::read_runs(image, owner, storage.base, runs)
                    })?;
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
    let left = ArraySection { array: remote.array, section: left.section };
    let gmove = Gmove::new(left, right, storage.element).map_err(named("gmove"))?;
    check_side("gmove", set, right)?;
    remote.for_each(gmove.sent_by(image.rank()), |owner, address, transfer| {
        enter(image, transfer, storage.base, (owner, address), true);
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
                    return for_each_batch(transfer, address, false, |runs| {
                        memory::write_runs(image, owner, storage.base, runs)
                    });
                }
            }
        }
        image.transport().flush(FlushScope::Target(owner))
    })
}

/// Enters the accesses of a transfer between this image and an owner. What is in no segment is not entered.
fn enter(
    image: &Image,
    transfer: &Transfer,
    base: *const u8,
    (owner, address): (Rank, RemoteAddress),
    into: bool,
) {
    if let RemoteAddress::Segment(offset) = address {
        entered::one_sided(image, transfer, base, (owner, offset), into);
    }
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

/// Most runs that are collected for one call.
const MAX_RUNS: usize = 1 << 14;

/// Calls `access` with the runs of a transfer between this image and an address of another process, up to [`MAX_RUNS`] at a
/// time. `from_process`: whether the source is there.
fn for_each_batch(
    transfer: &Transfer,
    address: u64,
    from_process: bool,
    access: impl Fn(&[Run]) -> Result<()>,
) -> Result<()> {
    let mut runs = Vec::new();
    let mut outcome = Ok(());
    for cell in transfer.cells() {
        cell.for_each(|from, to, inner| {
            for i in 0..inner.extent {
                let (from, to) = (from + i * inner.from, to + i * inner.to);
                let (there, here) = if from_process { (from, to) } else { (to, from) };
                if runs.len() == MAX_RUNS && outcome.is_ok() {
                    outcome = access(&runs);
                    runs.clear();
                }
                let offset = address.wrapping_add_signed(there);
                runs.push(Run { offset, local: here as isize, len: cell.unit });
            }
        });
    }
    outcome?;
    if runs.is_empty() { Ok(()) } else { access(&runs) }
}
