//! Names, cobounds and nodes of coarrays, and where images are in their coshape.

use crate::coarray::descriptor::{Coarray, Handle, coarrays};
use crate::coarray::{control, inquiry};
use crate::objects::{NodeSet, Object};
use std::ffi::c_int;
use std::rc::Rc;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{List, Memory, for_c};

for_c! {
    /// THIS_IMAGE (coarray): a cosubscript for each codimension.
    "this_image" fn XMPCO_this_image_coarray(coarray: &Coarray, corank: c_int, cosubscripts: List<c_int>) {
        let places = cosubscripts.of(usize::try_from(corank).unwrap_or(0))?;
        for (place, dim) in places.iter().zip(1..) {
            place.set(inquiry::cosubscript(coarray, dim)?);
        }
        Ok(())
    }

    /// THIS_IMAGE (coarray, dim).
    "this_image" fn XMPCO_this_image_coarray_dim(coarray: &Coarray, _corank: c_int, dim: c_int) -> c_int {
        inquiry::cosubscript(coarray, dim.into())
    }

    /// Sets the number of codimensions.
    "_XMPCO_set_corank" fn _XMPCO_set_corank(coarray: &Coarray, corank: c_int) {
        control::set_corank(coarray, corank);
        Ok(())
    }

    /// Sets the bounds of a codimension, from 0.
    "_XMPCO_set_codim_withBounds" fn _XMPCO_set_codim_withBounds(
        coarray: &Coarray, dim: c_int, lower: c_int, upper: c_int,
    ) {
        control::set_codim(coarray, dim, lower, upper)
    }

    /// Sets the lower bound and the size of a codimension, from 0.
    "_XMPCO_set_codim_withBounds" fn _XMPCO_set_codim_withSize(
        coarray: &Coarray, dim: c_int, lower: c_int, size: c_int,
    ) {
        control::set_codim(coarray, dim, lower, lower.saturating_add(size) - 1)
    }

    /// Sets the name that messages have.
    "_XMPCO_set_varname" fn _XMPCO_set_varname(coarray: &Coarray, len: c_int, name: Memory) {
        *coarray.name.borrow_mut() = name.text(len);
        Ok(())
    }

    /// Sets the nodes whose images its image indices mean; for null, of a new descriptor.
    "_XMPCO_set_nodes" fn _XMPCO_set_nodes(handle: Handle, nodes: Rc<Object<NodeSet>>) -> Handle {
        let mut coarrays = coarrays(instance());
        let coarray = handle.get().unwrap_or_else(|| coarrays.returned());
        *coarray.nodes.borrow_mut() = Some(nodes);
        Ok(Handle::of(coarray))
    }
}
