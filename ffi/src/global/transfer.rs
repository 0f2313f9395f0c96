//! Coarrays of C: put and get (XcalableMP 1.4, 5.1), of sections.
//!
//! A put returns when the source may be changed; it has arrived when the image has synchronised, or orders its memory.

use super::coarray::{Bytes, CoarrayObject, Triplet};
use super::error::{DirectiveError, Outcome};
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::races;
use xmp_coarray::front_end::transfer::{MemoryRef, Transfer, buffer};
use xmp_core::Image;
use xmp_core::counted::counted;

/// A section of an array of elements in memory.
pub struct Section {
    /// Its first element.
    pub place: MemoryRef,
    /// The places of the other elements.
    pub bytes: Bytes,
}

impl Section {
    /// For the check for races.
    fn side(&self, element: usize) -> races::AccessedElements<'_> {
        races::AccessedElements { base: self.place, size: element, axes: &self.bytes.axes }
    }
}

/// The coarray's and the local section of a transfer.
struct Sides {
    element: usize,
    remote: Section,
    local: Section,
}

/// A section of an array of the program.
#[derive(Clone, Copy, Debug)]
pub struct Local<'a> {
    /// The start of the array.
    pub start: *mut u8,
    /// The section: a subscript of each dimension.
    pub section: &'a [Triplet],
    /// Bytes between its elements in each dimension.
    pub apart: &'a [i64],
}

/// A section of a coarray on an image.
#[derive(Clone, Copy, Debug)]
pub struct Remote<'a> {
    /// The coarray.
    pub coarray: &'a CoarrayObject,
    /// The section: a subscript of each dimension.
    pub section: &'a [Triplet],
    /// The index of the image.
    pub index: i64,
}

/// The sections of a transfer; `None` if they have no elements.
fn sides(image: &Image, remote: Remote<'_>, local: Local<'_>) -> Outcome<Option<Sides>> {
    let Remote { coarray, section, index } = remote;
    let (given, needed) = (section.len(), coarray.extents.len());
    if given != needed {
        let (given, needed) = (counted(given, "subscript"), counted(needed, "dimension"));
        return Err(DirectiveError::because(format!("{given} for {needed}")));
    }
    let of_remote = Bytes::of(section, &coarray.strides())?;
    let of_local = Bytes::of(local.section, local.apart)?;
    if of_remote.count == 0 || of_local.count == 0 {
        return Ok(None);
    }
    // Checked within the whole coarray: programs exceed the bounds of a dimension to access the elements after it.
    let bytes = of_remote.range(coarray.element);
    coarray.block.check(bytes.start, bytes.end).map_err(|error| {
        let subscript = subscript_outside(section, &coarray.extents);
        subscript.map_or_else(|| error.into(), DirectiveError::because)
    })?;
    let at = coarray.place(image, index, of_remote.start, coarray.element as i64)?;
    let start = local.start.wrapping_offset(of_local.start as isize);
    Ok(Some(Sides {
        element: coarray.element,
        remote: Section { place: MemoryRef::of(image, at), bytes: of_remote },
        local: Section { place: MemoryRef::Local(start), bytes: of_local },
    }))
}

/// `x[..]:[image] = local[..]`
///
/// # Errors
/// For subscripts outside of the coarray, and numbers of elements that differ; the errors of the transfer.
///
/// # Safety
/// The local section is there, and no image accesses either in a conflicting way.
pub unsafe fn put(image: &Image, to: Remote<'_>, from: Local<'_>) -> Outcome {
    let Some(Sides { element, remote, local }) = sides(image, to, from)? else { return Ok(()) };
    // SAFETY: the remote section is within the coarray; the caller guarantees the rest.
    unsafe { copy(image, element, &remote, &local) }
}

/// `local[..] = x[..]:[image]`
///
/// # Errors
/// As [`put`].
///
/// # Safety
/// As [`put`].
pub unsafe fn get(image: &Image, to: Local<'_>, from: Remote<'_>) -> Outcome {
    let Some(Sides { element, remote, local }) = sides(image, from, to)? else { return Ok(()) };
    // SAFETY: the remote section is within the coarray; the caller guarantees the rest.
    unsafe { copy(image, element, &local, &remote) }
}

/// Bytes between the elements of an array in the order of C. The first extent does not matter.
pub fn strides(extents: &[i64], element: usize) -> Vec<i64> {
    let mut strides = vec![element as i64; extents.len()];
    for dim in (1..extents.len()).rev() {
        strides[dim - 1] = strides[dim].saturating_mul(extents[dim]);
    }
    strides
}

/// The first subscript of a section that is out of bounds, in words.
#[cold]
fn subscript_outside(section: &[Triplet], extents: &[i64]) -> Option<String> {
    section.iter().zip(extents).enumerate().find_map(|(dim, (triplet, &extent))| {
        let steps = triplet.len.saturating_sub(1).saturating_mul(triplet.stride);
        let ends = [triplet.start, triplet.start.saturating_add(steps)];
        let outside = ends.into_iter().find(|end| !(0..extent).contains(end))?;
        Some(format!("subscript {outside} of dimension {} is not in 0:{}", dim + 1, extent - 1))
    })
}

/// Copies between sections that have as many elements, or from one element to all.
///
/// # Errors
/// For numbers of elements that differ; the errors of the transfer.
///
/// # Safety
/// Both sections are there, and no image accesses them in a conflicting way.
pub unsafe fn copy(image: &Image, element: usize, to: &Section, from: &Section) -> Outcome {
    let (of_to, of_from) = (&to.bytes, &from.bytes);
    if of_from.count != of_to.count && of_from.count != 1 {
        let (to, from) = (counted(of_to.count, "element"), counted(of_from.count, "element"));
        return Err(DirectiveError::because(format!("{from} cannot be assigned to {to}")));
    }
    races::transfer(image, to.side(element), from.side(element));
    let extents = |bytes: &Bytes| bytes.axes.iter().map(Axis::extent).collect::<Vec<usize>>();
    let source = if of_from.count == 1 { &[][..] } else { &of_from.axes[..] };
    if source.is_empty() || extents(of_to) == extents(of_from) {
        let transfer = Transfer::copy(element, &of_to.axes, source)?;
        // SAFETY: both sections are there, and no image accesses them in a conflicting way.
        unsafe { transfer.execute(image, to.place, from.place)? };
        return Ok(());
    }
    // As many elements in another shape: one after the other through a buffer.
    let mut between = buffer(of_to.count as usize * element)?;
    let packed = |bytes: &Bytes| -> Vec<Axis<'static>> {
        let mut stride = element as i64;
        let axis = |extent: usize| {
            let axis = Axis::Stride { extent, stride };
            stride *= extent as i64;
            axis
        };
        extents(bytes).into_iter().map(axis).collect()
    };
    let place = MemoryRef::Local(between.as_mut_ptr());
    // SAFETY: both sections are there; the buffer has room for all elements.
    unsafe {
        Transfer::copy(element, &packed(of_from), source)?.execute(image, place, from.place)?;
        Transfer::copy(element, &of_to.axes, &packed(of_to))?.execute(image, to.place, place)?;
    }
    Ok(())
}
