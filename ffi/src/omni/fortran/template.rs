//! `template`, `template_fix` and `distribute` (XcalableMP 1.4, 4.3.2 and 4.3.3): bounds and formats of the dimensions
//! are said first; mapping arrays are read when the nodes are known.

use super::arguments::{count, dimension, number, object, release, shared};
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, Object, TemplateObject, hand_out};
use crate::process::instance;
use std::ffi::c_int;
use xmp_core::global::Format;

/// The format whose chunk is a mapping array.
const GBLOCK: c_int = 104;

/// What was said of a dimension.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    bounds: (i64, i64),
    manner: c_int,
    /// The width of blocks, or the mapping array.
    chunk: *const c_int,
    width: i64,
}

/// Declares a template with so many dimensions.
///
/// # Safety
/// The pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_template_alloc__(
    template: *mut Descriptor,
    dims: *const c_int,
    _fixed: *const c_int,
) {
    // SAFETY: the caller's guarantee.
    done("template", || unsafe {
        let dims = count(dims, "dimensions")?;
        if dims == 0 {
            return Err(Wrong::because("0 dimensions"));
        }
        hand_out(template, Object::new(TemplateObject::new(dims)))
    });
}

/// The bounds and the format of a dimension. `chunk` is the width of blocks, 0 if none is written, or the mapping array.
///
/// # Safety
/// The pointers are valid, `template` describes one; a mapping array until the template is distributed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_template_dim_info__(
    template: *const Descriptor,
    dim: *const c_int,
    lower: *const c_int,
    upper: *const c_int,
    manner: *const c_int,
    chunk: *const c_int,
) {
    done("template", || {
        // SAFETY: the caller's guarantee.
        let (object, dim, said) = unsafe {
            let manner = manner.read();
            let width = if manner == GBLOCK { 0 } else { number(chunk) };
            let said = Said { bounds: (number(lower), number(upper)), manner, chunk, width };
            (object::<TemplateObject>(template)?, dimension(dim)?, said)
        };
        let mut templates = instance().omni.fortran.templates.borrow_mut();
        // SAFETY: as above.
        let dims = templates.entry(unsafe { template.read() }.addr()).or_default();
        if dim >= object.ndims() {
            return Err(Wrong::because(format!("the template has no dimension {}", dim + 1)));
        }
        // They come in order.
        dims.truncate(dim);
        if dims.len() < dim {
            let why = format!("dimension {} before dimension {}", dim + 1, dims.len() + 1);
            return Err(Wrong::because(why));
        }
        dims.push(said);
        Ok(())
    });
}

/// `distribute t(...) onto p`: what was said comes into effect.
///
/// # Safety
/// The pointers are valid, both are descriptors of these kinds; mapping arrays have a size for each node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_template_init__(
    template: *const Descriptor,
    nodes: *const Descriptor,
) {
    done("distribute", || {
        // SAFETY: the caller's guarantee.
        let (object, onto, key) = unsafe {
            (object::<TemplateObject>(template)?, shared::<NodeSet>(nodes)?, template.read().addr())
        };
        let said = instance().omni.fortran.templates.borrow_mut().remove(&key).unwrap_or_default();
        object.fix(said.iter().map(|dim| dim.bounds).collect())?;
        object.onto(onto.clone());
        let mut over = 0;
        for (dim, said) in said.iter().enumerate() {
            // SAFETY: as above.
            let format = unsafe { format(said, &onto, over)? };
            over += usize::from(format != Format::Collapsed);
            object.distribute(dim, format)?;
        }
        Ok(())
    });
}

/// The format of a dimension that is distributed over the dimension `over` of the nodes.
///
/// # Safety
/// A mapping array has a size for each node.
unsafe fn format(said: &Said, onto: &NodeSet, over: usize) -> Outcome<Format> {
    let Said { manner, chunk, width, .. } = *said;
    Ok(match (manner, width) {
        (100, _) => Format::Collapsed,
        (101, 0) => Format::Block,
        (101, width) => Format::BlockOf(width),
        (102, 0) => Format::Cyclic,
        (102 | 103, width) => Format::CyclicOf(width),
        (GBLOCK, _) => {
            let Some(&count) = onto.nodes.shape().get(over) else {
                return Err(Wrong::because(format!("the nodes have no dimension {}", over + 1)));
            };
            // SAFETY: the caller's guarantee.
            let sizes = unsafe { std::slice::from_raw_parts(chunk, count) };
            Format::Gblock(sizes.iter().map(|&size| size.into()).collect())
        }
        (manner, _) => return Err(Wrong::because(format!("there is no format {manner}"))),
    })
}

/// The end of a declaration.
///
/// # Safety
/// `template` is valid and holds 0 or describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_template_dealloc__(template: *mut Descriptor) {
    // SAFETY: the caller's guarantee.
    done("template", || unsafe {
        instance().omni.fortran.templates.borrow_mut().remove(&template.read().addr());
        release::<TemplateObject>(template)
    });
}
