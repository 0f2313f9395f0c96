//! `reduction`, as a directive and as a clause of loops (XcalableMP 1.4, 4.5.4 and 4.4.3).

use super::arguments::{count, dimension};
use super::reference::nodes_on;
use crate::omni::c::reduction::combine;
use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, NodeSet, extreme_of, fortran_element_of};
use crate::process::instance;
use std::ffi::{c_int, c_void};
use xmp_collectives::global::{Variable, reduce_with_locations};
use xmp_core::global::Order;

/// A location variable of the next reduction.
///
/// # Safety
/// The pointers are valid, `location` until the reduction has been executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_reduction_loc__(
    number: *const c_int,
    location: *mut c_void,
    type_code: *const c_int,
) {
    done("reduction", || {
        // SAFETY: the caller's guarantee.
        let (number, element) =
            unsafe { (dimension(number)?, fortran_element_of(type_code.read())?) };
        let mut locations = instance().omni.fortran.locations.borrow_mut();
        if locations.len() <= number {
            locations.resize(number + 1, None);
        }
        locations[number] = Some(Variable { start: location.cast(), element });
        Ok(())
    });
}

/// `reduction(op:v) [on ...]`, with so many locations that were said before.
///
/// # Safety
/// The pointers are valid, `data` and the locations for `count` elements; `on` holds 0 or describes a reference.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpf_reduction__(
    data: *mut c_void,
    elements: *const c_int,
    type_code: *const c_int,
    operator: *const c_int,
    on: *const Descriptor,
    locations: *const c_int,
) {
    done("reduction", || {
        // SAFETY: the caller's guarantee.
        let (elements, element, operator, locations) = unsafe {
            let element = fortran_element_of(type_code.read())?;
            let locations = count(locations, "locations")?;
            (count(elements, "elements")?, element, operator.read(), locations)
        };
        let value = Variable { start: data.cast(), element };
        // SAFETY: as above.
        let Some(nodes) = (unsafe { nodes_on(on)? }) else { return Ok(()) };
        // SAFETY: as above.
        unsafe {
            match locations {
                0 => combine(&nodes, (value, elements), operator),
                locations => with_locations(&nodes, (value, elements), operator, locations),
            }
        }
    });
}

/// # Safety
/// The variables are valid for so many elements.
unsafe fn with_locations(
    nodes: &NodeSet,
    values: (Variable, usize),
    operator: c_int,
    wanted: usize,
) -> Outcome {
    let instance = instance();
    let said = std::mem::take(&mut *instance.omni.fortran.locations.borrow_mut());
    let locations: Option<Vec<Variable>> = said.into_iter().take(wanted).collect();
    let locations = locations.filter(|locations| locations.len() == wanted);
    let locations = locations.ok_or_else(|| Wrong::because("a location was not said"))?;
    let extreme = extreme_of(operator)?;
    let image = &instance.image;
    let Some(set) = nodes.set(image)? else { return Ok(()) };
    // SAFETY: the caller's guarantee.
    unsafe { reduce_with_locations(image, &set, extreme, values, (&locations, Order::Fortran))? };
    Ok(())
}
