//! Gmove `in` and `out`: one side may be on images that do not execute it (XcalableMP 1.4, 4.5.2).
//!
//! Images get or put what they need themselves, straight from or to the memory of the owners, which do not take part
//! and are not waited for. Who wants to know that they are ready, or done, synchronises.

use super::Storage;
use super::copy::{Arrival, across, pack, unpack};
use super::exchange::named;
use super::gmove::{check_elements, check_side};
use super::plan::{Gmove, Side, Transfer, moves};
use smallvec::SmallVec;
use std::rc::Rc;
use xmp_core::global::{Array, Section};
use xmp_core::image_set::ImageSet;
use xmp_core::nest::{Loop, Nest};
use xmp_core::process::memory;
use xmp_core::transport::{FlushScope, Layout};
use xmp_core::{Image, Rank, Result};

/// Where an image stores its part of an array that others get at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An offset in its segment.
    Segment(u64),
    /// An address in its process; the system copies what is there, which takes longer.
    Process(u64),
}

/// An array that others store where this image can get at it.
#[derive(Clone, Copy)]
pub struct Remote<'a> {
    /// The mapping.
    pub array: &'a Rc<Array>,
    /// Bytes of an element.
    pub element: usize,
    /// Where an image stores its part; an error if that is not known. Asked for owners only, before anything is copied.
    pub place: &'a dyn Fn(Rank) -> Result<Place>,
}

impl std::fmt::Debug for Remote<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("array", self.array).field("element", &self.element).finish()
    }
}

