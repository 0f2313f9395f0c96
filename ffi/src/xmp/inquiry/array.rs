//! Inquiries about arrays: bounds, shadows, where elements are.

use super::{dim_of, dimension, own_part};
use crate::global::{ArrayObject, Descriptor, Object};
use crate::process::instance;
use crate::xmp::entry::{List, for_both, for_c, for_fortran};
use crate::xmp::error::{DirectiveError, Outcome};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use xmp_core::global::{Array, Coords};

numbers! {
    /// Dimensions of an array.
    xmp_array_ndims, xmp_array_ndims_(array: &Object<ArrayObject>) = array.ndims() as i64;
    /// First index of an array.
    xmp_array_lbound, xmp_array_lbound_(array: &Object<ArrayObject>, dim: c_int) = dim_of(array, dim)?.lower;
    /// Last index of an array.
    xmp_array_ubound, xmp_array_ubound_(array: &Object<ArrayObject>, dim: c_int) = dim_of(array, dim)?.upper;
    /// Elements that this image stores in a dimension, with the shadow.
    xmp_array_lsize, xmp_array_lsize_(array: &Object<ArrayObject>, dim: c_int) = {
        let dim = dimension(dim, array.ndims())?;
        let (mapping, coords) = own_part(array)?;
        coords.map_or(0, |coords| mapping.stored(dim, mapping.part(dim, &coords)))
    };
    /// Width of the upper shadow.
    xmp_array_ushadow, xmp_array_ushadow_(array: &Object<ArrayObject>, dim: c_int) = dim_of(array, dim)?.shadow.widths().1;
    /// Width of the lower shadow.
    xmp_array_lshadow, xmp_array_lshadow_(array: &Object<ArrayObject>, dim: c_int) = dim_of(array, dim)?.shadow.widths().0;
    /// The leading dimension of an array of two dimensions: elements from one of its rows (C) or columns (Fortran)
    /// to the next.
    xmp_array_lda, xmp_array_lda_(array: &Object<ArrayObject>) = {
        if array.ndims() != 2 {
            return Err(DirectiveError::because("the array has not two dimensions"));
        }
        let (mapping, coords) = own_part(array)?;
        let slow = mapping.order().dims(2).last().expect("two dimensions");
        coords.map_or(0, |coords| mapping.strides(&coords)[slow])
    };
    /// The local index of an index, on the image that has it.
    xmp_array_gtol, xmp_array_gtol_(array: &Object<ArrayObject>, dim: c_int, index: c_int) = {
        let dim = dimension(dim, array.ndims())?;
        let mapping = array.mapping()?;
        let part = owner(&mapping, dim, index.into())?;
        mapping.local_of_owned(dim, part, index.into())
    };
}

answered! {
    /// Where this image has its part.
    xmp_array_laddr(array: &Object<ArrayObject>, place: &Cell<*mut c_void>) {
        place.set(array.base().cast());
        Ok(())
    }

    /// Distances between elements, of all dimensions.
    xmp_array_lead_dim, xmp_array_lead_dim_(array: &Object<ArrayObject>, distances: List<c_int>) {
        let (mapping, coords) = own_part(array)?;
        for (dim, distance) in distances.of(array.ndims())?.iter().enumerate() {
            distance.set(coords.as_ref().map_or(0, |coords| mapping.strides(coords)[dim] as c_int));
        }
        Ok(())
    }
}

for_both! {
    /// Indices of a dimension.
    "xmp_array_gsize" fn xmp_array_gsize, xmp_array_gsize_(array: &Object<ArrayObject>, dim: c_int) -> c_int {
        let dim = dim_of(array, dim)?;
        Ok((dim.upper - dim.lower + 1) as c_int)
    }
}

for_c! {
    /// First index that this image has.
    "xmp_array_lbound_global" fn xmp_array_lbound_global(array: &Object<ArrayObject>, dim: c_int, index: &Cell<c_int>) {
        index.set(own_bounds(array, dim)?.0);
        Ok(())
    }

    /// Last index that this image has.
    "xmp_array_ubound_global" fn xmp_array_ubound_global(array: &Object<ArrayObject>, dim: c_int, index: &Cell<c_int>) {
        index.set(own_bounds(array, dim)?.1);
        Ok(())
    }
}

for_fortran! {
    /// First index of an array; 0 where there is no answer.
    "xmp_lbound" fn xmp_lbound_(array: Descriptor, dim: c_int) -> c_int {
        Ok(array.object().and_then(|array| dim_of(array, dim)).map_or(0, |dim| dim.lower as c_int))
    }

    /// Last index of an array; 0 where there is no answer.
    "xmp_ubound" fn xmp_ubound_(array: Descriptor, dim: c_int) -> c_int {
        Ok(array.object().and_then(|array| dim_of(array, dim)).map_or(0, |dim| dim.upper as c_int))
    }
}

/// First and last index that this image has in a dimension; of none an empty range.
fn own_bounds(array: &ArrayObject, dim: c_int) -> Outcome<(c_int, c_int)> {
    let dim = dimension(dim, array.ndims())?;
    let (mapping, coords) = own_part(array)?;
    let owned = coords.map(|coords| mapping.owned(dim, mapping.part(dim, &coords)));
    let owned = owned.as_deref().unwrap_or_default();
    let first = owned.iter().map(|runs| runs.first).min().unwrap_or(0);
    let last = owned.iter().map(|runs| runs.end() - 1).max().unwrap_or(-1);
    Ok((first as c_int, last as c_int))
}

/// The node along a dimension that has an index, from 0; where all have it, the first.
fn owner(mapping: &Array, dim: usize, index: i64) -> Outcome<usize> {
    let align = &mapping.dims()[dim];
    if !(align.lower..=align.upper).contains(&index) {
        let (lower, upper) = (align.lower, align.upper);
        let why = format!("index {index} is not within {lower}:{upper} of dimension {}", dim + 1);
        return Err(DirectiveError::because(why));
    }
    let owner = |axis: usize| mapping.distribution().axes()[axis].owner(index + align.offset);
    Ok(align.axis.map_or(0, owner))
}

/// The images that have an element: their numbers among the executing ones, from 0, or -1.
pub fn owners_of(array: &ArrayObject, index: &List<c_int>) -> Outcome<Vec<c_int>> {
    let mapping = array.mapping()?;
    let index: Vec<i64> = index.of(array.ndims())?.iter().map(|index| index.get().into()).collect();
    for (dim, &index) in index.iter().enumerate() {
        owner(&mapping, dim, index)?;
    }
    let executing = instance().image.executing();
    let number = |coords: Coords| {
        let position = executing.position_of(mapping.nodes().rank(&coords));
        position.map_or(-1, |position| position as c_int)
    };
    Ok(mapping.owners(&index).into_iter().map(number).collect())
}
