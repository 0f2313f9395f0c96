//! Distributed arrays: descriptors, memory, and what the program compiles its addresses from.

use super::nodes::dimensions;
use crate::objects::{ArrayObject, Descriptor, Dim, Object, TemplateObject, element_of, hand_out};
use std::cell::Cell;
use std::ffi::{c_int, c_ulonglong, c_void};
use std::rc::Rc;
use xmp_core::Image;
use xmp_core::global::{Align, Order, Shadow};
use xmp_ffi::global::check_argument;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::arguments::Arguments;
use xmp_ffi::xmp::entry::{Memory, Released, for_c};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};
use xmp_ffi::xmp::memory::allocate;

/// Writes what indices in a dimension start from, where the program wants it.
pub(super) fn note_origin(image: &Image, array: &ArrayObject, dim: usize) -> Outcome {
    let mapping = array.mapping()?;
    let Some(place) = array.notes.at(dim).temp0.get() else { return Ok(()) };
    let Some(coords) = mapping.coords(image.rank()) else { return Ok(()) };
    let Align { shadow, .. } = mapping.dims()[dim];
    place.set(if array.is_cyclic(dim) {
        mapping.parts(dim) as c_int
    } else {
        let first = mapping.block(dim, mapping.part(dim, &coords)).map_or(0, |block| block.0);
        (first - shadow.widths().0) as c_int
    });
    Ok(())
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

/// Writes the distances for the program: the arguments are places for all dimensions, the last one first.
fn write_strides(image: &Image, array: &ArrayObject, arguments: &mut Arguments) -> Outcome {
    for stride in strides(image, array)?.into_iter().rev() {
        arguments.place::<c_ulonglong>().set(stride);
    }
    Ok(())
}

for_c! {
    /// An array of the sizes in the arguments, to be aligned with a template.
    "align" fn xmprt_omni_init_array_desc(
        place: Option<&Cell<Descriptor>>, template: Rc<Object<TemplateObject>>, dims: c_int, type_code: c_int,
        element: usize, arguments: &mut Arguments,
    ) {
        let dims = dimensions(dims)?;
        let dims = (0..dims).map(|_| Dim::new(0, i64::from(arguments.integer()) - 1)).collect();
        hand_out(place, Object::new(ArrayObject::new(template, element_of(type_code).ok(), element, Order::C, dims)))
    }

    /// Which dimensions of the template are not used. Along those all nodes have copies, which the mapping says by
    /// itself.
    "align" fn _XMP_init_array_comm(array: &Object<ArrayObject>) {
        array.template.distribution().map(drop)
    }

    /// All dimensions have been aligned: the mapping is complete but for shadows.
    "align" fn _XMP_init_array_nodes(array: &Object<ArrayObject>) {
        array.mapping().map(drop)
    }

    /// Memory for this image's part; `exposed` if others may access it by themselves. The arguments are places for
    /// strides.
    "allocation of an array" fn xmprt_omni_alloc_array(
        place: &Cell<*mut c_void>, array: Rc<Object<ArrayObject>>, exposed: c_int, arguments: &mut Arguments,
    ) {
        let image = &instance().image;
        array.allocate(image, exposed != 0)?;
        check_argument(&array)?;
        write_strides(image, &array, arguments)?;
        place.set(array.base().cast());
        Ok(())
    }

    /// The strides of an array that another file of the program has allocated; `place` holds its address.
    "an array of another file" fn xmprt_omni_alloc_array_extern(
        place: &Cell<*mut c_void>, array: &Object<ArrayObject>, arguments: &mut Arguments,
    ) {
        write_strides(&instance().image, array, arguments)?;
        array.place_at(place.get().cast());
        Ok(())
    }

    /// An argument of a procedure: the array is where the caller has it.
    "an array as argument" fn xmprt_omni_init_array_addr(
        place: &Cell<*mut c_void>, base: Memory, array: Rc<Object<ArrayObject>>, arguments: &mut Arguments,
    ) {
        array.place_at(base.start());
        check_argument(&array)?;
        write_strides(&instance().image, &array, arguments)?;
        place.set(base.start().cast());
        Ok(())
    }

    /// Gives the memory back.
    "end of an array" fn _XMP_dealloc_array(array: &Object<ArrayObject>) {
        array.free(&instance().image)
    }

    /// The end of a declaration.
    "end of an array" fn _XMP_finalize_array_desc(_array: Released<ArrayObject>) {
        Ok(())
    }

    /// Number of elements that this image stores.
    "size of an array" fn _XMP_get_array_total_elmts(array: &Object<ArrayObject>) -> c_ulonglong {
        let mapping = array.mapping()?;
        match mapping.coords(instance().image.rank()) {
            Some(coords) => Ok(mapping.stored_len(&coords)? as c_ulonglong),
            None => Ok(0),
        }
    }

    /// The local index of an element of this image in a dimension distributed by `gblock`.
    "index of an array" fn _XMP_lidx_GBLOCK(array: &Object<ArrayObject>, dim: c_int, index: c_int) -> c_int {
        let mapping = array.mapping()?;
        let dim = dim as usize;
        let Some(coords) = mapping.coords(instance().image.rank()) else { return Ok(0) };
        let part = mapping.part(dim, &coords);
        let local = mapping.local_with_shadow(dim, part, index.into());
        let local = local.ok_or_else(|| DirectiveError::because(format!("index {index} is not here")))?;
        Ok(local as c_int)
    }

    /// Memory for a pointer that is aligned; the arguments are the sizes of all dimensions.
    "xmp_malloc" fn xmprt_omni_malloc(array: &Object<ArrayObject>, arguments: &mut Arguments) -> *mut c_void {
        let start = allocate(array, arguments)?;
        let image = &instance().image;
        for (dim, stride) in strides(image, array)?.into_iter().enumerate() {
            if let Some(place) = array.notes.at(dim).stride.get() {
                place.set(stride);
            }
            if array.dim(dim)?.shadow != Shadow::Full {
                note_origin(image, array, dim)?;
            }
        }
        Ok(start)
    }
}
