//! Inquiries about templates and how they are distributed.

use super::{block_size, dimension};
use crate::global::{Descriptor, Object, TemplateObject};
use crate::xmp::entry::{List, for_c};
use crate::xmp::error::{Outcome, Wrong};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::global::Format;

/// Codes of `xmp_dist_format`.
mod format {
    pub const NOT_DISTRIBUTED: i32 = 2100;
    pub const BLOCK: i32 = 2101;
    pub const CYCLIC: i32 = 2102;
    pub const GBLOCK: i32 = 2103;
}

numbers! {
    /// Whether a template is fixed.
    xmp_template_fixed, xmp_template_fixed_(template: &Object<TemplateObject>) = template.is_fixed().into();
    /// Dimensions of a template.
    xmp_template_ndims, xmp_template_ndims_(template: &Object<TemplateObject>) = template.ndims() as i64;
    /// First index of a template.
    xmp_template_lbound, xmp_template_lbound_(template: &Object<TemplateObject>, dim: c_int) = bounds(template, dim)?.0;
    /// Last index of a template.
    xmp_template_ubound, xmp_template_ubound_(template: &Object<TemplateObject>, dim: c_int) = bounds(template, dim)?.1;
    /// The format of a dimension.
    xmp_dist_format, xmp_dist_format_(template: &Object<TemplateObject>, dim: c_int) = {
        let known = template.format(dimension(dim, template.ndims())?);
        match known.ok_or_else(|| Wrong::because("the template is not distributed"))? {
            Format::Collapsed => format::NOT_DISTRIBUTED,
            Format::Block | Format::BlockOf(_) => format::BLOCK,
            Format::Cyclic | Format::CyclicOf(_) => format::CYCLIC,
            Format::Gblock(_) | Format::GblockStar => format::GBLOCK,
        }.into()
    };
    /// Width of a block; of `*` all.
    xmp_dist_blocksize, xmp_dist_blocksize_(template: &Object<TemplateObject>, dim: c_int) = {
        let distribution = template.distribution()?;
        let dim = dimension(dim, template.ndims())?;
        block_size(&distribution, template.format(dim), dim, &distribution.axes()[dim])
    };
    /// The dimension of the nodes that a dimension is distributed over, from 1; 0 for none.
    xmp_dist_axis, xmp_dist_axis_(template: &Object<TemplateObject>, dim: c_int) = {
        let distribution = template.distribution()?;
        distribution.node_dim(dimension(dim, template.ndims())?).map_or(0, |dim| dim as i64 + 1)
    };
}

for_c! {
    /// Indices of a template.
    "xmp_template_gsize" fn xmp_template_gsize(template: &Object<TemplateObject>, dim: c_int) -> c_int {
        let (lower, upper) = bounds(template, dim)?;
        Ok((upper - lower + 1) as c_int)
    }

    /// Width of what a node has at most of a template dimension.
    "xmp_template_lsize" fn xmp_template_lsize(template: &Object<TemplateObject>, dim: c_int) -> c_int {
        let distribution = template.distribution()?;
        let axis = &distribution.axes()[dimension(dim, template.ndims())?];
        Ok((0..axis.nodes()).map(|node| axis.count(node)).max().unwrap_or(0) as c_int)
    }

    /// Distance between the blocks of a node.
    "xmp_dist_stride" fn xmp_dist_stride(template: &Object<TemplateObject>, dim: c_int) -> c_int {
        let distribution = template.distribution()?;
        let axis = &distribution.axes()[dimension(dim, template.ndims())?];
        let stride = axis.width().unwrap_or(1) * axis.nodes() as i64;
        Ok(if axis.is_blocked() { 1 } else { stride as c_int })
    }
}

/// The bounds of a dimension, counted from 1.
fn bounds(template: &TemplateObject, dim: c_int) -> Outcome<(i64, i64)> {
    let dim = dimension(dim, template.ndims())?;
    let bounds = template.bounds().ok_or_else(|| Wrong::because("the template is not fixed"))?;
    Ok(bounds[dim])
}

answered! {
    /// The nodes of a template.
    xmp_dist_nodes, xmp_dist_nodes_(template: &Object<TemplateObject>, place: &Cell<Descriptor>) {
        place.set(template.nodes()?.address());
        Ok(())
    }

    /// Sizes of the blocks of a dimension, one for each node along it; -1 if it is not distributed by gblock, or
    /// its sizes are not known yet.
    xmp_dist_gblockmap, xmp_dist_gblockmap_(template: &Object<TemplateObject>, dim: c_int, sizes: List<c_int>) {
        let distribution = template.distribution()?;
        let dim = dimension(dim, template.ndims())?;
        if !matches!(template.format(dim), Some(Format::Gblock(_))) {
            return Err(Wrong::because("the dimension is not distributed by gblock"));
        }
        let axis = &distribution.axes()[dim];
        for (node, size) in sizes.of(axis.nodes())?.iter().enumerate() {
            size.set(axis.count(node) as c_int);
        }
        Ok(())
    }
}
