//! Gmove `in` and `out`: one side may be on images that do not execute it (XcalableMP 1.4, 4.5.2).
//!
//! Images get or put what they need themselves, straight from or to the memory of the owners, which do not take part and
//! are not waited for. Who wants to know that they are ready, or done, synchronises.

use super::Storage;
use super::copy::{Arrival, across};
use super::exchange::named;
use super::gmove::{check_elements, check_side};
use super::plan::{Gmove, Side, Transfer};
use smallvec::SmallVec;
use std::rc::Rc;
use xmp_core::global::{Array, Section};
use xmp_core::image_set::ImageSet;
use xmp_core::transport::{self, Dim};
use xmp_core::{Image, Rank, Result};

/// An array that others store in their segments.
#[derive(Clone, Copy)]
pub struct Remote<'a> {
    /// The mapping.
    pub array: &'a Rc<Array>,
    /// Bytes of an element.
    pub element: usize,
    /// Offset in the segment of an image where it stores its part.
    pub offset: &'a dyn Fn(Rank) -> u64,
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
/// The left storage is valid, and so are the offsets of the right side; nobody changes what is read or accesses what is
/// written meanwhile. The sections do not overlap.
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
    for (owner, transfer) in gmove.received_by(image.rank()) {
        let offset = (right.offset)(owner);
        // SAFETY: the caller's guarantee.
        unsafe {
            match image.near(owner, offset) {
                Some(near) => across(&transfer, near, left.base, Arrival::Replace),
                None => {
                    for (at, into, steps, run) in sections(&transfer, false) {
                        let (offset, section) = (
                            offset.wrapping_add_signed(at),
                            transport::Section { run, dims: &steps },
                        );
                        let into = left.base.wrapping_offset(into as isize);
                        image.transport().get_strided(owner, offset, into, section)?;
                    }
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
    for (owner, transfer) in gmove.sent_by(image.rank()) {
        let offset = (left.offset)(owner);
        // SAFETY: the caller's guarantee.
        unsafe {
            match image.near(owner, offset) {
                Some(near) => across(&transfer, right.base, near, Arrival::Replace),
                None => {
                    for (into, at, steps, run) in sections(&transfer, true) {
                        let (offset, section) = (
                            offset.wrapping_add_signed(into),
                            transport::Section { run, dims: &steps },
                        );
                        let from = right.base.wrapping_offset(at as isize).cast_const();
                        image.transport().put_strided(owner, offset, from, section)?;
                    }
                }
            }
        }
        image.transport().flush(owner)?;
    }
    Ok(())
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
) -> impl Iterator<Item = (i64, i64, SmallVec<[Dim; 4]>, usize)> + '_ {
    transfer.cells.iter().map(move |cell| {
        let order = |[from, to]: [i64; 2]| if put { (to, from) } else { (from, to) };
        let (remote, local) = order([cell.from, cell.to]);
        let dims = cell.steps.iter().map(|step| {
            let (remote, local) = order([step.from, step.to]);
            Dim { extent: step.extent as usize, remote, local }
        });
        (remote, local, dims.collect(), cell.unit)
    })
}
