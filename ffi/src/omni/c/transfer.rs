//! Coarrays of C: put and get (XcalableMP 1.4, 5.1). Calls that give the remote section, the local one and
//! the image come before.
//!
//! A put returns when the source may be changed; it has arrived when the image has synchronised, or orders its memory.

use crate::omni::entry::{Memory, for_c};
use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{Bytes, CoarrayObject, CoarrayTriplet as Triplet, Descriptor, Object};
use crate::process::{Instance, OfImage, enter, instance};
use std::cell::RefCell;
use std::ffi::{c_int, c_long};
use xmp_coarray::front_end::plan::Axis;
use xmp_coarray::front_end::transfer::{MemoryRef, Transfer, buffer};
use xmp_core::Image;

/// The sections and the image of the next transfer.
#[derive(Debug, Default)]
struct Sections {
    remote: Vec<Triplet>,
    local: Vec<Triplet>,
    /// Bytes between the elements of the local array, by dimension.
    apart: Vec<i64>,
    image: Vec<c_int>,
}

static SECTIONS: OfImage<RefCell<Sections>> = OfImage::new(RefCell::new(Sections {
    remote: Vec::new(),
    local: Vec::new(),
    apart: Vec::new(),
    image: Vec::new(),
}));

/// Declares calls that give the remote section.
macro_rules! remote {
    ($($name:ident($($start:ident $len:ident $stride:ident,)*))*) => { $(
        /// The section of the coarray: for each dimension start, length and stride.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($start: c_long, $len: c_long, $stride: c_long,)*) {
            let _entered = enter();
            SECTIONS.of(instance()).borrow_mut().remote =
                vec![$(Triplet { start: $start, len: $len, stride: $stride }),*];
        }
    )* };
}

remote! {
    _XMP_coarray_rdma_coarray_set_1(a0 a1 a2,)
    _XMP_coarray_rdma_coarray_set_2(a0 a1 a2, b0 b1 b2,)
    _XMP_coarray_rdma_coarray_set_3(a0 a1 a2, b0 b1 b2, c0 c1 c2,)
    _XMP_coarray_rdma_coarray_set_4(a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2,)
    _XMP_coarray_rdma_coarray_set_5(a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2, e0 e1 e2,)
    _XMP_coarray_rdma_coarray_set_6(a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2, e0 e1 e2, f0 f1 f2,)
    _XMP_coarray_rdma_coarray_set_7(
        a0 a1 a2, b0 b1 b2, c0 c1 c2, d0 d1 d2, e0 e1 e2, f0 f1 f2, g0 g1 g2,
    )
}

/// Declares calls that give the local section.
macro_rules! local {
    ($($name:ident($($start:ident $len:ident $stride:ident $extent:ident,)*))*) => { $(
        /// The section of the local array: for each dimension start, length, stride and extent; bytes of an element.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            $($start: c_long, $len: c_long, $stride: c_long, $extent: c_long,)*
            element: usize,
        ) {
            let _entered = enter();
            let mut sections = SECTIONS.of(instance()).borrow_mut();
            sections.local = vec![$(Triplet { start: $start, len: $len, stride: $stride }),*];
            sections.apart = strides(&[$($extent),*], element);
        }
    )* };
}

local! {
    _XMP_coarray_rdma_array_set_1(a0 a1 a2 a3,)
    _XMP_coarray_rdma_array_set_2(a0 a1 a2 a3, b0 b1 b2 b3,)
    _XMP_coarray_rdma_array_set_3(a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3,)
    _XMP_coarray_rdma_array_set_4(a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3,)
    _XMP_coarray_rdma_array_set_5(
        a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3, e0 e1 e2 e3,
    )
    _XMP_coarray_rdma_array_set_6(
        a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3, e0 e1 e2 e3, f0 f1 f2 f3,
    )
    _XMP_coarray_rdma_array_set_7(
        a0 a1 a2 a3, b0 b1 b2 b3, c0 c1 c2 c3, d0 d1 d2 d3, e0 e1 e2 e3, f0 f1 f2 f3, g0 g1 g2 g3,
    )
}

/// Bytes between the elements of an array in the order of C. The first extent does not matter.
fn strides(extents: &[i64], element: usize) -> Vec<i64> {
    let mut strides = vec![element as i64; extents.len()];
    for dim in (1..extents.len()).rev() {
        strides[dim - 1] = strides[dim].saturating_mul(extents[dim]);
    }
    strides
}

/// Declares calls that give the image.
macro_rules! images {
    ($($name:ident($($subscript:ident)*))*) => { $(
        /// The cosubscripts of the image, from 0.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($subscript: c_int),*) {
            let _entered = enter();
            SECTIONS.of(instance()).borrow_mut().image = vec![$($subscript),*];
        }
    )* };
}

images! {
    _XMP_coarray_rdma_image_set_1(a)
    _XMP_coarray_rdma_image_set_2(a b)
    _XMP_coarray_rdma_image_set_3(a b c)
    _XMP_coarray_rdma_image_set_4(a b c d)
    _XMP_coarray_rdma_image_set_5(a b c d e)
    _XMP_coarray_rdma_image_set_6(a b c d e f)
    _XMP_coarray_rdma_image_set_7(a b c d e f g)
}

/// A section of an array of elements in memory.
struct Section {
    place: MemoryRef,
    bytes: Bytes,
}

/// The coarray's and the local section of a transfer.
struct Sides {
    element: usize,
    remote: Section,
    local: Section,
}

