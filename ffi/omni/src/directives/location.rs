//! `reduction(max:x/y,z/)` and `min` in C: the extreme value, and the location variables of the first image that
//! has it.

use crate::objects::{Element, element_of, extreme_of};
use std::cell::{RefCell, RefMut};
use std::ffi::c_int;
use xmp_collectives::global::{Extreme, Variable, reduce_with_locations};
use xmp_core::global::Order;
use xmp_ffi::process::{Instance, OfImage, instance};
use xmp_ffi::xmp::entry::{Memory, for_c};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// A reduction that is described in several calls.
#[derive(Debug)]
struct Locations {
    value: Variable,
    variables: Vec<Location>,
}

/// A location variable.
#[derive(Debug)]
struct Location {
    start: *mut u8,
    bytes: usize,
}

/// What `xmp_reduce_loc_init` and `xmp_reduce_loc_set` have described.
static DESCRIBED: OfImage<RefCell<Option<Locations>>> = OfImage::new(RefCell::new(None));

fn described(instance: &Instance) -> RefMut<'static, Option<Locations>> {
    DESCRIBED.of(instance).borrow_mut()
}

fn no_value() -> DirectiveError {
    DirectiveError::because("no value was given before")
}

for_c! {
    /// Begins the description with the value, which is valid until the reduction is executed.
    "reduction" fn xmprt_omni_reduce_loc_init(value: Memory, type_code: c_int) {
        let value = Variable { start: value.start(), element: element_of(type_code)? };
        *described(instance()) = Some(Locations { value, variables: Vec::new() });
        Ok(())
    }

    /// Adds a location variable of `len` elements, which is valid until the reduction is executed.
    "reduction" fn xmp_reduce_loc_set(location: Memory, len: c_int, element: usize) {
        let bytes = usize::try_from(len).ok().and_then(|len| len.checked_mul(element));
        let bytes = bytes.ok_or_else(|| DirectiveError::because(format!("a location of {len} elements")))?;
        let mut described = described(instance());
        let locations = described.as_mut().ok_or_else(no_value)?;
        locations.variables.push(Location { start: location.start(), bytes });
        Ok(())
    }

    /// Executes the reduction among the executing nodes.
    "reduction" fn xmp_reduce_loc_execute(operator: c_int) {
        let extreme = extreme_of(operator)?;
        let locations = described(instance()).take().ok_or_else(no_value)?;
        execute(extreme, &locations)
    }
}

/// First all images agree on the value and on the first image that has it, whose position is the only location.
/// Then that image broadcasts its variables.
fn execute(extreme: Extreme, locations: &Locations) -> Outcome {
    let image = &instance().image;
    let set = image.executing();
    let mut position = set.position().expect("an image executes") as u32;
    let place = Variable { start: (&raw mut position).cast(), element: Element::Unsigned(4) };
    let value = locations.value;
    // SAFETY: the contract of entries: the variables are valid until now.
    unsafe {
        reduce_with_locations(image, &set, extreme, value, 1, &[place], Order::C)?;
        for &Location { start, bytes } in &locations.variables {
            xmp_collectives::raw::broadcast(image, &set, position as usize, start, bytes)?;
        }
    }
    Ok(())
}
