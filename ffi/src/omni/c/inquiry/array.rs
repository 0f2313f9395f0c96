//! Inquiries about arrays: bounds, shadows, where elements are.

use super::{here, of_array, of_dim, told};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{ArrayObject, Descriptor};
use crate::process::{enter, instance};
use std::ffi::{c_int, c_void};
use xmp_core::global::Array;

written! {
    /// Dimensions of an array.
    xmp_array_ndims() of_array |array| Ok(array.ndims() as i64);
    /// First index of an array.
    xmp_array_lbound(dim) of_dim |_a, _d, dim| Ok(dim.lower);
    /// Last index of an array.
    xmp_array_ubound(dim) of_dim |_a, _d, dim| Ok(dim.upper);
    /// Elements that this image stores in a dimension, with the shadow.
    xmp_array_lsize(dim) of_dim |array, index, _d| {
        let (mapping, coords) = here(array)?;
        Ok(coords.map_or(0, |coords| mapping.stored(index, mapping.part(index, &coords))))
    };
    /// Width of the upper shadow.
    xmp_array_ushadow(dim) of_dim |_a, _d, dim| Ok(dim.shadow.widths().1);
    /// Width of the lower shadow.
    xmp_array_lshadow(dim) of_dim |_a, _d, dim| Ok(dim.shadow.widths().0);
}

returned! {
    /// Indices of a dimension.
    xmp_array_gsize of_dim |_a, _d, dim| Ok(dim.upper - dim.lower + 1);
    /// First index that this image has.
    xmp_array_gcllbound of_dim |array, index, _d| Ok(own_bounds(array, index)?.0);
    /// Last index that this image has.
    xmp_array_gclubound of_dim |array, index, _d| Ok(own_bounds(array, index)?.1);
    /// Local index of the first one that this image has.
    xmp_array_lcllbound of_dim |_a, _d, dim| Ok(dim.shadow.widths().0);
    /// Local index of the last one that this image has.
    xmp_array_lclubound of_dim |array, index, dim| {
        let (mapping, coords) = here(array)?;
        let count = coords.map_or(0, |coords| mapping.count(index, mapping.part(index, &coords)));
        Ok(dim.shadow.widths().0 + count - 1)
    };
    /// First index of an array.
    xmp_array_gcglbound of_dim |_a, _d, dim| Ok(dim.lower);
    /// Last index of an array.
    xmp_array_gcgubound of_dim |_a, _d, dim| Ok(dim.upper);
}

/// First and last index that this image has in a dimension; of none an empty range.
fn own_bounds(array: &ArrayObject, dim: usize) -> Outcome<(i64, i64)> {
    let mapping = array.mapping()?;
    let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok((0, -1)) };
    let owned = mapping.owned(dim, mapping.part(dim, &coords));
    Ok(match owned.iter().map(|runs| runs.first).min() {
        Some(first) => {
            (first, owned.iter().map(|runs| runs.end() - 1).max().expect("as many as before"))
        }
        None => (0, -1),
    })
}

/// First index that this image has.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_lbound_global(array: Descriptor, dim: c_int, index: *mut c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { index.write(xmp_array_gcllbound(array, dim)) }
}

/// Last index that this image has.
///
/// # Safety
/// As [`xmp_array_lbound_global`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_ubound_global(array: Descriptor, dim: c_int, index: *mut c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { index.write(xmp_array_gclubound(array, dim)) }
}

/// Bytes of an element.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_type_size(array: Descriptor) -> usize {
    // SAFETY: the caller's guarantee.
    unsafe { done("xmp_array_type_size", || of_array(array, |array| Ok(array.element))) }
}

/// Where this image has its part.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_laddr(array: Descriptor, place: *mut *mut c_void) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe { told(of_array(array, |array| Ok(array.base().cast())), |base| place.write(base)) }
}

/// Distances between elements, of all dimensions.
///
/// # Safety
/// `array` describes one, there is room for all dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_lead_dim(array: Descriptor, places: *mut c_int) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe {
        let written = of_array(array, |array| {
            let (mapping, coords) = here(array)?;
            for dim in 0..array.ndims() {
                let stride = coords.as_ref().map_or(0, |coords| mapping.strides(coords)[dim]);
                places.add(dim).write(stride as c_int);
            }
            Ok(())
        });
        told(written, |()| ())
    }
}

/// The leading dimension of an array of two dimensions: elements from one of its rows (C) or columns (Fortran) to the next.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_lda(array: Descriptor, place: *mut c_int) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe {
        let distance = of_array(array, |array| {
            if array.ndims() != 2 {
                return Err(Wrong::because("the array has not two dimensions"));
            }
            let (mapping, coords) = here(array)?;
            let slow = mapping.order().dims(2).last().expect("two dimensions");
            Ok(coords.map_or(0, |coords| mapping.strides(&coords)[slow]))
        });
        told(distance, |distance| place.write(distance as c_int))
    }
}

/// The node along a dimension that has an index, from 0; where all have it, the first.
fn owner(mapping: &Array, dim: usize, index: i64) -> Outcome<usize> {
    let align = &mapping.dims()[dim];
    if !(align.lower..=align.upper).contains(&index) {
        let (lower, upper) = (align.lower, align.upper);
        let why = format!("index {index} is not within {lower}:{upper} of dimension {}", dim + 1);
        return Err(Wrong::because(why));
    }
    let owner = |axis: usize| mapping.distribution().axes()[axis].owner(index + align.offset);
    Ok(align.axis.map_or(0, owner))
}

/// The local index of an index, on the image that has it.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_gtol(
    array: Descriptor,
    dim: c_int,
    index: c_int,
    place: *mut c_int,
) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe {
        let local = of_dim(array, dim, |array, dim, _| {
            let mapping = array.mapping()?;
            let part = owner(&mapping, dim, index.into())?;
            Ok(mapping.local_of_owned(dim, part, index.into()))
        });
        told(local, |local| place.write(local as c_int))
    }
}

/// The node along a dimension that has an element, from 1.
///
/// # Safety
/// `array` describes one; `index` has an index for each dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_owner(
    array: Descriptor,
    _dims: c_int,
    index: *const c_int,
    dim: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        let answer = |array: &ArrayObject, dim: usize, _| {
            let index = index.add(dim).read();
            Ok(owner(&*array.mapping()?, dim, index.into())? as c_int + 1)
        };
        done("xmp_array_owner", || of_dim(array, dim, answer))
    }
}

/// The executing images that have an element, from 0; their number.
///
/// # Safety
/// `array` describes one; `index` has an index for each dimension, `owners` room for all nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_array_owner_rank(
    array: Descriptor,
    index: *const c_int,
    owners: *mut c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe {
        let answer = |array: &ArrayObject| {
            let mapping = array.mapping()?;
            let of_dim = |dim| i64::from(index.add(dim).read());
            let index: Vec<i64> = (0..array.ndims()).map(of_dim).collect();
            for (dim, &index) in index.iter().enumerate() {
                owner(&mapping, dim, index)?;
            }
            let executing = instance().image.executing();
            let mut count = 0;
            for coords in mapping.owners(&index) {
                let position = executing.position_of(mapping.nodes().rank(&coords));
                owners.add(count).write(position.map_or(-1, |position| position as c_int));
                count += 1;
            }
            Ok(count as c_int)
        };
        done("xmp_array_owner_rank", || of_array(array, answer))
    }
}
