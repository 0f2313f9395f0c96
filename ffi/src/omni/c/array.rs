//! Distributed arrays: descriptors, memory, and what the program compiles its addresses from.

use super::nodes::dimensions;
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{
    Alignment, ArrayObject, Descriptor, Dim, Object, TemplateObject, hand_out,
};
use crate::omni::placed;
use crate::process::instance;
use std::ffi::{c_int, c_ulonglong, c_void};
use xmp_core::Image;
use xmp_core::global::{Align, Format, Order, Shadow};

/// Writes what indices in a dimension start from, where the program wants it.
///
/// # Safety
/// The place is valid, if there is one.
pub(super) unsafe fn note_origin(image: &Image, array: &ArrayObject, dim: usize) -> Outcome {
    let mapping = array.mapping()?;
    // SAFETY: the caller's guarantee.
    let Some(place) = (unsafe { array.notes.at(dim).temp0.get().as_mut() }) else { return Ok(()) };
    let Some(coords) = mapping.coords(image.rank()) else { return Ok(()) };
    let Align { shadow, .. } = mapping.dims()[dim];
    *place = match is_cyclic(array, dim) {
        true => mapping.parts(dim) as c_int,
        false => {
            let first = mapping.block(dim, mapping.part(dim, &coords)).map_or(0, |block| block.0);
            (first - shadow.widths().0) as c_int
        }
    };
    Ok(())
}

fn is_cyclic(array: &ArrayObject, dim: usize) -> bool {
    let Ok(Dim { alignment: Alignment::With { axis, .. }, .. }) = array.dim(dim) else {
        return false;
    };
    matches!(array.template.format(axis), Some(Format::Cyclic | Format::CyclicOf(_)))
}

/// Distances between elements on this image.
fn strides(image: &Image, array: &ArrayObject) -> Outcome<Vec<c_ulonglong>> {
    let mapping = array.mapping()?;
    Ok(match mapping.coords(image.rank()) {
        Some(coords) => {
            mapping.strides(&coords).into_iter().map(|stride| stride as c_ulonglong).collect()
        }
        None => vec![0; array.ndims()],
    })
}

/// Writes the distances for the program; its arguments begin with the last dimension.
///
/// # Safety
/// The arguments are places for all dimensions.
unsafe fn write_strides(image: &Image, array: &ArrayObject, arguments: *mut Arguments) -> Outcome {
    for stride in strides(image, array)?.into_iter().rev() {
        // SAFETY: the caller's guarantee.
        unsafe { (*arguments).pointer::<c_ulonglong>().write(stride) };
    }
    Ok(())
}

/// An array of these sizes, to be aligned with a template.
///
/// # Safety
/// `place` is valid, `template` describes one, and the arguments are sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_array_desc(
    place: *mut Descriptor,
    template: Descriptor,
    dims: c_int,
    type_code: c_int,
    element: usize,
    arguments: *mut Arguments,
) {
    done("align", || {
        let dims = dimensions(dims)?;
        // SAFETY: the caller's guarantee.
        unsafe {
            let template = Object::<TemplateObject>::shared(template)?;
            let size = || i64::from((*arguments).integer());
            let sizes: Vec<i64> = (0..dims).map(|_| size()).collect();
            let dims = sizes.iter().map(|size| Dim::new(0, size - 1)).collect();
            let array = ArrayObject::new(template, (type_code, element), Order::C, dims);
            hand_out(place, Object::new(array))
        }
    });
}

/// Which dimensions of the template are not used: along those all nodes have copies, which the mapping says by itself.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_init_array_comm(array: Descriptor) {
    done("align", || {
        // SAFETY: the caller's guarantee.
        unsafe { Object::<ArrayObject>::of(array)? }.template.distribution().map(drop)
    });
}

/// All dimensions have been aligned: the mapping is complete but for shadows.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_init_array_nodes(array: Descriptor) {
    done("align", || {
        // SAFETY: the caller's guarantee.
        unsafe { Object::<ArrayObject>::of(array)? }.mapping().map(drop)
    });
}

/// Memory for this image's part; `exposed` if others may get at it by themselves.
///
/// # Safety
/// The pointers are valid, and the arguments places for the strides.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_alloc_array(
    place: *mut *mut c_void,
    array: Descriptor,
    exposed: c_int,
    arguments: *mut Arguments,
) {
    done("allocation of an array", || {
        let image = &instance().image;
        // SAFETY: the caller's guarantee.
        unsafe {
            let array = Object::<ArrayObject>::shared(array)?;
            array.allocate(image, exposed != 0)?;
            placed::note(&array)?;
            write_strides(image, &array, arguments)?;
            place.write(array.base().cast());
        }
        Ok(())
    });
}

