//! Distributed arrays: `align`, `shadow`, and what the program allocates by.
//!
//! The program allocates this image's part itself: with the bounds 0 and size - 1 in a dimension that is distributed,
//! and those of the array in any other.

use super::count;
use crate::objects::{
    Alignment, ArrayObject, DERIVED, Descriptor, Dim, Object, TemplateObject, fortran_bytes_of,
    fortran_element_of, hand_out,
};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Array, Order, Shadow};
use xmp_ffi::global::check_argument;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{Dimension, Memory, Released, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

for_fortran! {
    /// An array with `dims` dimensions, to be aligned with a template. `bytes` is looked at for derived types
    /// only, of which it is 8 bytes long.
    "align" fn xmpf_array_alloc__(
        array: Option<&Cell<Descriptor>>, dims: c_int, type_code: c_int, bytes: Memory, template: Rc<Object<TemplateObject>>,
    ) {
        let dims = count(dims, "dimensions")?;
        let element = match type_code {
            // SAFETY: the contract of entries: of a derived type there are 8 bytes, at any alignment.
            DERIVED => unsafe { bytes.start().cast::<usize>().read_unaligned() },
            code => fortran_bytes_of(code)?,
        };
        // Bounds come with the alignment.
        let dims = vec![Dim::new(1, 0); dims];
        let elements = fortran_element_of(type_code).ok();
        hand_out(array, Object::new(ArrayObject::new(template, elements, element, Order::Fortran, dims)))
    }

    /// Images have elements where the mapping says.
    "align" fn xmp_f_init_allocated__(_array: &Object<ArrayObject>) {
        Ok(())
    }

    /// The bounds of a dimension, and the template dimension that it is aligned with (-1: none) with an offset.
    ///
    /// Of an assumed-shape argument the translator does not always get to know the extent, and then says that it is
    /// 0. Such a dimension ends where the template does, which is the most that it can have. Its size is checked
    /// against the array that is the argument when that is known.
    "align" fn xmpf_align_info__(
        array: &Object<ArrayObject>, dim: Dimension, lower: c_int, upper: c_int, axis: c_int, offset: c_int,
    ) {
        // Says that it is not fixed, if so.
        let distribution = array.template.distribution()?;
        let template = usize::try_from(axis).ok().and_then(|axis| distribution.axes().get(axis));
        let (lower, mut upper, offset) = (i64::from(lower), i64::from(upper), i64::from(offset));
        if let Some(template) = template.filter(|_| upper == lower - 1) {
            upper = template.upper() - offset;
        }
        let alignment = match usize::try_from(axis) {
            Ok(axis) => Alignment::With { axis, offset },
            Err(_) => Alignment::Nothing,
        };
        array.change(dim.0, |dim| *dim = Dim { alignment, ..Dim::new(lower, upper) })
    }

    /// The shadow of a dimension; -1 and -1 if it is full. That of a dimension which every node has wholly is not
    /// stored.
    "shadow" fn xmpf_array_init_shadow__(array: &Object<ArrayObject>, dim: Dimension, lower: c_int, upper: c_int) {
        let shadow = match (lower, upper) {
            (-1, -1) => Shadow::Full,
            (lower, upper) => Shadow::Widths { lower: lower.into(), upper: upper.into() },
        };
        if is_distributed(array, dim.0)? {
            array.change(dim.0, |dim| dim.shadow = shadow)?;
        }
        Ok(())
    }

    /// All dimensions were given.
    "align" fn xmpf_array_init__(array: &Object<ArrayObject>) {
        array.mapping().map(drop)
    }

    /// What the program compiles its addresses from: how many elements are stored in a dimension, which of the local
    /// iterations its first own element is, and what is subtracted from an index to get a local one. In a dimension
    /// that every node has wholly the bounds instead: the upper one, and twice the lower one.
    "align" fn xmpf_array_get_local_size_off__(
        array: &Object<ArrayObject>, dim: Dimension, size: &Cell<c_int>, first: &Cell<c_int>, origin: Option<&Cell<c_int>>,
    ) {
        let found = local(array, dim.0)?;
        size.set(found[0] as c_int);
        first.set(found[1] as c_int);
        if let Some(origin) = origin {
            origin.set(found[2] as c_int);
        }
        Ok(())
    }

    /// Where the program has allocated this image's part, as long as the array is used. It is `exposed` if others
    /// may access it by themselves, which all executing images say at once.
    "allocation of an array" fn xmpf_array_set_local_array__(
        array: Rc<Object<ArrayObject>>, start: Memory, exposed: c_int,
    ) {
        array.place_at(start.start());
        check_argument(&array)?;
        if exposed != 0 { array.expose(&instance().image) } else { Ok(()) }
    }

    /// DEALLOCATE: the array has no memory.
    "deallocation of an array" fn xmpf_array_deallocate__(array: &Object<ArrayObject>) {
        array.place_at(std::ptr::null_mut());
        Ok(())
    }

    /// The end of a declaration.
    "end of an array" fn xmpf_array_dealloc__(_array: Released<ArrayObject>) {
        Ok(())
    }

    /// Pointer assignment: the left array is mapped as the right one.
    "pointer assignment" fn xmpf_assign_align_info__(left: &Object<ArrayObject>, right: &Object<ArrayObject>) {
        if !Rc::ptr_eq(&left.template, &right.template) {
            let why = "the pointer and its target are aligned with different templates";
            return Err(DirectiveError::because(why));
        }
        left.map_as(right)
    }

    /// The local index, from 0 at the start of the shadow, of an element of this image.
    "index of an array" fn xmpf_local_idx__(array: &Object<ArrayObject>, dim: Dimension, index: c_int) -> c_int {
        let (dim, index) = (dim.0, i64::from(index));
        array.dim(dim)?;
        let mapping = array.mapping()?;
        let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok(0) };
        let part = mapping.part(dim, &coords);
        let local = mapping.local_with_shadow(dim, part, index);
        // An element of another image gets any number: the program computes it and does not use it.
        Ok(local.unwrap_or_else(|| mapping.local_of_owned(dim, part, index)) as c_int)
    }
}

