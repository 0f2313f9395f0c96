//! `reduction(max:x/y,z/)` and `min`: the extreme value and whatever lies in the location variables of the first image that
//! has it.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Element, element_of, extreme_of};
use crate::process::{Instance, instance};
use std::cell::RefMut;
use std::ffi::{c_int, c_void};
use xmp_collectives::global::{Extreme, Variable, reduce_with_locations};
use xmp_core::global::Order;

/// A reduction that is being said.
#[derive(Debug)]
pub struct Locations {
    value: Variable,
    /// Addresses of location variables and their bytes.
    of: Vec<(*mut u8, usize)>,
}

/// Begins one: the value.
///
/// # Safety
/// `value` is valid until the reduction is executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_omni_reduce_loc_init(value: *mut c_void, type_code: c_int) {
    done("reduction", || {
        let value = Variable { start: value.cast(), element: element_of(type_code)? };
        *instance().omni.locations.borrow_mut() = Some(Locations { value, of: Vec::new() });
        Ok(())
    });
}

fn said(instance: &Instance) -> RefMut<'_, Option<Locations>> {
    instance.omni.locations.borrow_mut()
}

/// Adds a location variable.
///
/// # Safety
/// `location` is valid for `len` elements until the reduction is executed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_reduce_loc_set(location: *mut c_void, len: c_int, element: usize) {
    done("reduction", || {
        let bytes = usize::try_from(len).ok().and_then(|len| len.checked_mul(element));
        let bytes = bytes.ok_or_else(|| Wrong::because(format!("a location of {len} elements")))?;
        let mut said = said(instance());
        let locations = said.as_mut().ok_or_else(|| Wrong::because("no value was said before"))?;
        locations.of.push((location.cast(), bytes));
        Ok(())
    });
}

/// Executes it among the executing nodes.
///
/// # Safety
/// What was said is still valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_reduce_loc_execute(operator: c_int) {
    done("reduction", || {
        let extreme = extreme_of(operator)?;
        let locations = said(instance()).take();
        let locations = locations.ok_or_else(|| Wrong::because("no value was said before"))?;
        // SAFETY: the caller's guarantee.
        unsafe { execute(extreme, &locations) }
    });
}

/// First all agree on the value and the first image that has it, whose position is the only location; then that one gives
/// its variables to all.
///
/// # Safety
/// The variables are valid.
unsafe fn execute(extreme: Extreme, locations: &Locations) -> Outcome {
    let image = &instance().image;
    let set = image.executing();
    let mut position = set.position().expect("an image executes") as u32;
    let place = Variable { start: (&raw mut position).cast(), element: Element::Unsigned(4) };
    let value = (locations.value, 1);
    // SAFETY: the caller's guarantee.
    unsafe {
        reduce_with_locations(image, &set, extreme, value, (&[place], Order::C))?;
        for &(start, bytes) in &locations.of {
            xmp_collectives::raw::broadcast(image, &set, position as usize, start, bytes)?;
        }
    }
    Ok(())
}