/// `gmove in`: assigns a section of an array that may be on any images to one on images of the set. Each image of the
/// set calls it, and returns when it has its part.
///
/// # Errors
/// As [`super::gmove`], of the left side alone, or when an owner cannot be reached.
///
/// # Safety
/// The left storage is valid, and so are the offsets of the right side; no other access changes what is read or touches
/// what is written meanwhile. Which elements overlapping sections of one array get is
/// unspecified, if other images have any of them.
pub unsafe fn gmove_in(
    image: &Image,
    set: &ImageSet,
    (left, to): (&Storage, &Section),
    (right, from): (Remote<'_>, &Section),
) -> Result<()> {
    check_elements("gmove", left.element, right.element)?;
    let sides = [(&left.array, to), (right.array, from)];
    let gmove = planned(sides, left.element)?;
    check_side("gmove", set, sides[0])?;
    let transfers = gmove.received_by(image.rank());
    let places = transfers.iter().map(|(owner, _)| (right.place)(*owner));
    let places = places.collect::<Result<Vec<Place>>>()?;
    for ((owner, transfer), place) in transfers.into_iter().zip(places) {
        // SAFETY: both storages are valid for what the transfers touch (contract above).
        unsafe {
            match place {
                Place::Segment(offset) => from_segment(image, owner, offset, &transfer, left.base)?,
                Place::Process(address) => {
                    from_process(image, owner, address, &transfer, left.base)?
                }
            }
        }
    }
    Ok(())
}

/// `gmove out`: assigns a section of an array on images of the set to one that may be on any images. Each image of the
/// set calls it, and returns when its part has arrived.
///
/// # Errors
/// As [`super::gmove`], of the right side alone, or when an owner cannot be reached.
///
/// # Safety
/// As [`gmove_in`], the sides exchanged.
pub unsafe fn gmove_out(
    image: &Image,
    set: &ImageSet,
    (left, to): (Remote<'_>, &Section),
    (right, from): (&Storage, &Section),
) -> Result<()> {
    check_elements("gmove", left.element, right.element)?;
    let sides = [(left.array, to), (&right.array, from)];
    let gmove = planned(sides, right.element)?;
    check_side("gmove", set, sides[1])?;
    let transfers = gmove.sent_by(image.rank());
    let places = transfers.iter().map(|(owner, _)| (left.place)(*owner));
    let places = places.collect::<Result<Vec<Place>>>()?;
    for ((owner, transfer), place) in transfers.into_iter().zip(places) {
        // SAFETY: both storages are valid for what the transfers touch (contract above).
        unsafe {
            match place {
                Place::Segment(offset) => to_segment(image, owner, offset, &transfer, right.base)?,
                Place::Process(address) => {
                    to_process(image, owner, address, &transfer, right.base)?
                }
            }
        }
    }
    Ok(())
}

/// Gets what a transfer has from a segment.
///
/// # Safety
/// As [`gmove_in`].
unsafe fn from_segment(
    image: &Image,
    owner: Rank,
    offset: u64,
    transfer: &Transfer,
    base: *mut u8,
) -> Result<()> {
    // SAFETY: both storages are valid for what the transfers touch (contract above).
    unsafe {
        if let Some(near) = image.local_address(owner, offset) {
            copy_near(transfer, near, base);
            return Ok(());
        }
        for (at, into, steps, run) in sections(transfer, false) {
            let nest = Nest { unit: run, loops: &steps };
            let (at, into) = (offset.wrapping_add_signed(at), base.wrapping_offset(into as isize));
            image.transport().get(owner, at, into, Layout::Nest(nest))?;
        }
    }
    Ok(())
}

/// Copies what a transfer has between arrays of this host. Sections of one array may overlap: they go through a copy.
///
/// # Safety
/// Both are valid for what the transfer touches.
unsafe fn copy_near(transfer: &Transfer, from: *mut u8, to: *mut u8) {
    // SAFETY: both storages are valid for what the transfers touch (contract above).
    unsafe {
        if from != to {
            return across(transfer, from, to, Arrival::Replace);
        }
        let transfer = std::slice::from_ref(transfer);
        let mut kept = vec![0_u8; moves::bytes(transfer)];
        pack(transfer, from, &mut kept);
        unpack(transfer, &kept, to, Arrival::Replace);
    }
}

/// Puts what a transfer has into a segment.
///
/// # Safety
/// As [`gmove_out`].
unsafe fn to_segment(
    image: &Image,
    owner: Rank,
    offset: u64,
    transfer: &Transfer,
    base: *mut u8,
) -> Result<()> {
    // SAFETY: both storages are valid for what the transfers touch (contract above).
    unsafe {
        match image.local_address(owner, offset) {
            Some(near) => copy_near(transfer, base, near),
            None => {
                for (into, at, steps, run) in sections(transfer, true) {
                    let nest = Nest { unit: run, loops: &steps };
                    let from = base.wrapping_offset(at as isize).cast_const();
                    let into = offset.wrapping_add_signed(into);
                    image.transport().put(owner, into, from, Layout::Nest(nest))?;
                }
            }
        }
    }
    image.transport().flush(FlushScope::Target(owner))
}

/// Most bytes that are read to get fewer of them.
const SPARSE: usize = 1 << 16;

/// Gets what a transfer has from an address in a process: all from the first to the last byte of a cell at once, unless
/// that is far more.
///
/// # Safety
/// As [`gmove_in`].
unsafe fn from_process(
    image: &Image,
    owner: Rank,
    address: u64,
    transfer: &Transfer,
    base: *mut u8,
) -> Result<()> {
    if owner == image.rank() {
        let from = std::ptr::with_exposed_provenance(address as usize);
        // SAFETY: both storages are valid for what the transfers touch (contract above).
        unsafe { across(transfer, from, base, Arrival::Replace) };
        return Ok(());
    }
    let mut buffer = Vec::new();
    for cell in transfer.cells() {
        // The way of all loops that go back, and of all that go forth.
        let ways = cell.steps.iter().map(|step| (step.extent - 1) * step.from);
        let (back, forth) = ways
            .fold((0, 0), |(back, forth): (i64, i64), way| (back + way.min(0), forth + way.max(0)));
        let span = (forth - back) as usize + cell.unit;
        if span <= (4 * cell.bytes()).max(SPARSE) {
            buffer.resize(span, 0);
            let start = address.wrapping_add_signed(cell.from + back);
            let whole = Transfer::new(vec![super::plan::Cell { from: -back, ..cell.clone() }]);
            // SAFETY: both storages are valid for what the transfers touch (contract above); what lies between is
            // memory of the array, too.
            unsafe {
                memory::read(image, owner, start, buffer.as_mut_ptr(), span)?;
                across(&whole, buffer.as_ptr(), base, Arrival::Replace);
            }
            continue;
        }
        let mut outcome = Ok(());
        cell.for_each(|at, into, step| {
            for i in 0..step.extent {
                let from = address.wrapping_add_signed(at + i * step.from);
                let to = base.wrapping_offset((into + i * step.to) as isize);
                if outcome.is_ok() {
                    // SAFETY: both storages are valid for what the transfers touch (contract above).
                    outcome = unsafe { memory::read(image, owner, from, to, cell.unit) };
                }
            }
        });
        outcome?;
    }
    Ok(())
}

/// Puts what a transfer has to an address in a process: what is contiguous there at once.
///
/// # Safety
/// As [`gmove_out`].
unsafe fn to_process(
    image: &Image,
    owner: Rank,
    address: u64,
    transfer: &Transfer,
    base: *mut u8,
) -> Result<()> {
    if owner == image.rank() {
        let to = std::ptr::with_exposed_provenance_mut(address as usize);
        // SAFETY: both storages are valid for what the transfers touch (contract above).
        unsafe { across(transfer, base, to, Arrival::Replace) };
        return Ok(());
    }
    let mut row = Vec::new();
    let mut outcome = Ok(());
    for cell in transfer.cells() {
        cell.for_each(|at, into, step| {
            let from = |i: i64| base.wrapping_offset((at + i * step.from) as isize).cast_const();
            let to = |i: i64| address.wrapping_add_signed(into + i * step.to);
            if step.to == cell.unit as i64 {
                row.clear();
                for i in 0..step.extent {
                    // SAFETY: both storages are valid for what the transfers touch (contract above).
                    row.extend(unsafe { std::slice::from_raw_parts(from(i), cell.unit) });
                }
                if outcome.is_ok() {
                    // SAFETY: both storages are valid for what the transfers touch (contract above).
                    outcome =
                        unsafe { memory::write(image, owner, to(0), row.as_ptr(), row.len()) };
                }
                return;
            }
            for i in 0..step.extent {
                if outcome.is_ok() {
                    // SAFETY: both storages are valid for what the transfers touch (contract above).
                    outcome = unsafe { memory::write(image, owner, to(i), from(i), cell.unit) };
                }
            }
        });
    }
    outcome
}

fn planned<'a>(
    [left, right]: [(&'a Rc<Array>, &'a Section); 2],
    element: usize,
) -> Result<Gmove<'a>> {
    let side = |(array, section): (&'a Rc<Array>, &'a Section)| Side { array, section };
    Gmove::new(side(left), side(right), element).map_err(named("gmove"))
}

/// The cells of a transfer for a transport: where they begin on the remote side and here, the loops, and the bytes at
/// each point. The remote side is the one that gets if it is a `put`, else the one that gives.
fn sections(
    transfer: &Transfer,
    put: bool,
) -> impl Iterator<Item = (i64, i64, SmallVec<[Loop; 4]>, usize)> + '_ {
    transfer.cells().iter().map(move |cell| {
        let order = |[from, to]: [i64; 2]| if put { (to, from) } else { (from, to) };
        let (remote, local) = order([cell.from, cell.to]);
        let dims = cell.steps.iter().map(|step| {
            let (remote, local) = order([step.from, step.to]);
            Loop { extent: step.extent as usize, remote, local }
        });
        (remote, local, dims.collect(), cell.unit)
    })
}
