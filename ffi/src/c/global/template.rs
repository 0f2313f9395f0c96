//! Entry functions of templates: declare, fix, distribute.

use super::objects::{Object, ObjectHandle, dimensions, give, nodes_of, template_of};
use super::range::{Range, subscripts};
use crate::c::argument::List;
use crate::c::outcome::functions;
use crate::process::instance;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Format, MappingError, Nodes, Template};
use xmp_core::{Error, Result};

/// `xmprt_format`: the manner, and what it needs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FormatOf {
    manner: c_int,
    width: i64,
    sizes: List<i64>,
}

fn named(error: MappingError) -> Error {
    error.of("template")
}

impl FormatOf {
    /// The format that it describes, of a dimension over `nodes` nodes.
    fn read(self, nodes: Option<usize>) -> Result<Format> {
        let FormatOf { manner, width, sizes } = self;
        Ok(match (manner, width) {
            (0, _) => Format::Collapsed,
            (1, 0) => Format::Block,
            (1, 1..) => Format::BlockOf(width),
            (2, 0) => Format::Cyclic,
            (2, 1..) => Format::CyclicOf(width),
            (3, _) if sizes.is_null() => Format::GblockStar,
            (3, _) => {
                let nodes = nodes.ok_or_else(|| {
                    Error::Invalid("more dimensions are distributed than the nodes have".into())
                })?;
                Format::Gblock(sizes.of("sizes", nodes)?.to_vec())
            }
            (1 | 2, _) => return Err(Error::Invalid(format!("a format of width {width}"))),
            _ => return Err(Error::Invalid(format!("{manner} is not a manner of xmprt_format"))),
        })
    }
}

/// The formats of all dimensions.
fn formats(formats: List<FormatOf>, ndims: usize, nodes: &Nodes) -> Result<Vec<Format>> {
    // Dimensions are distributed over those of the nodes from left to right.
    let mut over = nodes.shape().iter().copied();
    let read = |format: &FormatOf| format.read(if format.manner == 0 { None } else { over.next() });
    formats.of("formats", ndims)?.iter().map(read).collect()
}

/// The bounds of all dimensions.
fn bounds(extents: List<i64>, ndims: usize) -> Result<Vec<(i64, i64)>> {
    let extents = extents.of("extents", ndims)?;
    Ok(extents.iter().map(|&extent| (0, extent.saturating_sub(1))).collect())
}

functions! {
    /// An index space; `extents` is null if they are fixed later.
    fn xmprt_template_create(ndims: c_int, extents: List<i64>, template: Option<&Cell<ObjectHandle>>) {
        give(template, "template", || {
            let ndims = dimensions(ndims)?;
            let template = if extents.is_null() {
                Template::unfixed(ndims)
            } else {
                Template::fixed(&bounds(extents, ndims)?)
            };
            Ok(Object::Template(Rc::new(RefCell::new(template.map_err(named)?))))
        })
    }

    /// Distributes a template.
    fn xmprt_template_distribute(template: ObjectHandle, formats: List<FormatOf>, nodes: ObjectHandle) {
        let (template, nodes) = (template_of(template)?, nodes_of(nodes)?);
        let mut template = template.borrow_mut();
        let formats = self::formats(formats, template.ndims(), &nodes)?;
        template.distribute(formats, nodes).map_err(named)
    }

    /// Gives what was left open.
    fn xmprt_template_fix(template: ObjectHandle, extents: List<i64>, formats: List<FormatOf>) {
        let template = template_of(template)?;
        let mut template = template.borrow_mut();
        let ndims = template.ndims();
        let bounds = bounds(extents, ndims)?;
        let known = match (formats.is_null(), template.onto()) {
            (true, _) => None,
            (false, None) => return Err(named(MappingError::NotFixed("distribution"))),
            (false, Some((_, nodes))) => Some(self::formats(formats, ndims, nodes)?),
        };
        template.fix(&bounds, known.as_deref()).map_err(named)
    }

    /// The nodes that have some indices of a template.
    fn xmprt_template_nodes(template: ObjectHandle, ranges: List<Range>, nodes: Option<&Cell<ObjectHandle>>) {
        give(nodes, "nodes", || {
            let template = template_of(template)?;
            let template = template.borrow();
            let subscripts = subscripts(ranges, template.ndims())?;
            let distribution = template.distribution().map_err(named)?;
            let nodes = distribution.nodes_of(&subscripts, instance().image.rank());
            Ok(Object::Nodes(Rc::new(nodes.map_err(named)?)))
        })
    }
}
