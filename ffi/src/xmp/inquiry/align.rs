//! Inquiries about how arrays are aligned.

use super::{block_size, dim_of, dimension, own_part};
use crate::global::{Alignment, ArrayObject, Descriptor, Object};
use crate::xmp::entry::for_c;
use crate::xmp::error::Outcome;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::global::Format;

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

for_c! {
    /// How a dimension is distributed.
    "xmp_align_format" fn xmp_align_format(array: &Object<ArrayObject>, dim: c_int) -> c_int {
        Ok(match dim_of(array, dim)?.alignment {
            Alignment::Nothing => 199,
            Alignment::With { axis, .. } => match array.template.format(axis) {
                Some(Format::Block | Format::BlockOf(_)) => 101,
                Some(Format::Cyclic) => 102,
                Some(Format::CyclicOf(_)) => 103,
                Some(Format::Gblock(_) | Format::GblockStar) => 104,
                Some(Format::Collapsed) | None => 100,
            },
        })
    }

    /// Width of a block of a dimension; all of it where it is not distributed.
    "xmp_align_size" fn xmp_align_size(array: &Object<ArrayObject>, dim: c_int) -> c_int {
        let index = dimension(dim, array.ndims())?;
        let (mapping, coords) = own_part(array)?;
        Ok(match array.dim(index)?.alignment {
            Alignment::With { axis, .. } => {
                let distribution = mapping.distribution();
                let format = array.template.format(axis);
                block_size(distribution, format, axis, &distribution.axes()[axis])
            }
            Alignment::Nothing => {
                coords.map_or(0, |coords| mapping.count(index, mapping.part(index, &coords)))
            }
        } as c_int)
    }
}

answered! {
    /// The template of an array.
    xmp_align_template, xmp_align_template_(array: &Object<ArrayObject>, place: &Cell<Descriptor>) {
        place.set(array.template.address());
        Ok(())
    }
}
