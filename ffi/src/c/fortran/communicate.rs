//! Reductions and broadcasts of variables.

use super::data::Values;
use crate::c::argument::List;
use crate::c::global::{
    ObjectHandle, Range, needs_neutral, set_on, xmprt_broadcast, xmprt_neutral, xmprt_reduce,
};
use crate::c::outcome::{OK, outcome};
use crate::c::types::element_of;
use crate::entry::cfi::Descriptor;
use crate::process::instance;
use std::ffi::{c_int, c_uint};
use xmp_collectives::global::{Extreme, Variable, reduce_with_locations};
use xmp_core::global::Order;
use xmp_core::{Error, Result};

/// Combines a variable of images for all of them.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_reduce(
    data: &Descriptor,
    op: c_uint,
    on: ObjectHandle,
    at: List<Range>,
    id: List<i64>,
) -> c_int {
    let Values { start, count, element } = Values::of(data);
    xmprt_reduce(start, count, element, op, on, at, id)
}

/// Fills a variable with the neutral element of an operator, except on the first of the images.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_neutral(
    data: &Descriptor,
    op: c_uint,
    on: ObjectHandle,
    at: List<Range>,
) -> c_int {
    if !needs_neutral(op, on) {
        return OK;
    }
    let Values { start, count, element } = Values::of(data);
    xmprt_neutral(start, count, element, op, on, at)
}

/// Gives a variable of one image to all.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_broadcast(
    data: &Descriptor,
    from: ObjectHandle,
    from_at: List<Range>,
    on: ObjectHandle,
    at: List<Range>,
    id: List<i64>,
) -> c_int {
    let Values { start, count, .. } = Values::of(data);
    let bytes = count.saturating_mul(data.elem_len.get());
    xmprt_broadcast(start, bytes, from, from_at, on, at, id)
}

/// Declares the reduction with location variables, which has as many arguments for them as an array can have dimensions.
macro_rules! located {
    ($($location:ident)*) => {
        /// Combines a variable of images to the extreme value, and takes the location variables of the image that has it.
        #[unsafe(no_mangle)]
        pub extern "C" fn xmprt_fortran_reduce_located(
            data: &Descriptor,
            op: c_uint,
            on: ObjectHandle,
            at: List<Range>,
            $($location: Option<&Descriptor>,)*
        ) -> c_int {
            outcome("xmprt_fortran_reduce_located", || {
                locate(data, op, (on, at), &[$($location),*])
            })
        }
    };
}

located! { l1 l2 l3 l4 l5 l6 l7 l8 l9 l10 l11 l12 l13 l14 l15 }

fn locate(
    data: &Descriptor,
    op: c_uint,
    (on, at): (ObjectHandle, List<Range>),
    locations: &[Option<&Descriptor>],
) -> Result<()> {
    let extreme = match op {
        12 => Extreme::FirstMax,
        13 => Extreme::FirstMin,
        14 => Extreme::LastMax,
        15 => Extreme::LastMin,
        _ => return Err(Error::Invalid(format!("there is no operator {op} with locations"))),
    };
    let variable = |of: &Descriptor| -> Result<Variable> {
        let Values { start, element, .. } = Values::of(of);
        Ok(Variable { start: start.start(), element: element_of(element)? })
    };
    let values = Values::of(data);
    let value = variable(data)?;
    let variables =
        locations.iter().flatten().map(|of| variable(of)).collect::<Result<Vec<_>>>()?;
    values.start.check("data", values.count, value.element.size())?;
    let instance = instance();
    let Some(set) = set_on(instance, on, at)? else { return Ok(()) };
    // SAFETY: the contract of entries: each variable has as many elements as there are values.
    unsafe {
        let (image, count) = (&instance.image, values.count);
        reduce_with_locations(image, &set, extreme, value, count, &variables, Order::Fortran)
    }
}
