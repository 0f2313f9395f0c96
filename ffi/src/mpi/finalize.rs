//! MPI_Finalize: MPI that the images have initialised goes on until they end, and is finalised then.

use super::{SUCCESS, give, real};
use crate::entry::entries;
use crate::process::current;
use std::cell::Cell;
use std::ffi::c_int;

entries! {
    /// MPI_Finalize of C.
    pub fn MPI_Finalize() -> c_int {
        match current().and_then(|instance| instance.exit.plugin()) {
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
