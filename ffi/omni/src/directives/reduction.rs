//! `reduction`, as a directive and as a clause of loops (XcalableMP 1.4, 4.5.4 and 4.4.3).

use super::asynchronous;
use crate::fortran::{Reference, nodes_on};
use crate::objects::{
    Element, NodeSet, Object, element_of, extreme_of, fortran_element_of, operator_of,
};
use std::cell::RefCell;
use std::ffi::c_int;
use xmp_collectives::global::{Variable, reduce_with_locations};
use xmp_collectives::{Combine, nonblocking, raw};
use xmp_core::global::Order;
use xmp_ffi::global::{executing, fast_reduction, pending};
use xmp_ffi::process::{OfImage, instance};
use xmp_ffi::xmp::arguments::Arguments;
use xmp_ffi::xmp::entry::{Dimension, Memory, Optional, for_c, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// Values of the program that are combined.
struct Values {
    start: Variable,
    count: usize,
}

impl Values {
    /// `count` values of this type.
    fn new(data: Memory, count: c_int, element: Element) -> Outcome<Values> {
        let wrong = |_| DirectiveError::because(format!("{count} elements"));
        let start = Variable { start: data.start(), element };
        Ok(Values { start, count: usize::try_from(count).map_err(wrong)? })
    }
}

/// Combines values of all nodes.
///
/// # Errors
/// For elements that cannot be combined so, and nodes that do not execute this.
fn combine(nodes: &NodeSet, values: &Values, operator: c_int) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    let (operator, element) = operator_of(operator, values.start.element)?;
    let (start, count) = (values.start.start, values.count);
    // SAFETY: the contract of entries: `start` has `count` values.
    unsafe {
        match asynchronous::id(instance) {
            Some(id) => {
                let by = Combine::By(operator.on(element)?);
                let Some(set) = nodes.set(image)? else { return Ok(()) };
                let handle = nonblocking::raw::allreduce(image, &set, start, count, by);
                pending(instance).operations.add(id, handle, |()| ());
            }
            None => {
                let Some(set) = nodes.set(image)? else { return Ok(()) };
                let fast = fast_reduction::operation(operator).and_then(|op| {
                    fast_reduction::allreduce(image, &set, start, count, element, op)
                });
                if let Some(outcome) = fast {
                    return Ok(outcome?);
                }
                let reduction = operator.on(element)?;
                raw::allreduce(image, &set, start, count, &reduction)?;
            }
        }
    }
    Ok(())
}

/// Combines values of all nodes to the extreme one, and takes the location variables of the node that has it.
fn combine_with_locations(
    nodes: &NodeSet,
    values: &Values,
    operator: c_int,
    locations: &[Variable],
    order: Order,
) -> Outcome {
    let image = &instance().image;
    let Some(set) = nodes.set(image)? else { return Ok(()) };
    let extreme = extreme_of(operator)?;
    let Values { start, count } = *values;
    // SAFETY: the contract of entries: each variable has as many elements as there are values.
    unsafe { reduce_with_locations(image, &set, extreme, start, count, locations, order)? };
    Ok(())
}

/// The location variables of a call of C: for each an address and a type.
fn read_locations(arguments: &mut Arguments, count: c_int) -> Outcome<Vec<Variable>> {
    let mut next = || {
        let start = arguments.pointer().cast();
        Ok(Variable { start, element: element_of(arguments.integer())? })
    };
    (0..count).map(|_| next()).collect()
}

for_c! {
    /// `reduction(op:x) on p`.
    "reduction" fn _XMP_reduce_NODES_ENTIRE(
        nodes: &Object<NodeSet>, data: Memory, count: c_int, type_code: c_int, operator: c_int,
    ) {
        combine(nodes, &Values::new(data, count, element_of(type_code)?)?, operator)
    }

    /// `loop ... reduction(op:x)`, of the executing nodes.
    "reduction" fn _XMP_reduce_CLAUSE(data: Memory, count: c_int, type_code: c_int, operator: c_int) {
        let nodes = executing::nodes(instance());
        combine(&nodes, &Values::new(data, count, element_of(type_code)?)?, operator)
    }

    /// `reduction(firstmax:x/i/) on p` and the like.
    "reduction" fn xmprt_omni_reduce_flmm_nodes(
        nodes: &Object<NodeSet>, data: Memory, count: c_int, type_code: c_int, operator: c_int,
        locations: c_int, arguments: &mut Arguments,
    ) {
        let values = Values::new(data, count, element_of(type_code)?)?;
        let locations = read_locations(arguments, locations)?;
        combine_with_locations(nodes, &values, operator, &locations, Order::C)
    }

    /// `reduction(firstmax:x/i/)` and the like as a clause of a loop.
    "reduction" fn xmprt_omni_reduce_flmm_clause(
        data: Memory, count: c_int, type_code: c_int, operator: c_int, locations: c_int,
        arguments: &mut Arguments,
    ) {
        let values = Values::new(data, count, element_of(type_code)?)?;
        let locations = read_locations(arguments, locations)?;
        let nodes = executing::nodes(instance());
        combine_with_locations(&nodes, &values, operator, &locations, Order::C)
    }
}

for_fortran! {
    /// A location variable of the next reduction.
    "reduction" fn xmpf_reduction_loc__(number: Dimension, location: Memory, type_code: c_int) {
        let element = fortran_element_of(type_code)?;
        let mut locations = LOCATIONS.of(instance()).borrow_mut();
        if locations.len() <= number.0 {
            locations.resize(number.0 + 1, None);
        }
        locations[number.0] = Some(Variable { start: location.start(), element });
        Ok(())
    }

    /// `reduction(op:v) [on ...]`, with `locations` location variables, which were given before.
    "reduction" fn xmpf_reduction__(
        data: Memory, count: c_int, type_code: c_int, operator: c_int, on: Optional<Reference>,
        locations: c_int,
    ) {
        let values = Values::new(data, count, fortran_element_of(type_code)?)?;
        let Some(nodes) = nodes_on(on.0)? else { return Ok(()) };
        if locations == 0 {
            return combine(&nodes, &values, operator);
        }
        let locations = given_locations(locations)?;
        combine_with_locations(&nodes, &values, operator, &locations, Order::Fortran)
    }
}

/// The location variables that were given for the next reduction in Fortran, by number.
static LOCATIONS: OfImage<RefCell<Vec<Option<Variable>>>> = OfImage::new(RefCell::new(Vec::new()));

/// Takes the location variables that were given for this reduction.
fn given_locations(needed: c_int) -> Outcome<Vec<Variable>> {
    let given = std::mem::take(&mut *LOCATIONS.of(instance()).borrow_mut());
    let needed = usize::try_from(needed)
        .map_err(|_| DirectiveError::because(format!("{needed} locations")))?;
    let locations: Option<Vec<Variable>> = given.into_iter().take(needed).collect();
    let complete = locations.filter(|locations| locations.len() == needed);
    complete.ok_or_else(|| DirectiveError::because("the program has not given all locations"))
}
