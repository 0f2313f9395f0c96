//! `template`, `template_fix` and `distribute` (XcalableMP 1.4, 4.3.2 and 4.3.3). Dimensions count from 0.

use super::nodes::dimensions;
use crate::objects::{Descriptor, NodeSet, Object, TemplateObject, hand_out};
use std::cell::Cell;
use std::ffi::{c_int, c_ulonglong};
use std::rc::Rc;
use xmp_core::global::Format;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::arguments::Arguments;
use xmp_ffi::xmp::entry::{List, Released, for_c};
use xmp_ffi::xmp::error::DirectiveError;

/// Reads the bounds of `dims` dimensions: the arguments are pairs of `long long`.
fn read_bounds(arguments: &mut Arguments, dims: usize) -> Vec<(i64, i64)> {
    (0..dims).map(|_| (arguments.wide(), arguments.wide())).collect()
}

for_c! {
    /// `template t(lower:upper, ...)`.
    "template" fn xmprt_omni_init_template_fixed(
        place: Option<&Cell<Descriptor>>, dims: c_int, arguments: &mut Arguments,
    ) {
        let template = TemplateObject::new(dimensions(dims)?);
        template.fix(read_bounds(arguments, template.ndims()))?;
        hand_out(place, Object::new(template))
    }

    /// `template t(:, ...)`.
    "template" fn _XMP_init_template_UNFIXED(place: Option<&Cell<Descriptor>>, dims: c_int) {
        hand_out(place, Object::new(TemplateObject::new(dimensions(dims)?)))
    }

    /// `template_fix t(lower:upper, ...)`.
    "template_fix" fn xmprt_omni_set_template_size(
        template: &Object<TemplateObject>, dims: c_int, arguments: &mut Arguments,
    ) {
        template.fix(read_bounds(arguments, dimensions(dims)?))
    }

    /// `distribute t(...) onto p`: the nodes; the formats follow.
    "distribute" fn _XMP_init_template_chunk(template: &Object<TemplateObject>, nodes: Rc<Object<NodeSet>>) {
        template.onto(nodes);
        Ok(())
    }

    /// `*`
    "distribute" fn _XMP_dist_template_DUPLICATION(template: &Object<TemplateObject>, dim: c_int) {
        template.distribute(dim as usize, Format::Collapsed)
    }

    /// `block`. Dimensions that are distributed take those of the nodes from the first one on, so the number is not
    /// needed.
    "distribute" fn _XMP_dist_template_BLOCK(template: &Object<TemplateObject>, dim: c_int, _over: c_int) {
        template.distribute(dim as usize, Format::Block)
    }

    /// `cyclic`
    "distribute" fn _XMP_dist_template_CYCLIC(template: &Object<TemplateObject>, dim: c_int, _over: c_int) {
        template.distribute(dim as usize, Format::Cyclic)
    }

    /// `cyclic(width)`
    "distribute" fn _XMP_dist_template_BLOCK_CYCLIC(
        template: &Object<TemplateObject>, dim: c_int, _over: c_int, width: c_ulonglong,
    ) {
        let wide = |_| DirectiveError::because(format!("blocks of {width} indices"));
        template.distribute(dim as usize, Format::CyclicOf(i64::try_from(width).map_err(wide)?))
    }

    /// `gblock(sizes)`, or `gblock(*)` without `sizes`, which has one for each node. `origin` becomes the first
    /// index of this image when the template is fixed; it is valid as long as the template.
    "distribute" fn _XMP_dist_template_GBLOCK(
        template: &Object<TemplateObject>, dim: c_int, over: c_int, sizes: List<c_int>,
        origin: Option<&'static Cell<c_int>>,
    ) {
        if sizes.is_none() {
            return template.distribute(dim as usize, Format::GblockStar);
        }
        let onto = template.nodes()?;
        let Some(&count) = onto.nodes.shape().get(over as usize) else {
            let dim = i64::from(over) + 1;
            return Err(DirectiveError::because(format!("the nodes have no dimension {dim}")));
        };
        let sizes: Vec<i64> = sizes.of(count)?.iter().map(|size| size.get().into()).collect();
        let before: i64 = sizes[..onto.coord(over as usize)].iter().sum();
        template.distribute(dim as usize, Format::Gblock(sizes))?;
        if let Some(origin) = origin {
            template.note_origin(dim as usize, before, origin);
        }
        Ok(())
    }

    /// The end of a declaration.
    "template" fn _XMP_finalize_template(_template: Released<TemplateObject>) {
        Ok(())
    }

    /// The global value of a loop variable from the local one (where the frozen formulas cannot be compiled in).
    "loop" fn xmpc_ltog(local: c_int, template: &Object<TemplateObject>, dim: c_int, offset: c_int) -> c_int {
        let distribution = template.distribution()?;
        let Some(axis) = distribution.axes().get(dim as usize) else {
            let dim = i64::from(dim) + 1;
            return Err(DirectiveError::because(format!("the template has no dimension {dim}")));
        };
        let Some(coords) = distribution.coords(instance().image.rank()) else { return Ok(0) };
        let global = if axis.is_collapsed() {
            local.into()
        } else {
            axis.index(distribution.coord(dim as usize, &coords), local.into())
        };
        Ok((global - i64::from(offset)) as c_int)
    }
}
