//! Templates.

use super::range::{Range, subscripts};
use super::{Object, ObjectHandle, dimensions, give, list, nodes_of, template_of};
use crate::c::outcome::outcome;
use crate::process::instance;
use std::cell::RefCell;
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
    sizes: *const i64,
}

fn named(error: MappingError) -> Error {
    error.of("template")
}

impl FormatOf {
    /// # Safety
    /// `sizes` is null or has one for each node along the dimension.
    unsafe fn read(self, nodes: Option<usize>) -> Result<Format> {
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
                // SAFETY: the caller's guarantee.
                Format::Gblock(unsafe { std::slice::from_raw_parts(sizes, nodes) }.to_vec())
            }
            (1 | 2, _) => return Err(Error::Invalid(format!("a format of width {width}"))),
            _ => return Err(Error::Invalid(format!("{manner} is not a manner of xmprt_format"))),
        })
    }
}

/// # Safety
/// `formats` is null or has `ndims` elements, each as [`FormatOf::read`].
unsafe fn formats(formats: *const FormatOf, ndims: usize, nodes: &Nodes) -> Result<Vec<Format>> {
    // SAFETY: the caller's guarantee.
    let formats = unsafe { list((formats, "formats"), ndims)? };
    // Dimensions are distributed over those of the nodes from left to right.
    let mut over = nodes.shape().iter().copied();
    let mut read = |format: &FormatOf| {
        let along = if format.manner == 0 { None } else { over.next() };
        // SAFETY: the caller's guarantee.
        unsafe { format.read(along) }
    };
    formats.iter().map(&mut read).collect()
}

/// # Safety
/// `extents` is null or has `ndims` elements.
unsafe fn bounds(extents: *const i64, ndims: usize) -> Result<Vec<(i64, i64)>> {
    // SAFETY: the caller's guarantee.
    let extents = unsafe { list((extents, "extents"), ndims)? };
    Ok(extents.iter().map(|&extent| (0, extent.saturating_sub(1))).collect())
}

/// An index space.
///
/// # Safety
/// `extents` is null or has `ndims` elements; `template` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_template_create(
    ndims: c_int,
    extents: *const i64,
    template: *mut ObjectHandle,
) -> c_int {
    let make = || -> Result<Object> {
        let ndims = dimensions(ndims)?;
        let template = match extents.is_null() {
            true => Template::unfixed(ndims),
            // SAFETY: the caller's guarantee.
            false => Template::fixed(&unsafe { bounds(extents, ndims)? }),
        };
        Ok(Object::Template(Rc::new(RefCell::new(template.map_err(named)?))))
    };
    // SAFETY: the caller's guarantee.
    outcome("xmprt_template_create", || unsafe { give((template, "template"), make) })
}

/// Distributes a template.
///
/// # Safety
/// `formats` is null or has one for each dimension, with a size for each node along it where there are sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_template_distribute(
    template: ObjectHandle,
    formats: *const FormatOf,
    nodes: ObjectHandle,
) -> c_int {
    let attempt = || -> Result<()> {
        let (template, nodes) = (template_of(template)?, nodes_of(nodes)?);
        let mut template = template.borrow_mut();
        // SAFETY: the caller's guarantee.
        let formats = unsafe { self::formats(formats, template.ndims(), &nodes)? };
        template.distribute(formats, nodes).map_err(named)
    };
    outcome("xmprt_template_distribute", attempt)
}

/// Says what was left open.
///
/// # Safety
/// `extents` is null or has one for each dimension; `formats` is null or as in [`xmprt_template_distribute`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_template_fix(
    template: ObjectHandle,
    extents: *const i64,
    formats: *const FormatOf,
) -> c_int {
    let attempt = || -> Result<()> {
        let template = template_of(template)?;
        let mut template = template.borrow_mut();
        let ndims = template.ndims();
        // SAFETY: the caller's guarantee.
        let bounds = unsafe { bounds(extents, ndims)? };
        let known = match (formats.is_null(), template.onto()) {
            (true, _) => None,
            (false, None) => return Err(named(MappingError::NotFixed("distribution"))),
            // SAFETY: as above.
            (false, Some((_, nodes))) => Some(unsafe { self::formats(formats, ndims, nodes)? }),
        };
        template.fix(&bounds, known.as_deref()).map_err(named)
    };
    outcome("xmprt_template_fix", attempt)
}

/// The nodes that have some indices of a template.
///
/// # Safety
/// `ranges` is null or has one for each dimension; `nodes` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_template_nodes(
    template: ObjectHandle,
    ranges: *const Range,
    nodes: *mut ObjectHandle,
) -> c_int {
    let make = || -> Result<Object> {
        let template = template_of(template)?;
        let template = template.borrow();
        // SAFETY: the caller's guarantee.
        let subscripts = unsafe { subscripts(ranges, template.ndims())? };
        let distribution = template.distribution().map_err(named)?;
        let nodes = distribution.nodes_of(&subscripts, instance().image.rank());
        Ok(Object::Nodes(Rc::new(nodes.map_err(named)?)))
    };
    // SAFETY: the caller's guarantee.
    outcome("xmprt_template_nodes", || unsafe { give((nodes, "nodes"), make) })
}
