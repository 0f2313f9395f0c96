//! Inquiries about how arrays are aligned.

use super::{dim_of, dimension};
use crate::global::{Alignment, ArrayObject, Descriptor, Object};
use crate::xmp::error::Outcome;
use std::cell::Cell;
use std::ffi::c_int;

numbers! {
    /// The template dimension that a dimension is aligned with, from 1; 0 for none.
    xmp_align_axis, xmp_align_axis_(array: &Object<ArrayObject>, dim: c_int) = match dim_of(array, dim)?.alignment {
        Alignment::With { axis, .. } => axis as i64 + 1,
        Alignment::Nothing => 0,
    };
    /// The offset of the alignment.
    xmp_align_offset, xmp_align_offset_(array: &Object<ArrayObject>, dim: c_int) = match dim_of(array, dim)?.alignment {
        Alignment::With { offset, .. } => offset,
        Alignment::Nothing => 0,
    };
    /// Whether all nodes along a template dimension have copies: none of the array is aligned with it.
    xmp_align_replicated, xmp_align_replicated_(array: &Object<ArrayObject>, dim: c_int) = {
        let template_dim = dimension(dim, array.template.ndims())?;
        let mut used = false;
        for dim in 0..array.ndims() {
            let alignment = array.dim(dim)?.alignment;
            used |= matches!(alignment, Alignment::With { axis, .. } if axis == template_dim);
        }
        (!used).into()
    };
}

answered! {
    /// The template of an array.
    xmp_align_template, xmp_align_template_(array: &Object<ArrayObject>, place: &Cell<Descriptor>) {
        place.set(array.template.address());
        Ok(())
    }
}