/// The strides of an array that another file of the program allocates.
///
/// # Safety
/// As [`xmprt_omni_alloc_array`]; `place` holds the address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_alloc_array_extern(
    place: *mut *mut c_void,
    array: Descriptor,
    arguments: *mut Arguments,
) {
    done("an array of another file", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let array = Object::<ArrayObject>::of(array)?;
            write_strides(&instance().image, array, arguments)?;
            array.place_at(place.read().cast());
        }
        Ok(())
    });
}

/// An argument of a procedure: the array is where the caller has it.
///
/// # Safety
/// As [`xmprt_omni_alloc_array`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_array_addr(
    place: *mut *mut c_void,
    base: *mut c_void,
    array: Descriptor,
    arguments: *mut Arguments,
) {
    done("an array as argument", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let array = Object::<ArrayObject>::shared(array)?;
            array.place_at(base.cast());
            placed::note(&array)?;
            write_strides(&instance().image, &array, arguments)?;
            place.write(base);
        }
        Ok(())
    });
}

/// Gives the memory back.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_dealloc_array(array: Descriptor) {
    done("end of an array", || {
        // SAFETY: the caller's guarantee.
        unsafe { Object::<ArrayObject>::of(array)? }.free(&instance().image)
    });
}

/// The end of a declaration.
///
/// # Safety
/// `array` is null or describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_finalize_array_desc(array: Descriptor) {
    if !array.is_null() {
        // SAFETY: the caller's guarantee.
        done("end of an array", || unsafe { Object::<ArrayObject>::release(array) });
    }
}

/// Number of elements that this image stores.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_get_array_total_elmts(array: Descriptor) -> c_ulonglong {
    done("size of an array", || {
        // SAFETY: the caller's guarantee.
        let mapping = unsafe { Object::<ArrayObject>::of(array)? }.mapping()?;
        match mapping.coords(instance().image.rank()) {
            Some(coords) => Ok(mapping.stored_len(&coords)? as c_ulonglong),
            None => Ok(0),
        }
    })
}

/// The local index of an element of this image in a dimension distributed by `gblock`.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_lidx_GBLOCK(array: Descriptor, dim: c_int, index: c_int) -> c_int {
    done("index of an array", || {
        // SAFETY: the caller's guarantee.
        let mapping = unsafe { Object::<ArrayObject>::of(array)? }.mapping()?;
        let dim = dim as usize;
        let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok(0) };
        let part = mapping.part(dim, &coords);
        let local = mapping.local_with_shadow(dim, part, index.into());
        let local = local.ok_or_else(|| Wrong::because(format!("index {index} is not here")))?;
        Ok(local as c_int)
    })
}

/// Memory for a pointer that is aligned; the arguments are its sizes.
///
/// # Safety
/// `array` describes one, whose places are valid; the arguments are sizes of all its dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_malloc(
    array: Descriptor,
    arguments: *mut Arguments,
) -> *mut c_void {
    done("xmp_malloc", || {
        let image = &instance().image;
        // SAFETY: the caller's guarantee.
        let array = unsafe { Object::<ArrayObject>::of(array)? };
        for dim in 0..array.ndims() {
            // SAFETY: as above.
            let size = i64::from(unsafe { (*arguments).integer() });
            array.change(dim, |dim| dim.upper = dim.lower + size - 1)?;
        }
        array.allocate_for_program(image)?;
        array.expose(image)?;
        for (dim, stride) in strides(image, array)?.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe {
                if let Some(place) = array.notes.at(dim).stride.get().as_mut() {
                    *place = stride;
                }
                if array.dim(dim)?.shadow != Shadow::Full {
                    note_origin(image, array, dim)?;
                }
            }
        }
        Ok(array.base().cast())
    })
}

/// Gives back what `xmp_malloc` has allocated.
///
/// # Safety
/// `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_free(array: Descriptor) {
    done("xmp_free", || {
        // SAFETY: the caller's guarantee; the memory is that of `xmp_malloc`.
        unsafe { Object::<ArrayObject>::of(array)?.free_for_program() }
    });
}

/// `xmp_desc_of(x)`: a descriptor is one.
#[unsafe(no_mangle)]
pub extern "C" fn _XMP_desc_of(descriptor: Descriptor) -> Descriptor {
    descriptor
}
