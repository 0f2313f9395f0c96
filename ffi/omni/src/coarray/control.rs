//! Attributes of coarrays that programs set right after the allocation: names, cobounds, nodes.

use super::cobounds::Cobounds;
use super::descriptor::{Coarray, Handle, coarrays};
use super::images;
use crate::objects::{NodeSet, Object};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{Memory, for_fortran};
use xmp_ffi::xmp::error::Outcome;

/// Sets the number of codimensions.
pub fn set_corank(coarray: &Coarray, corank: c_int) {
    *coarray.bounds.borrow_mut() = Cobounds::new(usize::try_from(corank).unwrap_or(0));
}

/// Sets the bounds of a codimension, from 0.
///
/// # Errors
/// For a codimension that does not exist, and one without images.
pub fn set_codim(coarray: &Coarray, codim: c_int, lower: c_int, upper: c_int) -> Outcome {
    let (images, _) = images::of_coarray(instance(), coarray);
    let codim = usize::try_from(codim).unwrap_or(usize::MAX - 1);
    let set = coarray.bounds.borrow_mut().set(codim, lower.into(), upper.into(), images);
    set.map_err(|error| coarray.wrong(error))
}

for_fortran! {
    /// Its number of codimensions. A dummy argument that is not allocated has no descriptor, and nothing is set.
    "cobounds of a coarray" fn xmpf_coarray_set_corank_(handle: Handle, corank: c_int) {
        if let Some(coarray) = handle.get() {
            set_corank(coarray, corank);
        }
        Ok(())
    }

    /// The bounds of a codimension, from 0.
    "cobounds of a coarray" fn xmpf_coarray_set_codim_(handle: Handle, codim: c_int, lower: c_int, upper: c_int) {
        handle.get().map_or(Ok(()), |coarray| set_codim(coarray, codim, lower, upper))
    }

    /// Its name.
    "name of a coarray" fn xmpf_coarray_set_varname_(handle: Handle, len: c_int, name: Memory) {
        if let Some(coarray) = handle.get() {
            *coarray.name.borrow_mut() = name.text(len);
        }
        Ok(())
    }

    /// The COARRAY directive: its image indices mean these nodes. A descriptor is made for a coarray that is not
    /// allocated yet.
    "coarray directive" fn xmpf_coarray_set_nodes_(handle: &Cell<Handle>, nodes: Rc<Object<NodeSet>>) {
        if handle.get().get().is_none() {
            handle.set(Handle::of(coarrays(instance()).renew(handle)));
        }
        *handle.get().coarray()?.nodes.borrow_mut() = Some(nodes);
        Ok(())
    }
}
