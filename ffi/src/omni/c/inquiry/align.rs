//! Inquiries about how arrays are aligned.

use super::{block_size, dimension, here, of_array, of_dim, told};
use crate::omni::error::{Outcome, done};
use crate::omni::objects::{Alignment, ArrayObject, Descriptor, Dim};
use crate::process::enter;
use std::ffi::c_int;
use xmp_core::global::Format;

written! {
    /// The template dimension that a dimension is aligned with, from 1; 0 for none.
    xmp_align_axis(dim) of_dim |_a, _d, dim| Ok(match dim.alignment {
        Alignment::With { axis, .. } => axis as i64 + 1,
        Alignment::Nothing => 0,
    });
    /// The offset of the alignment.
    xmp_align_offset(dim) of_dim |_a, _d, dim| Ok(match dim.alignment {
        Alignment::With { offset, .. } => offset,
        Alignment::Nothing => 0,
    });
    /// Whether all nodes along a template dimension have copies: none of the array is aligned with it.
    xmp_align_replicated(dim) of_array_axis |array, axis| {
        let is_it = |dim: Dim| matches!(dim.alignment, Alignment::With { axis: of, .. } if of == axis);
        let mut used = false;
        for dim in 0..array.ndims() {
            used |= is_it(array.dim(dim)?);
        }
        Ok((!used).into())
    };
}

returned! {
    /// How a dimension is distributed.
    xmp_align_format of_dim |array, _i, dim| Ok(match dim.alignment {
        Alignment::Nothing => 199,
        Alignment::With { axis, .. } => match array.template.format(axis) {
            Some(Format::Block | Format::BlockOf(_)) => 101,
            Some(Format::Cyclic) => 102,
            Some(Format::CyclicOf(_)) => 103,
            Some(Format::Gblock(_) | Format::GblockStar) => 104,
            Some(Format::Collapsed) | None => 100,
        },
    });
    /// Width of a block of a dimension; all of it where it is not distributed.
    xmp_align_size of_dim |array, index, dim| {
        let (mapping, coords) = here(array)?;
        Ok(match dim.alignment {
            Alignment::With { axis, .. } => {
                let distribution = mapping.distribution();
                let format = array.template.format(axis);
                block_size(distribution, format, axis, &distribution.axes()[axis])
            }
            Alignment::Nothing => {
                coords.map_or(0, |coords| mapping.count(index, mapping.part(index, &coords)))
            }
        })
    };
}

/// Of a template dimension, from 1, asked of an array.
///
/// # Safety
/// As [`of_array`].
unsafe fn of_array_axis<T>(
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(&ArrayObject, usize) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    unsafe { of_array(descriptor, |array| answer(array, dimension(dim, array.template.ndims())?)) }
}

/// The template of an array.
///
/// # Safety
/// `array` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_align_template(array: Descriptor, place: *mut Descriptor) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe {
        let template = of_array(array, |array| Ok(array.template.address()));
        told(template, |template| place.write(template))
    }
}
