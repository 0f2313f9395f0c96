//! `loop` (XcalableMP 1.4, 4.4.3). The local numbers of iterations are those of the template indices that the node has,
//! from 0; of a dimension that every node has wholly they are the template indices themselves.

use super::arguments::{dimension, number, object};
use super::reference::{Of, Reference};
use crate::omni::c::schedule::schedule;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::Descriptor;
use crate::process::instance;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Distribution, Widths};

/// A loop over a template dimension.
struct Aligned {
    distribution: Rc<Distribution>,
    axis: usize,
    offset: i64,
    /// The coordinate of this image along the dimension, if it is one of the nodes.
    node: Option<usize>,
}

/// The loop number `of` of a reference; `None` if it is aligned with nothing.
///
/// # Safety
/// The pointers are valid, `reference` describes one.
unsafe fn aligned(reference: *const Descriptor, of: *const c_int) -> Outcome<Option<Aligned>> {
    // SAFETY: the caller's guarantee.
    let (reference, of) = unsafe { (object::<Reference>(reference)?, dimension(of)?) };
    let Some((axis, offset)) = reference.aligned(of)? else { return Ok(None) };
    let Of::Template(template) = &reference.of else {
        return Err(Wrong::because("a loop has to be aligned with a template"));
    };
    let distribution = template.distribution()?;
    let coords = distribution.coords(instance().image.rank());
    let node = coords.map(|coords| distribution.coord(axis, &coords));
    Ok(Some(Aligned { distribution, axis, offset, node }))
}

/// Turns the bounds of a loop into those of the iterations of this image.
///
/// # Safety
/// The pointers are valid, `reference` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_loop_sched__(
    lower: *mut c_int,
    upper: *mut c_int,
    step: *mut c_int,
    of: *const c_int,
    reference: *const Descriptor,
    kind: *const c_int,
    before: *const c_int,
    behind: *const c_int,
    unbound: *const c_int,
) {
    done("loop", || {
        // SAFETY: the caller's guarantee.
        let Some(aligned) = (unsafe { aligned(reference, of)? }) else { return Ok(()) };
        // SAFETY: as above.
        let (first, last, by, kind, widths) = unsafe {
            let widths = Widths {
                lower: number(before),
                upper: number(behind),
                unbound: unbound.read() != 0,
            };
            let offset = aligned.offset;
            let (first, last) = (number(lower) + offset, number(upper) + offset);
            (first, last, number(step), kind.read(), widths)
        };
        let own = match aligned.node {
            None => (0, 0, 1),
            Some(node) => {
                let axis = &aligned.distribution.axes()[aligned.axis];
                let cond = if by > 0 { last + 1 } else { last - 1 };
                schedule(axis, node, (first, cond, by), (kind, widths))?
            }
        };
        // SAFETY: as above.
        unsafe {
            lower.write(own.0 as c_int);
            let last = if own.2 > 0 { own.1 - 1 } else { own.1 + 1 };
            upper.write(last as c_int);
            step.write(own.2 as c_int);
        }
        Ok(())
    });
}

/// The global value of a loop variable.
///
/// # Safety
/// The pointers are valid, `reference` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_l2g__(
    global: *mut c_int,
    local: *const c_int,
    of: *const c_int,
    reference: *const Descriptor,
) {
    done("loop", || {
        // SAFETY: the caller's guarantee.
        let (aligned, local) = unsafe { (aligned(reference, of)?, number(local)) };
        let index = match &aligned {
            None => local,
            Some(Aligned { distribution, axis, offset, node }) => {
                let axis = &distribution.axes()[*axis];
                match node {
                    Some(node) if !axis.is_collapsed() => axis.index(*node, local) - offset,
                    _ => local - offset,
                }
            }
        };
        // SAFETY: as above.
        unsafe { global.write(index as c_int) };
        Ok(())
    });
}

/// Whether the iteration with this global value is none of this image.
///
/// # Safety
/// The pointers are valid, `reference` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_loop_test_skip__(
    reference: *const Descriptor,
    of: *const c_int,
    value: *const c_int,
) -> c_int {
    done("loop", || {
        // SAFETY: the caller's guarantee.
        let (aligned, value) = unsafe { (aligned(reference, of)?, number(value)) };
        let Some(Aligned { distribution, axis, offset, node }) = aligned else { return Ok(0) };
        let (axis, index) = (&distribution.axes()[axis], value + offset);
        let is_own = node.is_some_and(|node| {
            axis.is_collapsed()
                || ((axis.lower()..=axis.upper()).contains(&index) && axis.owner(index) == node)
        });
        Ok((!is_own).into())
    })
}
