//! `task` (XcalableMP 1.4, 4.4.1).

use super::reference::Reference;
use crate::objects::{Descriptor, Object, hand_out};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_ffi::global::executing;
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::for_fortran;

for_fortran! {
    /// The nodes of a reference; 0 on images for which it has no meaning.
    "task" fn xmpf_create_task_nodes__(place: &Cell<Descriptor>, reference: &Object<Reference>) {
        place.set(Descriptor::NULL);
        match reference.nodes(instance())? {
            Some(nodes) => hand_out(Some(place), nodes),
            None => Ok(()),
        }
    }

    /// Whether this image is one of the nodes, or 0; they execute alone until `xmpf_end_task_`.
    "task" fn xmpf_test_task_on_nodes__(nodes: Descriptor) -> c_int {
        if nodes.is_null() {
            return Ok(0);
        }
        Ok(executing::enter(instance(), nodes.shared()?, None)?.into())
    }

    /// Whether this image is one of the nodes of a reference (`nocomm`); nothing is entered.
    "task" fn xmpf_test_task_nocomm__(reference: &Object<Reference>) -> c_int {
        let nodes = reference.nodes(instance())?;
        Ok(nodes.is_some_and(|nodes| nodes.coords.is_some()).into())
    }

    /// The end of a task.
    "end task" fn xmpf_end_task__() {
        executing::leave(instance())
    }
}
