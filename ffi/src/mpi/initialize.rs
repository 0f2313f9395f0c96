//! MPI_Init and MPI_Init_thread: the images initialise MPI, unless the program has done so before.

use super::real::{self, Arguments};
use super::{SUCCESS, give};
use crate::entry::entries;
use crate::process::{any_thread, current, wants_mpi};
use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;

/// Whether images have initialised MPI. Where they will, they do so now: in the way that they need it.
fn done_by_images() -> bool {
    let started = match current() {
        Some(started) => started,
        None if wants_mpi() => any_thread(),
        None => return false,
    };
    started.exit.plugin().is_some()
}

entries! {
    /// MPI_Init of C.
    pub fn MPI_Init(argc: *mut c_int, argv: Arguments) -> c_int {
        if done_by_images() { SUCCESS } else { real::init(argc, argv) }
    }

    /// MPI_Init_thread of C. The level is what the images have initialised MPI with.
    pub fn MPI_Init_thread(argc: *mut c_int, argv: Arguments, required: c_int, provided: *mut c_int) -> c_int {
        if done_by_images() {
            real::query_thread(provided)
        } else {
            real::init_thread(argc, argv, required, provided)
        }
    }

    /// MPI_INIT of Fortran.
    pub fn mpi_init_(ierror: Option<&Cell<c_int>>) {
        give(ierror, MPI_Init(ptr::null_mut(), ptr::null_mut()));
    }

    /// MPI_INIT_THREAD of Fortran.
    pub fn mpi_init_thread_(required: &c_int, provided: *mut c_int, ierror: Option<&Cell<c_int>>) {
        give(ierror, MPI_Init_thread(ptr::null_mut(), ptr::null_mut(), *required, provided));
    }

    /// MPI_Init of `mpi_f08`.
    pub fn mpi_init_f08_(ierror: Option<&Cell<c_int>>) {
        mpi_init_(ierror);
    }

    /// MPI_Init_thread of `mpi_f08`.
    pub fn mpi_init_thread_f08_(required: &c_int, provided: *mut c_int, ierror: Option<&Cell<c_int>>) {
        mpi_init_thread_(required, provided, ierror);
    }
}
