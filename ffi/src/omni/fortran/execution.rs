//! What users call by name about images and time (XcalableMP 1.4, 7.1): the functions of C, under their names in Fortran.

use crate::omni::c::barrier::xmp_barrier;
use crate::omni::c::library as c;
use crate::omni::error::done;
use crate::process::{communicator_of_nodes, instance};
use std::ffi::{c_double, c_int};

/// `xmp_barrier()`, and the end of a main program.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_barrier_() {
    xmp_barrier();
}

/// Number of executing nodes.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_num_nodes_() -> c_int {
    c::xmp_num_nodes()
}

/// The number of this image among them, from 1.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_node_num_() -> c_int {
    c::xmp_node_num()
}

/// Number of all nodes.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_all_num_nodes_() -> c_int {
    c::xmp_all_num_nodes()
}

/// The number of this image among them, from 1.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_all_node_num_() -> c_int {
    c::xmp_all_node_num()
}

/// The communicator of the executing images.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_get_mpi_comm_() -> c_int {
    done("xmp_get_mpi_comm", || {
        let instance = instance();
        Ok(communicator_of_nodes(instance, &instance.image.executing())?.0.fortran)
    })
}

/// Time in seconds since a moment that is the same for all images of a machine.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_wtime_() -> c_double {
    c::xmp_wtime()
}

/// The resolution of [`xmp_wtime_`] in seconds.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_wtick_() -> c_double {
    c::xmp_wtick()
}
