//! Inquiries about templates and how they are distributed.

use super::{block_size, dimension, of_axis, of_template, told};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::Descriptor;
use crate::process::enter;
use std::ffi::c_int;
use xmp_core::global::Format;

/// Codes of `xmp_dist_format`.
mod format {
    pub const NOT_DISTRIBUTED: i32 = 2100;
    pub const BLOCK: i32 = 2101;
    pub const CYCLIC: i32 = 2102;
    pub const GBLOCK: i32 = 2103;
}

written! {
    /// Whether a template is fixed.
    xmp_template_fixed() of_template |template| Ok(template.is_fixed().into());
    /// Dimensions of a template.
    xmp_template_ndims() of_template |template| Ok(template.ndims() as i64);
    /// First index of a template.
    xmp_template_lbound(dim) of_bounds |bounds| Ok(bounds.0);
    /// Last index of a template.
    xmp_template_ubound(dim) of_bounds |bounds| Ok(bounds.1);
    /// The format of a dimension.
    xmp_dist_format(dim) of_format |known| Ok(match known {
        Format::Collapsed => format::NOT_DISTRIBUTED,
        Format::Block | Format::BlockOf(_) => format::BLOCK,
        Format::Cyclic | Format::CyclicOf(_) => format::CYCLIC,
        Format::Gblock(_) | Format::GblockStar => format::GBLOCK,
    }.into());
    /// Width of a block; of `*` all.
    xmp_dist_blocksize(dim) of_axis |template, index, axis| {
        Ok(block_size(&*template.distribution()?, template.format(index), index, axis))
    };
    /// The dimension of the nodes that a dimension is distributed over, from 1; 0 for none.
    xmp_dist_axis(dim) of_axis |template, index, _axis| {
        Ok(template.distribution()?.node_dim(index).map_or(0, |dim| dim as i64 + 1))
    };
}

returned! {
    /// Indices of a template.
    xmp_template_gsize of_bounds |bounds| Ok(bounds.1 - bounds.0 + 1);
    /// Width of what a node has at most of a template dimension.
    xmp_template_lsize of_axis |_t, _i, axis| {
        Ok((0..axis.nodes()).map(|node| axis.count(node)).max().unwrap_or(0))
    };
    /// Distance between the blocks of a node.
    xmp_dist_stride of_axis |_t, _i, axis| Ok(match axis.is_blocked() {
        true => 1,
        false => axis.width().unwrap_or(1) * axis.nodes() as i64,
    });
}

/// Of the bounds of a template dimension.
///
/// # Safety
/// As [`of_template`].
unsafe fn of_bounds<T>(
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce((i64, i64)) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_template(descriptor, |template| {
            let index = dimension(dim, template.ndims())?;
            let bounds = template.bounds();
            answer(bounds.ok_or_else(|| Wrong::because("the template is not fixed"))?[index])
        })
    }
}

/// Of the format of a template dimension.
///
/// # Safety
/// As [`of_template`].
unsafe fn of_format<T>(
    descriptor: Descriptor,
    dim: c_int,
    answer: impl FnOnce(Format) -> Outcome<T>,
) -> Outcome<T> {
    // SAFETY: the caller's guarantee.
    unsafe {
        of_template(descriptor, |template| {
            let format = template.format(dimension(dim, template.ndims())?);
            answer(format.ok_or_else(|| Wrong::because("the template is not distributed"))?)
        })
    }
}

/// The nodes of a template.
///
/// # Safety
/// `template` describes one, the place is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_dist_nodes(template: Descriptor, place: *mut Descriptor) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe {
        let nodes = of_template(template, |template| Ok(template.nodes()?.address()));
        told(nodes, |nodes| place.write(nodes))
    }
}

/// Sizes of the blocks of a dimension; -1 if it is not distributed by gblock, or its sizes are not known yet.
///
/// # Safety
/// `template` describes one, there is room for all nodes of the dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_dist_gblockmap(
    template: Descriptor,
    dim: c_int,
    map: *mut c_int,
) -> c_int {
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    unsafe {
        let written = of_axis(template, dim, |template, index, axis| {
            if !matches!(template.format(index), Some(Format::Gblock(_))) {
                return Err(Wrong::because("the dimension is not distributed by gblock"));
            }
            for node in 0..axis.nodes() {
                map.add(node).write(axis.count(node) as c_int);
            }
            Ok(())
        });
        told(written, |()| ())
    }
}
