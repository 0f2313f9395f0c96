//! What users call by name about images, time and MPI (XcalableMP 1.4, 4.8).

use crate::omni::error::done;
use crate::process::{self, any_thread, communicator_of_nodes, instance};
use std::ffi::{c_double, c_int};

/// Number of this image among the executing ones, from 1.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_node_num() -> c_int {
    any_thread().image.stack().here().0 as c_int
}

/// The same from 0.
#[unsafe(no_mangle)]
pub extern "C" fn xmpc_node_num() -> c_int {
    xmp_node_num() - 1
}

/// The same, as an image of coarrays, from 0.
#[unsafe(no_mangle)]
pub extern "C" fn xmpc_this_image() -> c_int {
    xmp_node_num() - 1
}

/// Number of executing images.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_num_nodes() -> c_int {
    any_thread().image.stack().here().1 as c_int
}

/// The same.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_num_images() -> c_int {
    xmp_num_nodes()
}

/// Number of this image among all, from 1.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_all_node_num() -> c_int {
    any_thread().image.rank().image() as c_int
}

/// The same from 0.
#[unsafe(no_mangle)]
pub extern "C" fn xmpc_all_node_num() -> c_int {
    xmp_all_node_num() - 1
}

/// Number of all images.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_all_num_nodes() -> c_int {
    any_thread().image.job().images() as c_int
}

/// Calls `of` with an empty time.
fn seconds(of: unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int) -> c_double {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place; this clock is always there.
    unsafe { of(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as c_double + time.tv_nsec as c_double * 1e-9
}

/// Time in seconds since a moment that is the same for all images of a machine.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_wtime() -> c_double {
    seconds(libc::clock_gettime)
}

/// The resolution of [`xmp_wtime`] in seconds.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_wtick() -> c_double {
    seconds(libc::clock_getres)
}

/// Ends this image with a status.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_exit(status: c_int) -> ! {
    process::stop(status)
}

/// The communicator of the executing images, an `MPI_Comm` of whatever size: it is returned in the same register.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_get_mpi_comm() -> u64 {
    done("xmp_get_mpi_comm", || {
        let instance = instance();
        Ok(communicator_of_nodes(instance, &instance.image.executing())?.0.c)
    })
}
