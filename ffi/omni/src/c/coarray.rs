//! Coarrays of C: declaration. Calls that give shape and coshape come before the allocation.

use crate::objects::{CoarrayObject, Descriptor, Object, hand_out};
use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_long, c_void};
use xmp_ffi::process::{OfImage, enter, instance};
use xmp_ffi::xmp::entry::for_c;

/// The shape of the next coarray, which the program gives in calls before the allocation.
#[derive(Debug, Default)]
struct CoarrayShape {
    extents: Vec<i64>,
    element: usize,
    images: Vec<i64>,
}

static GIVEN: OfImage<RefCell<CoarrayShape>> = OfImage::new(RefCell::new(CoarrayShape {
    extents: Vec::new(),
    element: 0,
    images: Vec::new(),
}));

/// Declares calls that give the shape.
macro_rules! shapes {
    ($($name:ident($($extent:ident)*))*) => { $(
        /// The shape of the next coarray, and the bytes of an element.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($extent: c_long,)* element: usize) {
            let _entered = enter();
            let mut given = GIVEN.of(instance()).borrow_mut();
            (given.extents, given.element) = (vec![$($extent),*], element);
        }
    )* };
}

shapes! {
    _XMP_coarray_malloc_info_1(a)
    _XMP_coarray_malloc_info_2(a b)
    _XMP_coarray_malloc_info_3(a b c)
    _XMP_coarray_malloc_info_4(a b c d)
    _XMP_coarray_malloc_info_5(a b c d e)
    _XMP_coarray_malloc_info_6(a b c d e f)
    _XMP_coarray_malloc_info_7(a b c d e f g)
}

/// Declares calls that give the coshape.
macro_rules! coshapes {
    ($($name:ident($($extent:ident)*))*) => { $(
        /// The dimensions of the coshape of the next coarray, but the last one.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($extent: c_int),*) {
            let _entered = enter();
            GIVEN.of(instance()).borrow_mut().images = vec![$($extent.into()),*];
        }
    )* };
}

coshapes! {
    _XMP_coarray_malloc_image_info_1()
    _XMP_coarray_malloc_image_info_2(a)
    _XMP_coarray_malloc_image_info_3(a b)
    _XMP_coarray_malloc_image_info_4(a b c)
    _XMP_coarray_malloc_image_info_5(a b c d)
    _XMP_coarray_malloc_image_info_6(a b c d e)
    _XMP_coarray_malloc_image_info_7(a b c d e f)
}

for_c! {
    /// Allocates a coarray of the given shape, all zeros, with all executing images.
    "coarray" fn _XMP_coarray_malloc(place: Option<&Cell<Descriptor>>, start: &Cell<*mut c_void>) {
        let instance = instance();
        let image = &instance.image;
        let CoarrayShape { extents, element, images } = std::mem::take(&mut *GIVEN.of(instance).borrow_mut());
        let coarray = CoarrayObject::allocate(image, element, extents, images)?;
        start.set(coarray.block.local(image).cast());
        hand_out(place, Object::new(coarray))
    }
}
