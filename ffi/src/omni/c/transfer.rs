//! Coarrays of C: put and get (XcalableMP 1.4, 5.1). The remote section, the local one and the image are said before.
//!
//! A put returns when the source may be changed; it has arrived when the image has synchronised, or orders its memory.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Bytes, CoarrayObject, CoarrayTriplet as Triplet, Descriptor, Object};
use crate::process::{Instance, enter, instance};
use std::ffi::{c_int, c_long, c_void};
use xmp_coarray::plan::Axis;
use xmp_coarray::transfer::{Place, Transfer, buffer};
use xmp_core::Image;

/// What was said of the next transfer.
#[derive(Debug, Default)]
pub struct Sections {
    remote: Vec<Triplet>,
    local: Vec<Triplet>,
    /// Bytes between the elements of the local array, by dimension.
    apart: Vec<i64>,
    image: Vec<c_int>,
}

/// Defines calls that say the remote section.
macro_rules! remote {
    ($($name:ident($($start:ident $len:ident $stride:ident,)*))*) => { $(
        /// The section of the coarray: for each dimension start, length and stride.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($start: c_long, $len: c_long, $stride: c_long,)*) {
            let _entered = enter();
            instance().omni.sections.borrow_mut().remote =
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

/// Defines calls that say the local section.
macro_rules! local {
    ($($name:ident($($start:ident $len:ident $stride:ident $extent:ident,)*))*) => { $(
        /// The section of the local array: for each dimension start, length, stride and extent; bytes of an element.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(
            $($start: c_long, $len: c_long, $stride: c_long, $extent: c_long,)*
            element: usize,
        ) {
            let _entered = enter();
            let mut sections = instance().omni.sections.borrow_mut();
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

/// Defines calls that say the image.
macro_rules! images {
    ($($name:ident($($subscript:ident)*))*) => { $(
        /// The cosubscripts of the image, from 0.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($subscript: c_int),*) {
            let _entered = enter();
            instance().omni.sections.borrow_mut().image = vec![$($subscript),*];
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

/// Both sides of a transfer.
struct Sides {
    element: usize,
    remote: Place,
    of_remote: Bytes,
    local: *mut u8,
    of_local: Bytes,
}

/// What was said, of this coarray and this local array; `None` if it is nothing.
///
/// # Safety
/// `coarray` describes one.
unsafe fn sides(image: &Image, coarray: Descriptor, local: *mut c_void) -> Outcome<Option<Sides>> {
    // SAFETY: the caller's guarantee.
    let coarray = unsafe { Object::<CoarrayObject>::of(coarray)? };
    let said = std::mem::take(&mut *instance().omni.sections.borrow_mut());
    let (given, needed) = (said.remote.len(), coarray.extents.len());
    if given != needed {
        return Err(Wrong::because(format!("{given} subscripts for {needed} dimensions")));
    }
    let of_remote = Bytes::of(&said.remote, &coarray.strides())?;
    let of_local = Bytes::of(&said.local, &said.apart)?;
    if of_remote.count == 0 || of_local.count == 0 {
        return Ok(None);
    }
    let index = coarray.image_index(&said.image, image.settings().first_image_in_c)?;
    // Within the coarray as a whole: programs go beyond a dimension to get at what lies behind it.
    let bytes = of_remote.range(coarray.element);
    coarray.block.check(bytes.start, bytes.end)?;
    let at = coarray.place(image, index, (of_remote.start, coarray.element as i64))?;
    let local = local.cast::<u8>().wrapping_offset(of_local.start as isize);
    let (element, remote) = (coarray.element, Place::of(image, at));
    Ok(Some(Sides { element, remote, of_remote, local, of_local }))
}

/// Copies between sections that have as many elements, or from one element to all.
///
/// # Safety
/// Both sections are there, and nobody accesses them in a conflicting way.
unsafe fn copy(
    image: &Image,
    element: usize,
    (to, of_to): (Place, &Bytes),
    (from, of_from): (Place, &Bytes),
) -> Outcome {
    if of_from.count != of_to.count && of_from.count != 1 {
        let (to, from) = (of_to.count, of_from.count);
        return Err(Wrong::because(format!("{to} elements are assigned from {from}")));
    }
    let extents = |bytes: &Bytes| -> Vec<usize> {
        bytes
            .axes
            .iter()
            .map(|axis| match axis {
                Axis::Stride { extent, .. } => *extent,
                Axis::Index(offsets) => offsets.len(),
            })
            .collect()
    };
    let source = if of_from.count == 1 { &[][..] } else { &of_from.axes[..] };
    if source.is_empty() || extents(of_to) == extents(of_from) {
        // SAFETY: the caller's guarantee.
        unsafe { Transfer::copy(element, &of_to.axes, source)?.execute(image, to, from)? };
        return Ok(());
    }
    // As many elements in another shape: one after the other through a buffer.
    let mut between = buffer(of_to.count as usize * element)?;
    let packed = |bytes: &Bytes| -> Vec<Axis<'static>> {
        let mut stride = element as i64;
        extents(bytes)
            .into_iter()
            .map(|extent| {
                let axis = Axis::Stride { extent, stride };
                stride *= extent as i64;
                axis
            })
            .collect()
    };
    // SAFETY: the caller's guarantee; the buffer has room for all elements.
    unsafe {
        let place = Place::Near(between.as_mut_ptr());
        Transfer::copy(element, &packed(of_from), source)?.execute(image, place, from)?;
        Transfer::copy(element, &of_to.axes, &packed(of_to))?.execute(image, to, place)?;
    }
    Ok(())
}

/// Transfers what was said, to the other image or from there.
///
/// # Safety
/// `coarray` describes one; the local section is there.
unsafe fn transfer(coarray: Descriptor, local: *mut c_void, to_image: bool) -> Outcome {
    let Instance { image, .. } = instance();
    // SAFETY: the caller's guarantee.
    let Some(sides) = (unsafe { sides(image, coarray, local)? }) else { return Ok(()) };
    let (near, far) =
        ((Place::Near(sides.local), &sides.of_local), (sides.remote, &sides.of_remote));
    let (to, from) = if to_image { (far, near) } else { (near, far) };
    // SAFETY: as above.
    unsafe { copy(image, sides.element, to, from) }
}

/// `x[..]:[image] = local[..]`
///
/// # Safety
/// `coarray` describes one; the local section is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_coarray_put(
    coarray: Descriptor,
    local: *mut c_void,
    _local_coarray: Descriptor,
) {
    // SAFETY: the caller's guarantee.
    done("put to a coarray", || unsafe { transfer(coarray, local, true) });
}

/// `local[..] = x[..]:[image]`
///
/// # Safety
/// As [`_XMP_coarray_put`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_coarray_get(
    coarray: Descriptor,
    local: *mut c_void,
    _local_coarray: Descriptor,
) {
    // SAFETY: the caller's guarantee.
    done("get from a coarray", || unsafe { transfer(coarray, local, false) });
}

/// Elements in a row from a byte of a coarray on.
fn row(element: usize, count: c_long) -> Bytes {
    let axes = vec![Axis::Stride { extent: count.max(0) as usize, stride: element as i64 }];
    Bytes { start: 0, axes, count }
}

/// Copies elements in a row from one coarray to another, of which one is this image's. That says nothing of it, the other
/// has an index of C.
///
/// # Safety
/// Both describe coarrays.
unsafe fn between(
    (to, to_index, to_offset): (Descriptor, Option<c_int>, c_long),
    (from, from_index, from_offset): (Descriptor, Option<c_int>, c_long),
    (to_count, from_count): (c_long, c_long),
) -> Outcome {
    let Instance { image, .. } = instance();
    if to_count <= 0 || from_count <= 0 {
        return Ok(());
    }
    // SAFETY: the caller's guarantee.
    let (to, from) =
        unsafe { (Object::<CoarrayObject>::of(to)?, Object::<CoarrayObject>::of(from)?) };
    let element = to.element;
    let bytes = |count: c_long| count.saturating_mul(element as i64);
    let first = i64::from(image.settings().first_image_in_c);
    let here = i64::from(image.stack().here().0);
    let index = |said: Option<c_int>| said.map_or(here, |said| i64::from(said) - first + 1);
    let to = to.place(image, index(to_index), (to_offset, bytes(to_count)))?;
    let from = from.place(image, index(from_index), (from_offset, bytes(from_count)))?;
    let (of_to, of_from) = (row(element, to_count), row(element, from_count));
    // SAFETY: as above; both lie within the coarrays.
    unsafe {
        copy(image, element, (Place::of(image, to), &of_to), (Place::of(image, from), &of_from))
    }
}

/// Elements of a coarray of this image to a coarray of another one; offsets in bytes.
///
/// # Safety
/// Both describe coarrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_coarray_contiguous_put(
    index: c_int,
    to: Descriptor,
    from: Descriptor,
    to_offset: c_long,
    from_offset: c_long,
    to_count: c_long,
    from_count: c_long,
) {
    let (to, from) = ((to, Some(index), to_offset), (from, None, from_offset));
    // SAFETY: the caller's guarantee.
    done("put to a coarray", || unsafe { between(to, from, (to_count, from_count)) });
}

/// Elements of a coarray of another image to a coarray of this one.
///
/// # Safety
/// Both describe coarrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_coarray_contiguous_get(
    index: c_int,
    to: Descriptor,
    from: Descriptor,
    to_offset: c_long,
    from_offset: c_long,
    to_count: c_long,
    from_count: c_long,
) {
    let (to, from) = ((to, None, to_offset), (from, Some(index), from_offset));
    // SAFETY: the caller's guarantee.
    done("get from a coarray", || unsafe { between(to, from, (to_count, from_count)) });
}
