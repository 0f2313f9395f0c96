//! Entry functions of templates: declare, fix, distribute.

use super::objects::{GlobalObject, ObjectHandle, dimensions, give, nodes_of, template_of};
use super::range::{Range, subscripts};
use crate::c::argument::{List, OutputList};
use crate::c::outcome::functions;
use crate::global::{DirectiveError, NodeSet, Object, TemplateObject, fixed};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::global::{Axis, Format, Nodes};
use xmp_core::{Error, Result};

/// `xmprt_extent`: some indices one after the other.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub lower: i64,
    pub count: i64,
}

impl Extent {
    /// The first and the last index.
    pub fn bounds(self) -> (i64, i64) {
        (self.lower, self.lower.saturating_add(self.count.saturating_sub(1)))
    }
}

/// `xmprt_format`: the manner, and its parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FormatOf {
    manner: c_int,
    width: i64,
    sizes: List<c_int>,
}

/// The width of an `int`: sizes of blocks may be of that type.
const INT: i64 = size_of::<c_int>() as i64;

fn named(wrong: DirectiveError) -> Error {
    wrong.of("template")
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
            (3, 0 | INT) => {
                let nodes = nodes.ok_or_else(|| {
                    Error::Invalid("more dimensions are distributed than the nodes have".into())
                })?;
                Format::Gblock(match width {
                    0 => sizes.cast::<i64>().of("sizes", nodes)?.to_vec(),
                    _ => sizes.of("sizes", nodes)?.iter().copied().map(i64::from).collect(),
                })
            }
            (1..=3, _) => return Err(Error::Invalid(format!("a format of width {width}"))),
            _ => return Err(Error::Invalid(format!("{manner} is not a manner of xmprt_format"))),
        })
    }
}

/// The formats of all dimensions.
pub fn formats(formats: List<FormatOf>, ndims: usize, nodes: &Nodes) -> Result<Vec<Format>> {
    // Dimensions are distributed over the dimensions of the nodes from left to right.
    let mut over = nodes.shape().iter().copied();
    let read = |format: &FormatOf| format.read(if format.manner == 0 { None } else { over.next() });
    formats.of("formats", ndims)?.iter().map(read).collect()
}

/// The bounds of all dimensions; none where they are fixed later.
fn bounds(extents: List<Extent>, ndims: usize) -> Result<Option<Vec<(i64, i64)>>> {
    if extents.is_null() {
        return Ok(None);
    }
    Ok(Some(extents.of("extents", ndims)?.iter().map(|extent| extent.bounds()).collect()))
}

/// `xmprt_blocks`: the indices that an image has of a dimension.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Blocks {
    pub first: i64,
    pub last: i64,
    pub width: i64,
    pub period: i64,
}

impl Blocks {
    /// The blocks of a node; `width` is the width of cyclic blocks.
    fn of(axis: &Axis, node: usize, width: Option<i64>) -> Blocks {
        let count = axis.count(node);
        if count == 0 {
            return Blocks::none(axis);
        }
        let (first, last) = (axis.index(node, 0), axis.index(node, count - 1));
        match width.filter(|&width| count > width) {
            Some(width) => Blocks { first, last, width, period: axis.index(node, width) - first },
            None => Blocks { first, last, width: last - first + 1, period: last - first + 1 },
        }
    }

    fn none(axis: &Axis) -> Blocks {
        Blocks { first: axis.upper() + 1, last: axis.upper(), width: 1, period: 1 }
    }
}

functions! {
    /// An index space; `extents` is null if they are fixed later.
    fn xmprt_template_create(ndims: c_int, extents: List<Extent>, template: Option<&Cell<ObjectHandle>>) {
        give(template, "template", || {
            let template = TemplateObject::new(dimensions(ndims)?);
            if let Some(bounds) = bounds(extents, template.ndims())? {
                template.fix(bounds).map_err(named)?;
            }
            Ok(GlobalObject::Template(Object::new(template)))
        })
    }

    /// Distributes a template.
    fn xmprt_template_distribute(template: ObjectHandle, formats: List<FormatOf>, nodes: ObjectHandle) {
        let (template, nodes) = (template_of(template)?, nodes_of(nodes)?);
        let formats = self::formats(formats, template.ndims(), &nodes.nodes)?;
        template.distribute_onto(formats, nodes)
    }

    /// Fixes the bounds and formats that were left open, on all executing images.
    fn xmprt_template_fix(template: ObjectHandle, extents: List<Extent>, formats: List<FormatOf>) {
        let template = template_of(template)?;
        let ndims = template.ndims();
        let bounds = bounds(extents, ndims)?;
        let formats = if formats.is_null() {
            None
        } else {
            let nodes = template.nodes().map_err(|wrong| template.wrong(wrong))?;
            Some(self::formats(formats, ndims, &nodes.nodes)?)
        };
        template.fix_open(bounds, formats).map_err(|wrong| template.wrong(wrong))?;
        fixed::compare(&instance().image, &template)
    }

    /// The nodes that have some indices of a template.
    fn xmprt_template_nodes(template: ObjectHandle, ranges: List<Range>, nodes: Option<&Cell<ObjectHandle>>) {
        give(nodes, "nodes", || {
            let image = &instance().image;
            let template = template_of(template)?;
            let subscripts = subscripts(ranges, template.ndims())?;
            let distribution = template.distribution().map_err(|wrong| template.wrong(wrong))?;
            let nodes = distribution.nodes_of(&subscripts, image.rank());
            let nodes = nodes.map_err(|error| template.wrong(error.into()))?;
            Ok(GlobalObject::Nodes(Object::new(NodeSet::new(image, nodes))))
        })
    }

    /// The extents of a template; zeros until they are fixed.
    fn xmprt_template_extents(template: ObjectHandle, extents: OutputList<Extent>) {
        let template = template_of(template)?;
        let bounds = template.bounds().unwrap_or_else(|| vec![(0, -1); template.ndims()]);
        let places = extents.of(bounds.len()).unwrap_or_default();
        for (place, (lower, upper)) in places.iter().zip(bounds) {
            place.set(Extent { lower, count: upper - lower + 1 });
        }
        Ok(())
    }

    /// The indices that this image has of each dimension; zeros as long as something of the template is open.
    fn xmprt_template_blocks(template: ObjectHandle, blocks: OutputList<Blocks>) {
        let template = template_of(template)?;
        let places = blocks.of(template.ndims()).unwrap_or_default();
        if !template.is_fixed() {
            places.iter().for_each(|place| place.set(Blocks::default()));
            return Ok(());
        }
        places.iter().zip(blocks_of(&template)?).for_each(|(place, blocks)| place.set(blocks));
        Ok(())
    }
}

/// The indices that this image has of each dimension.
///
/// # Errors
/// When the template is not fixed or not distributed.
pub fn blocks_of(template: &TemplateObject) -> Result<Vec<Blocks>> {
    let distribution = template.distribution().map_err(|wrong| template.wrong(wrong))?;
    let coords = distribution.coords(instance().image.rank());
    let blocks = |(dim, axis): (usize, &Axis)| {
        let width = match template.format(dim) {
            Some(Format::Cyclic) => Some(1),
            Some(Format::CyclicOf(width)) => Some(width),
            _ => None,
        };
        match &coords {
            Some(coords) => Blocks::of(axis, distribution.coord(dim, coords), width),
            None => Blocks::none(axis),
        }
    };
    Ok(distribution.axes().iter().enumerate().map(blocks).collect())
}
