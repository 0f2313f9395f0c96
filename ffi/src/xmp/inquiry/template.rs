//! Inquiries about templates and how they are distributed.

use super::dimension;
use crate::global::{Descriptor, Object, TemplateObject};
use crate::process::instance;
use crate::xmp::entry::List;
use crate::xmp::error::{DirectiveError, Outcome};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::global::{Axis, Distribution, Format};

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
        match known.ok_or_else(|| DirectiveError::because("the template is not distributed"))? {
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

/// The bounds of a dimension, counted from 1.
fn bounds(template: &TemplateObject, dim: c_int) -> Outcome<(i64, i64)> {
    let dim = dimension(dim, template.ndims())?;
    let bounds =
        template.bounds().ok_or_else(|| DirectiveError::because("the template is not fixed"))?;
    Ok(bounds[dim])
}

/// Width of a block of a dimension with this format: all of it for `*`, the block of this image for gblock.
fn block_size(
    distribution: &Distribution,
    format: Option<Format>,
    index: usize,
    axis: &Axis,
) -> i64 {
    let width = match format {
        // One node has all blocks, but they are as wide as before.
        Some(Format::Cyclic) => Some(1),
        Some(Format::BlockOf(width) | Format::CyclicOf(width)) => Some(width),
        _ => axis.width(),
    };
    width.unwrap_or_else(|| match distribution.coords(instance().image.rank()) {
        Some(coords) => axis.count(distribution.coord(index, &coords)),
        None => 0,
    })
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
            return Err(DirectiveError::because("the dimension is not distributed by gblock"));
        }
        let axis = &distribution.axes()[dim];
        for (node, size) in sizes.of(axis.nodes())?.iter().enumerate() {
            size.set(axis.count(node) as c_int);
        }
        Ok(())
    }
}
