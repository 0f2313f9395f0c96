//! MPI_Finalize: MPI that the images have initialised goes on until they end, and is finalised then.

use super::{SUCCESS, give, real};
use crate::process::current;
use std::ffi::c_int;

/// MPI_Finalize of C.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Finalize() -> c_int {
    match current().and_then(|instance| instance.exit.plugin()) {
        Some(plugin) if !plugin.by_program() => SUCCESS,
        _ => real::finalize(),
    }
}

/// MPI_FINALIZE of Fortran.
///
/// # Safety
/// `ierror` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_finalize_(ierror: *mut c_int) {
    let code = MPI_Finalize();
    // SAFETY: the caller's guarantee.
    unsafe { give(ierror, code) }
}

/// MPI_Finalize of `mpi_f08`.
///
/// # Safety
/// `ierror` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_finalize_f08_(ierror: *mut c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { mpi_finalize_(ierror) }
}
