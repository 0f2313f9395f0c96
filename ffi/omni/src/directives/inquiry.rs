//! Inquiries that only translated code makes; `xmp_ffi::xmp` has those that users make.

use crate::objects::{ArrayObject, Descriptor, Object};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_ffi::xmp::entry::{List, for_c, for_fortran};
use xmp_ffi::xmp::inquiry::owners_of;

for_c! {
    /// `xmp_desc_of(x)`: a descriptor is one.
    "xmp_desc_of" fn _XMP_desc_of(descriptor: Descriptor) -> Descriptor {
        Ok(descriptor)
    }
}

/// `xmp_desc_of` of Fortran is replaced by the translator.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_desc_of_() {}

for_fortran! {
    /// What a descriptor describes: `xmp_desc_kind` by the name that the translator gives it.
    "xmp_desc_kind" fn xmpf_desc_kind_(descriptor: Descriptor, place: &Cell<c_int>) -> c_int {
        Ok(match descriptor.kind() {
            Some(kind) => {
                place.set(kind);
                0
            }
            None => -1,
        })
    }

    /// The first of the images that have an element.
    "owner of an element" fn xmp_calc_gmove_array_owner_linear_rank_scalar_(
        array: &Object<ArrayObject>, index: List<c_int>,
    ) -> c_int {
        Ok(owners_of(array, &index)?.first().copied().unwrap_or(0))
    }
}
