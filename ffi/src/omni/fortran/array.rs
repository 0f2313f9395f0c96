//! Distributed arrays: `align`, `shadow`, and what the program allocates by.
//!
//! The program allocates this image's part itself: with the bounds 0 and size - 1 in a dimension that is distributed,
//! and those of the array in any other.

use super::arguments::{count, dimension, number, object, release, shared};
use super::element::{OTHER, bytes_of};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{
    Alignment, ArrayObject, Descriptor, Dim, Object, TemplateObject, hand_out,
};
use crate::omni::placed;
use crate::process::instance;
use std::ffi::{c_int, c_void};
use xmp_core::global::{Array, Order, Shadow};

/// An array with so many dimensions, to be aligned with a template. `bytes` is looked at for derived types only, of which
/// it is 8 bytes long.
///
/// # Safety
/// The pointers are valid, `template` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_array_alloc__(
    array: *mut Descriptor,
    dims: *const c_int,
    type_code: *const c_int,
    bytes: *const usize,
    template: *const Descriptor,
) {
    // SAFETY: the caller's guarantee.
    done("align", || unsafe {
        let (dims, type_code) = (count(dims, "dimensions")?, type_code.read());
        let element = match type_code {
            OTHER => bytes.read_unaligned(),
            code => bytes_of(code)?,
        };
        let template = shared::<TemplateObject>(template)?;
        // Bounds come with the alignment.
        let dims = vec![Dim::new(1, 0); dims];
        let object = ArrayObject::new(template, (type_code, element), Order::Fortran, dims);
        hand_out(array, Object::new(object))
    });
}

/// Where images have elements is computed from the mapping.
///
/// # Safety
/// `array` is valid and describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_f_init_allocated__(array: *const Descriptor) {
    // SAFETY: the caller's guarantee.
    done("align", || unsafe { object::<ArrayObject>(array).map(drop) });
}

/// The bounds of a dimension, and the template dimension that it is aligned with (-1: none) with an offset.
///
/// Of an assumed-shape argument the translator does not always get to know the extent, and then says that it is 0. Such a
/// dimension ends where the template does, which is the most that it can have; that it is as large as where it comes from
/// is checked when that is known.
///
/// # Safety
/// The pointers are valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_align_info__(
    array: *const Descriptor,
    dim: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
    axis: *const c_int,
    offset: *const c_int,
) {
    done("align", || {
        // SAFETY: the caller's guarantee.
        let (array, dim, bounds, axis, offset) = unsafe {
            let bounds = (number(lower), number(upper));
            (object::<ArrayObject>(array)?, dimension(dim)?, bounds, axis.read(), number(offset))
        };
        // Says that it is not fixed, if so.
        let distribution = array.template.distribution()?;
        let template = usize::try_from(axis).ok().and_then(|axis| distribution.axes().get(axis));
        let (lower, mut upper) = bounds;
        if let Some(template) = template.filter(|_| upper == lower - 1) {
            upper = template.upper() - offset;
        }
        let alignment = match usize::try_from(axis) {
            Ok(axis) => Alignment::With { axis, offset },
            Err(_) => Alignment::Nothing,
        };
        array.change(dim, |dim| *dim = Dim { alignment, ..Dim::new(lower, upper) })
    });
}

/// The shadow of a dimension; -1 and -1 if it is full. That of a dimension which every node has wholly is not stored.
///
/// # Safety
/// The pointers are valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_array_init_shadow__(
    array: *const Descriptor,
    dim: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
) {
    done("shadow", || {
        // SAFETY: the caller's guarantee.
        let (array, dim, lower, upper) = unsafe {
            (object::<ArrayObject>(array)?, dimension(dim)?, number(lower), number(upper))
        };
        let shadow = match (lower, upper) {
            (-1, -1) => Shadow::Full,
            (lower, upper) => Shadow::Widths { lower, upper },
        };
        if is_distributed(array, dim)? {
            array.change(dim, |dim| dim.shadow = shadow)?;
        }
        Ok(())
    });
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

/// All dimensions were said.
///
/// # Safety
/// `array` is valid and describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_array_init__(array: *const Descriptor) {
    // SAFETY: the caller's guarantee.
    done("align", || unsafe { object::<ArrayObject>(array)?.mapping().map(drop) });
}

/// What the program compiles its addresses from: how many elements are stored in a dimension, which of the local
/// iterations its first own element is, and what is subtracted from an index to get a local one. In a dimension that every
/// node has wholly the bounds instead: the upper one, and twice the lower one.
///
/// # Safety
/// The pointers are valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_array_get_local_size_off__(
    array: *const Descriptor,
    dim: *const c_int,
    size: *mut c_int,
    first: *mut c_int,
    origin: *mut c_int,
) {
    done("align", || {
        // SAFETY: the caller's guarantee.
        let (object, dim) = unsafe { (object::<ArrayObject>(array)?, dimension(dim)?) };
        let found = local(object, dim)?;
        // SAFETY: as above.
        unsafe {
            size.write(found[0] as c_int);
            first.write(found[1] as c_int);
            if let Some(origin) = origin.as_mut() {
                *origin = found[2] as c_int;
            }
        }
        Ok(())
    });
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

/// Where the program has allocated this image's part; `exposed` if others may get at it by themselves, which all executing
/// images say at once.
///
/// # Safety
/// The pointers are valid, `array` describes one; `start` as long as the array is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_array_set_local_array__(
    array: *const Descriptor,
    start: *mut c_void,
    exposed: *const c_int,
) {
    done("allocation of an array", || {
        // SAFETY: the caller's guarantee.
        let (array, exposed) = unsafe { (shared::<ArrayObject>(array)?, exposed.read() != 0) };
        array.place_at(start.cast());
        placed::note(&array)?;
        if exposed { array.expose(&instance().image) } else { Ok(()) }
    });
}

/// DEALLOCATE: the array has no memory.
///
/// # Safety
/// `array` is valid and describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_array_deallocate__(array: *const Descriptor) {
    // SAFETY: the caller's guarantee.
    done("deallocation of an array", || unsafe {
        object::<ArrayObject>(array)?.place_at(std::ptr::null_mut());
        Ok(())
    });
}

/// The end of a declaration.
///
/// # Safety
/// `array` is valid and holds 0 or describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_array_dealloc__(array: *mut Descriptor) {
    // SAFETY: the caller's guarantee.
    done("end of an array", || unsafe { release::<ArrayObject>(array) });
}

/// Pointer assignment: the left array is mapped as the right one.
///
/// # Safety
/// The pointers are valid, both describe arrays.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_assign_align_info__(
    left: *const Descriptor,
    right: *const Descriptor,
) {
    done("pointer assignment", || {
        // SAFETY: the caller's guarantee.
        let (left, right) =
            unsafe { (object::<ArrayObject>(left)?, object::<ArrayObject>(right)?) };
        if !std::rc::Rc::ptr_eq(&left.template, &right.template) {
            let why = "the pointer and its target are aligned with different templates";
            return Err(Wrong::because(why));
        }
        left.map_as(right)
    });
}
