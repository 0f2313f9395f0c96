//! `reduction`, as a directive and as a clause of loops (XcalableMP 1.4, 4.5.4 and 4.4.3).

use crate::omni::arguments::Arguments;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::executing;
use crate::omni::objects::{Descriptor, NodeSet, Object, element_of, extreme_of, operator_of};
use crate::omni::short;
use crate::process::{Instance, instance};
use std::ffi::{c_int, c_void};
use xmp_collectives::global::{Variable, reduce_with_locations, reduction_async};
use xmp_collectives::raw;
use xmp_core::global::Order;

fn variable(start: *mut c_void, type_code: c_int) -> Outcome<Variable> {
    Ok(Variable { start: start.cast(), element: element_of(type_code)? })
}

/// Number of elements.
fn elements(count: c_int) -> Outcome<usize> {
    usize::try_from(count).map_err(|_| Wrong::because(format!("{count} elements")))
}

/// Combines `count` values of all nodes.
///
/// # Errors
/// For elements that cannot be combined so, and nodes that do not execute this.
///
/// # Safety
/// The values are valid, until the operation is waited for if it is asynchronous.
pub unsafe fn combine(
    nodes: &NodeSet,
    (values, count): (Variable, usize),
    operator: c_int,
) -> Outcome {
    let Instance { image, omni, .. } = instance();
    let what = operator_of(operator, values.element)?;
    let memory = (values.start, count);
    // SAFETY: the caller's guarantee.
    unsafe {
        match omni.asynchronous.get() {
            Some(id) => reduction_async(image, &nodes.nodes, what, memory, (&omni.pending, id))?,
            None => {
                let (operator, element) = what;
                let Some(set) = nodes.set(image)? else { return Ok(()) };
                let short = short::operation(operator)
                    .and_then(|op| short::reduced((image, &set), memory, element, op));
                if let Some(outcome) = short {
                    return Ok(outcome?);
                }
                let reduction = operator.on(element)?;
                raw::allreduce(image, &set, values.start, count, &reduction)?;
            }
        }
    }
    Ok(())
}

/// # Safety
/// `data` and the locations are valid for `count` elements; the arguments are `locations` pairs of an address and a
/// type.
unsafe fn combine_with_locations(
    nodes: &NodeSet,
    (data, count): (*mut c_void, c_int),
    (type_code, operator): (c_int, c_int),
    (locations, arguments): (c_int, *mut Arguments),
) -> Outcome {
    let image = &instance().image;
    let values = variable(data, type_code)?;
    // SAFETY: the caller's guarantee.
    let arguments = unsafe { &mut *arguments };
    // SAFETY: as above.
    let mut next = || unsafe { variable(arguments.pointer(), arguments.integer()) };
    let locations: Vec<Variable> = (0..locations).map(|_| next()).collect::<Outcome<_>>()?;
    let Some(set) = nodes.set(image)? else { return Ok(()) };
    let (extreme, values) = (extreme_of(operator)?, (values, elements(count)?));
    // SAFETY: as above.
    unsafe { reduce_with_locations(image, &set, extreme, values, (&locations, Order::C))? };
    Ok(())
}

/// `reduction(op:x) on p`.
///
/// # Safety
/// `nodes` describes nodes, `data` is valid for `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_reduce_NODES_ENTIRE(
    nodes: Descriptor,
    data: *mut c_void,
    count: c_int,
    type_code: c_int,
    operator: c_int,
) {
    // SAFETY: the caller's guarantee.
    done("reduction", || unsafe {
        let values = (variable(data, type_code)?, elements(count)?);
        combine(Object::<NodeSet>::of(nodes)?, values, operator)
    });
}

/// `loop ... reduction(op:x)`, of the executing nodes.
///
/// # Safety
/// `data` is valid for `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _XMP_reduce_CLAUSE(
    data: *mut c_void,
    count: c_int,
    type_code: c_int,
    operator: c_int,
) {
    done("reduction", || {
        let nodes = executing::nodes(instance());
        let values = (variable(data, type_code)?, elements(count)?);
        // SAFETY: the caller's guarantee.
        unsafe { combine(&nodes, values, operator) }
    });
}

/// `reduction(firstmax:x/i/) on p` and the like.
///
/// # Safety
/// As [`_XMP_reduce_NODES_ENTIRE`]; the arguments are `locations` pairs of an address and a type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_reduce_flmm_nodes(
    nodes: Descriptor,
    data: *mut c_void,
    count: c_int,
    type_code: c_int,
    operator: c_int,
    locations: c_int,
    arguments: *mut Arguments,
) {
    // SAFETY: the caller's guarantee.
    done("reduction", || unsafe {
        let nodes = Object::<NodeSet>::of(nodes)?;
        let what = (type_code, operator);
        combine_with_locations(nodes, (data, count), what, (locations, arguments))
    });
}

/// The same as a clause of a loop.
///
/// # Safety
/// As [`xmprt_omni_reduce_flmm_nodes`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_reduce_flmm_clause(
    data: *mut c_void,
    count: c_int,
    type_code: c_int,
    operator: c_int,
    locations: c_int,
    arguments: *mut Arguments,
) {
    done("reduction", || {
        let nodes = executing::nodes(instance());
        let what = (type_code, operator);
        // SAFETY: the caller's guarantee.
        unsafe { combine_with_locations(&nodes, (data, count), what, (locations, arguments)) }
    });
}
