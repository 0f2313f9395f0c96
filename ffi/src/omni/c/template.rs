//! `template`, `template_fix` and `distribute` (XcalableMP 1.4, 4.3.2 and 4.3.3). Dimensions count from 0.

use super::nodes::dimensions;
use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, Object, TemplateObject, hand_out};
use crate::process::instance;
use std::ffi::{c_int, c_ulonglong};
use xmp_core::global::Format;

/// Bounds of all dimensions.
///
/// # Safety
/// The arguments are so many pairs of `long long`.
unsafe fn read_bounds(arguments: *mut Arguments, dims: usize) -> Vec<(i64, i64)> {
    // SAFETY: the caller's guarantee.
    let arguments = unsafe { &mut *arguments };
    // SAFETY: as above.
    (0..dims).map(|_| unsafe { (arguments.wide(), arguments.wide()) }).collect()
}

/// `template t(lower:upper, ...)`.
///
/// # Safety
/// The pointers are valid, and the arguments bounds of so many dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_init_template_fixed(
    place: *mut Descriptor,
    dims: c_int,
    arguments: *mut Arguments,
) {
    done("template", || {
        let template = TemplateObject::new(dimensions(dims)?);
        // SAFETY: the caller's guarantee.
        unsafe {
            template.fix(read_bounds(arguments, template.ndims()))?;
            hand_out(place, Object::new(template))
        }
    });
}

/// `template t(:, ...)`.
///
/// # Safety
/// `place` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_init_template_UNFIXED(place: *mut Descriptor, dims: c_int) {
    done("template", || {
        let template = Object::new(TemplateObject::new(dimensions(dims)?));
        // SAFETY: the caller's guarantee.
        unsafe { hand_out(place, template) }
    });
}

/// `template_fix t(lower:upper, ...)`.
///
/// # Safety
/// `template` describes one; the arguments are bounds of so many dimensions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_set_template_size(
    template: Descriptor,
    dims: c_int,
    arguments: *mut Arguments,
) {
    done("template_fix", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let template = Object::<TemplateObject>::of(template)?;
            template.fix(read_bounds(arguments, dimensions(dims)?))
        }
    });
}

/// `distribute t(...) onto p`: the nodes; the formats follow.
///
/// # Safety
/// Both are descriptors of these kinds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_init_template_chunk(template: Descriptor, nodes: Descriptor) {
    done("distribute", || {
        // SAFETY: the caller's guarantee.
        unsafe {
            let nodes = Object::<NodeSet>::shared(nodes)?;
            Object::<TemplateObject>::of(template)?.onto(nodes);
        }
        Ok(())
    });
}

/// The format of a dimension.
///
/// # Safety
/// `template` describes one.
unsafe fn distribute(template: Descriptor, dim: c_int, format: impl FnOnce() -> Outcome<Format>) {
    done("distribute", || {
        // SAFETY: the caller's guarantee.
        let template = unsafe { Object::<TemplateObject>::of(template)? };
        template.distribute(dim as usize, format()?)
    });
}

/// `*`
///
/// # Safety
/// `template` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_dist_template_DUPLICATION(template: Descriptor, dim: c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { distribute(template, dim, || Ok(Format::Collapsed)) }
}

/// `block`. Dimensions that are distributed take those of the nodes from the first one on, so the number is not needed.
///
/// # Safety
/// `template` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_dist_template_BLOCK(template: Descriptor, dim: c_int, _over: c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { distribute(template, dim, || Ok(Format::Block)) }
}

/// `cyclic`
///
/// # Safety
/// `template` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_dist_template_CYCLIC(template: Descriptor, dim: c_int, _over: c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { distribute(template, dim, || Ok(Format::Cyclic)) }
}

/// `cyclic(width)`
///
/// # Safety
/// `template` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_dist_template_BLOCK_CYCLIC(
    template: Descriptor,
    dim: c_int,
    _over: c_int,
    width: c_ulonglong,
) {
    let format = || match i64::try_from(width) {
        Ok(width) => Ok(Format::CyclicOf(width)),
        Err(_) => Err(Wrong::because(format!("blocks of {width} indices"))),
    };
    // SAFETY: the caller's guarantee.
    unsafe { distribute(template, dim, format) }
}

/// `gblock(sizes)`, or `gblock(*)` without `sizes`. `origin` becomes the first index of this image, when the template is fixed.
///
/// # Safety
/// `template` describes one; `sizes` is null or has one for each node; `origin` is null or valid as long as the template.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_dist_template_GBLOCK(
    template: Descriptor,
    dim: c_int,
    over: c_int,
    sizes: *const c_int,
    origin: *mut c_int,
) {
    done("distribute", || {
        // SAFETY: the caller's guarantee.
        let object = unsafe { Object::<TemplateObject>::of(template)? };
        if sizes.is_null() {
            return object.distribute(dim as usize, Format::GblockStar);
        }
        let onto = object.nodes()?;
        let Some(&count) = onto.nodes.shape().get(over as usize) else {
            return Err(Wrong::because(format!("the nodes have no dimension {}", over + 1)));
        };
        // SAFETY: the caller's guarantee.
        let sizes: Vec<i64> = unsafe { std::slice::from_raw_parts(sizes, count) }
            .iter()
            .map(|&size| size.into())
            .collect();
        let before: i64 = sizes[..onto.coord(over as usize)].iter().sum();
        object.distribute(dim as usize, Format::Gblock(sizes))?;
        if !origin.is_null() {
            // SAFETY: the caller's guarantee.
            unsafe { object.note_origin(dim as usize, before, origin) };
        }
        Ok(())
    });
}

/// The end of a declaration.
///
/// # Safety
/// `template` is null or describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_finalize_template(template: Descriptor) {
    if !template.is_null() {
        // SAFETY: the caller's guarantee.
        done("template", || unsafe { Object::<TemplateObject>::release(template) });
    }
}

/// The global value of a loop variable from the local one (where the frozen formulas cannot be compiled in).
///
/// # Safety
/// `template` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_ltog(
    local: c_int,
    template: Descriptor,
    dim: c_int,
    offset: c_int,
) -> c_int {
    done("loop", || {
        // SAFETY: the caller's guarantee.
        let template = unsafe { Object::<TemplateObject>::of(template)? };
        let distribution = template.distribution()?;
        let Some(axis) = distribution.axes().get(dim as usize) else {
            let dim = i64::from(dim) + 1;
            return Err(Wrong::because(format!("the template has no dimension {dim}")));
        };
        let Some(coords) = distribution.coords(instance().image.rank()) else { return Ok(0) };
        let global = match axis.is_collapsed() {
            true => local.into(),
            false => axis.index(distribution.coord(dim as usize, &coords), local.into()),
        };
        Ok((global - i64::from(offset)) as c_int)
    })
}
