//! MPI_Init and MPI_Init_thread: whoever comes first initialises MPI, the other finds it done.

use super::real::{self, Arguments};
use super::{SUCCESS, give};
use crate::process::{any_thread, current, wants_mpi};
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

/// MPI_Init of C.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Init(argc: *mut c_int, argv: Arguments) -> c_int {
    match done_by_images() {
        true => SUCCESS,
        false => real::init(argc, argv),
    }
}

/// MPI_Init_thread of C. The level is what the images have initialised MPI with.
#[unsafe(no_mangle)]
pub extern "C" fn MPI_Init_thread(
    argc: *mut c_int,
    argv: Arguments,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    match done_by_images() {
        true => real::query_thread(provided),
        false => real::init_thread(argc, argv, required, provided),
    }
}

/// MPI_INIT of Fortran.
///
/// # Safety
/// `ierror` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_(ierror: *mut c_int) {
    let code = MPI_Init(ptr::null_mut(), ptr::null_mut());
    // SAFETY: the caller's guarantee.
    unsafe { give(ierror, code) }
}

/// MPI_INIT_THREAD of Fortran.
///
/// # Safety
/// All are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_thread_(
    required: *const c_int,
    provided: *mut c_int,
    ierror: *mut c_int,
) {
    // SAFETY: the caller's guarantee.
    let required = unsafe { required.read() };
    let code = MPI_Init_thread(ptr::null_mut(), ptr::null_mut(), required, provided);
    // SAFETY: as above.
    unsafe { give(ierror, code) }
}

/// MPI_Init of `mpi_f08`.
///
/// # Safety
/// `ierror` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_f08_(ierror: *mut c_int) {
    // SAFETY: the caller's guarantee.
    unsafe { mpi_init_(ierror) }
}

/// MPI_Init_thread of `mpi_f08`.
///
/// # Safety
/// All are valid; `ierror` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpi_init_thread_f08_(
    required: *const c_int,
    provided: *mut c_int,
    ierror: *mut c_int,
) {
    // SAFETY: the caller's guarantee.
    unsafe { mpi_init_thread_(required, provided, ierror) }
}