/// Whether a dimension is aligned with one that is distributed.
fn is_distributed(array: &ArrayObject, dim: usize) -> Outcome<bool> {
    match array.dim(dim)?.alignment {
        Alignment::Nothing => Ok(false),
        Alignment::With { axis, .. } => {
            let distribution = array.template.distribution()?;
            Ok(distribution.axes().get(axis).is_some_and(|axis| !axis.is_collapsed()))
        }
    }
}

fn local(object: &ArrayObject, dim: usize) -> Outcome<[i64; 3]> {
    let mapping = object.mapping()?;
    let bounds = object.dim(dim)?;
    let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok([0; 3]) };
    let Alignment::With { axis, offset } = bounds.alignment else {
        return Ok([bounds.upper, bounds.lower, bounds.lower]);
    };
    let distribution = mapping.distribution();
    let axis = &distribution.axes()[axis];
    if axis.is_collapsed() {
        return Ok([bounds.upper, bounds.lower, bounds.lower]);
    }
    let part = mapping.part(dim, &coords);
    let before = axis.before(part, bounds.lower + offset);
    Ok([mapping.extents(&coords)[dim], before, origin(&mapping, dim, part)])
}

/// What is subtracted from an index of a part that is one block to get the local one.
fn origin(mapping: &Array, dim: usize, part: usize) -> i64 {
    let align = mapping.dims()[dim];
    match align.shadow {
        Shadow::Full => align.lower,
        Shadow::Widths { lower, .. } => {
            mapping.owned(dim, part).iter().map(|runs| runs.first).min().unwrap_or(0) - lower
        }
    }
}
