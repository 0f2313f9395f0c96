//! The front end for MPI: programs that use MPI beside coarrays.
//!
//! Under an MPI launcher a program becomes an image, and so initialises MPI, with its first use of coarrays, which
//! may be before its own MPI_Init. MPI may be initialised and finalised once only. So this library has the
//! functions that do that, for programs that are linked with it before MPI: they do what is left to do, and MPI
//! ends with the images.
//!
//! A program that calls MPI's own functions all the same must initialise MPI before it uses coarrays; then its
//! MPI_Finalize ends its image, by a hook that MPI has for that (`process/mpi.rs`).

mod finalize;
mod initialize;
mod real;

use std::cell::Cell;
use std::ffi::c_int;

/// MPI_SUCCESS: 0 in every MPI.
const SUCCESS: c_int = 0;

/// Gives a Fortran program its `ierror`, which may be left out with `mpi_f08`.
fn give(ierror: Option<&Cell<c_int>>, code: c_int) {
    if let Some(ierror) = ierror {
        ierror.set(code);
    }
}