/// The sections that were given, of this coarray and this local array; `None` if they have no elements.
fn sides(image: &Image, coarray: &CoarrayObject, local: Memory) -> Outcome<Option<Sides>> {
    let given_sections = std::mem::take(&mut *SECTIONS.of(instance()).borrow_mut());
    let (given, needed) = (given_sections.remote.len(), coarray.extents.len());
    if given != needed {
        return Err(Wrong::because(format!("{given} subscripts for {needed} dimensions")));
    }
    let of_remote = Bytes::of(&given_sections.remote, &coarray.strides())?;
    let of_local = Bytes::of(&given_sections.local, &given_sections.apart)?;
    if of_remote.count == 0 || of_local.count == 0 {
        return Ok(None);
    }
    let index = coarray.image_index(&given_sections.image, image.settings().first_image_in_c)?;
    // Within the coarray as a whole: programs go beyond a dimension to get at what lies behind it.
    let bytes = of_remote.range(coarray.element);
    coarray.block.check(bytes.start, bytes.end).map_err(|error| {
        let subscript = subscript_outside(&given_sections.remote, &coarray.extents);
        subscript.map_or_else(|| error.into(), Wrong::because)
    })?;
    let at = coarray.place(image, index, of_remote.start, coarray.element as i64)?;
    let start = local.start().wrapping_offset(of_local.start as isize);
    Ok(Some(Sides {
        element: coarray.element,
        remote: Section { place: MemoryRef::of(image, at), bytes: of_remote },
        local: Section { place: MemoryRef::Local(start), bytes: of_local },
    }))
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
/// # Safety
/// Both sections are there, and no image accesses them in a conflicting way.
unsafe fn copy(image: &Image, element: usize, to: &Section, from: &Section) -> Outcome {
    let (of_to, of_from) = (&to.bytes, &from.bytes);
    if of_from.count != of_to.count && of_from.count != 1 {
        let (to, from) = (of_to.count, of_from.count);
        return Err(Wrong::because(format!("{to} elements are assigned from {from}")));
    }
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

/// Elements in a row from a byte of a coarray of an image on.
#[derive(Clone, Copy)]
struct Row<'a> {
    coarray: &'a CoarrayObject,
    /// The image by its index in C; this image without.
    image: Option<c_int>,
    /// In bytes.
    offset: c_long,
    count: c_long,
}

impl Row<'_> {
    fn section(&self, element: usize) -> Outcome<Section> {
        let Instance { image, .. } = instance();
        let first = i64::from(image.settings().first_image_in_c);
        let index = match self.image {
            Some(index) => i64::from(index) - first + 1,
            None => image.stack().index_and_size().0.into(),
        };
        let bytes = self.count.saturating_mul(element as i64);
        let at = self.coarray.place(image, index, self.offset, bytes)?;
        let axes = vec![Axis::Stride { extent: self.count as usize, stride: element as i64 }];
        let bytes = Bytes { start: 0, axes, count: self.count };
        Ok(Section { place: MemoryRef::of(image, at), bytes })
    }
}

/// Copies elements in a row from one coarray to another; nothing where one of the rows is empty.
fn copy_row(to: Row<'_>, from: Row<'_>) -> Outcome {
    if to.count <= 0 || from.count <= 0 {
        return Ok(());
    }
    let element = to.coarray.element;
    let (to, from) = (to.section(element)?, from.section(element)?);
    // SAFETY: both lie within the coarrays; the program orders accesses.
    unsafe { copy(&instance().image, element, &to, &from) }
}

for_c! {
    /// `x[..]:[image] = local[..]`
    "put to a coarray" fn _XMP_coarray_put(
        coarray: &Object<CoarrayObject>, local: Memory, _local_coarray: Descriptor,
    ) {
        let image = &instance().image;
        let Some(Sides { element, remote, local }) = sides(image, coarray, local)? else { return Ok(()) };
        // SAFETY: the remote section lies within the coarray; the contract of entries: the local one is there.
        unsafe { copy(image, element, &remote, &local) }
    }

    /// `local[..] = x[..]:[image]`
    "get from a coarray" fn _XMP_coarray_get(
        coarray: &Object<CoarrayObject>, local: Memory, _local_coarray: Descriptor,
    ) {
        let image = &instance().image;
        let Some(Sides { element, remote, local }) = sides(image, coarray, local)? else { return Ok(()) };
        // SAFETY: the remote section lies within the coarray; the contract of entries: the local one is there.
        unsafe { copy(image, element, &local, &remote) }
    }

    /// Elements of a coarray of this image to a coarray of another one; offsets in bytes.
    "put to a coarray" fn _XMP_coarray_contiguous_put(
        index: c_int, to: &Object<CoarrayObject>, from: &Object<CoarrayObject>, to_offset: c_long,
        from_offset: c_long, to_count: c_long, from_count: c_long,
    ) {
        copy_row(
            Row { coarray: to, image: Some(index), offset: to_offset, count: to_count },
            Row { coarray: from, image: None, offset: from_offset, count: from_count },
        )
    }

    /// Elements of a coarray of another image to a coarray of this one.
    "get from a coarray" fn _XMP_coarray_contiguous_get(
        index: c_int, to: &Object<CoarrayObject>, from: &Object<CoarrayObject>, to_offset: c_long,
        from_offset: c_long, to_count: c_long, from_count: c_long,
    ) {
        copy_row(
            Row { coarray: to, image: None, offset: to_offset, count: to_count },
            Row { coarray: from, image: Some(index), offset: from_offset, count: from_count },
        )
    }
}
