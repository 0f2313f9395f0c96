//! `template`, `template_fix` and `distribute` (XcalableMP 1.4, 4.3.2 and 4.3.3): calls that give bounds and
//! formats of the dimensions come first; mapping arrays are read when the nodes are known.

use super::count;
use crate::objects::{Descriptor, NodeSet, Object, TemplateObject, hand_out};
use std::cell::{Cell, LazyCell, RefCell};
use std::collections::HashMap;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::Format;
use xmp_ffi::process::{OfImage, instance};
use xmp_ffi::xmp::entry::{Dimension, List, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The format whose chunk is a mapping array.
const GBLOCK: c_int = 104;

/// The bounds and the format of a dimension, as they were given.
#[derive(Debug)]
struct DimensionFormat {
    bounds: (i64, i64),
    manner: c_int,
    /// The width of blocks, or the mapping array.
    chunk: List<c_int>,
    width: i64,
}

/// What was given of the templates that are being declared: by address, then by dimension.
static TEMPLATES: OfImage<LazyCell<DeclaredFormats>> = OfImage::lazy();

type DeclaredFormats = RefCell<HashMap<usize, Vec<DimensionFormat>>>;

for_fortran! {
    /// Declares a template with `dims` dimensions.
    "template" fn xmpf_template_alloc__(template: Option<&Cell<Descriptor>>, dims: c_int, _fixed: c_int) {
        match count(dims, "dimensions")? {
            0 => Err(DirectiveError::because("0 dimensions")),
            dims => hand_out(template, Object::new(TemplateObject::new(dims))),
        }
    }

    /// The bounds and the format of a dimension. `chunk` is the width of blocks, 0 if none is written, or the
    /// mapping array, which is there until the template is distributed.
    "template" fn xmpf_template_dim_info__(
        template: Descriptor, dim: Dimension, lower: c_int, upper: c_int, manner: c_int, chunk: List<c_int>,
    ) {
        let object = template.object::<TemplateObject>()?;
        let width = if manner == GBLOCK { 0 } else { chunk.of(1)?[0].get().into() };
        let dimension = DimensionFormat { bounds: (lower.into(), upper.into()), manner, chunk, width };
        let mut templates = TEMPLATES.of(instance()).borrow_mut();
        let dims = templates.entry(template.addr()).or_default();
        let dim = dim.0;
        if dim >= object.ndims() {
            return Err(DirectiveError::because(format!("the template has no dimension {}", dim + 1)));
        }
        // They come in order.
        dims.truncate(dim);
        if dims.len() < dim {
            let why = format!("dimension {} before dimension {}", dim + 1, dims.len() + 1);
            return Err(DirectiveError::because(why));
        }
        dims.push(dimension);
        Ok(())
    }

    /// `distribute t(...) onto p`: what was given comes into effect.
    "distribute" fn xmpf_template_init__(template: Descriptor, nodes: Rc<Object<NodeSet>>) {
        let object = template.object::<TemplateObject>()?;
        let mut templates = TEMPLATES.of(instance()).borrow_mut();
        let dimensions = templates.remove(&template.addr()).unwrap_or_default();
        object.fix(dimensions.iter().map(|dim| dim.bounds).collect())?;
        object.onto(nodes.clone());
        let mut over = 0;
        for (dim, dimension) in dimensions.iter().enumerate() {
            let format = format(dimension, &nodes, over)?;
            over += usize::from(format != Format::Collapsed);
            object.distribute(dim, format)?;
        }
        Ok(())
    }

    /// The end of a declaration.
    "template" fn xmpf_template_dealloc__(template: &Cell<Descriptor>) {
        TEMPLATES.of(instance()).borrow_mut().remove(&template.get().addr());
        template.replace(Descriptor::NULL).release::<TemplateObject>()
    }
}

/// The format of a dimension that is distributed over the dimension `over` of the nodes.
fn format(dimension: &DimensionFormat, onto: &NodeSet, over: usize) -> Outcome<Format> {
    Ok(match (dimension.manner, dimension.width) {
        (100, _) => Format::Collapsed,
        (101, 0) => Format::Block,
        (101, width) => Format::BlockOf(width),
        (102, 0) => Format::Cyclic,
        (102 | 103, width) => Format::CyclicOf(width),
        (GBLOCK, _) => {
            let Some(&count) = onto.nodes.shape().get(over) else {
                return Err(DirectiveError::because(format!(
                    "the nodes have no dimension {}",
                    over + 1
                )));
            };
            let sizes = dimension.chunk.of(count)?;
            Format::Gblock(sizes.iter().map(|size| size.get().into()).collect())
        }
        (manner, _) => return Err(DirectiveError::because(format!("there is no format {manner}"))),
    })
}
