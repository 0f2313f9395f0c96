//! The front end for MPI: programs that use MPI beside coarrays.
//!
//! Under an MPI launcher a program becomes an image, and so initialises MPI, with its first use of coarrays, which
//! may be before its own MPI_Init. MPI may be initialised and finalised once only. So this library has the
//! functions that do that, for programs that are linked with it before MPI: they do what is left to do, and MPI
//! ends with the images.
//!
//! A program that calls MPI's own functions all the same must initialise MPI before it uses coarrays; then its
//! MPI_Finalize ends its image, by a hook that MPI has for that (`process/mpi.rs`).

mod real;

use crate::entry::entries;
use crate::process::{Instance, any_thread, created, wants_mpi};
use real::Arguments;
use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;
use xmp_core::{Rank, launch};

/// MPI_SUCCESS: 0 in every MPI.
const SUCCESS: c_int = 0;

/// Gives a Fortran program its `ierror`, which may be left out with `mpi_f08`.
fn give(ierror: Option<&Cell<c_int>>, code: c_int) {
    if let Some(ierror) = ierror {
        ierror.set(code);
    }
}

/// Whether images have initialised MPI. Where they will, they do so now: in the way that they need it. All images call
/// this, so they begin by it, and need not wait for one that waits for a message of MPI.
fn done_by_images() -> bool {
    if created().is_none() && !wants_mpi() {
        return false;
    }
    let started = any_thread();
    let is_done = started.exit.plugin().is_some();
    if !is_done {
        warn_of_separate_processes(started);
    }
    is_done
}

/// xmprun has started the images, and MPI knows nothing of that.
#[cold]
fn warn_of_separate_processes(Instance { image, .. }: &Instance) {
    let images = image.job().images();
    if images > 1 && image.rank() == Rank::new(0) {
        launch::report(format_args!(
            "warning: MPI_Init: xmprun has started the {images} images, so for MPI each of them is rank 0 of 1. A program that \
             calls MPI has to be started by the mpirun of its MPI, without xmprun"
        ));
    }
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

    /// MPI_Finalize of C.
    pub fn MPI_Finalize() -> c_int {
        match created().and_then(|instance| instance.exit.plugin()) {
            Some(plugin) if !plugin.by_program() => SUCCESS,
            _ => real::finalize(),
        }
    }

    /// MPI_FINALIZE of Fortran.
    pub fn mpi_finalize_(ierror: Option<&Cell<c_int>>) {
        give(ierror, MPI_Finalize());
    }

    /// MPI_Finalize of `mpi_f08`.
    pub fn mpi_finalize_f08_(ierror: Option<&Cell<c_int>>) {
        give(ierror, MPI_Finalize());
    }
}
