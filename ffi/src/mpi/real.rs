//! The functions of the MPI library that the program is linked with, by their names for tools (PMPI).

use std::ffi::{CStr, c_char, c_int};
use std::mem;
use xmp_core::launch::report;
use xmp_core::plugin::linked;
use xmp_core::process::ERROR_STATUS;

/// `char ***` of a C `main`.
pub type Arguments = *mut *mut *mut c_char;

/// PMPI_Init.
pub fn init(argc: *mut c_int, argv: Arguments) -> c_int {
    // SAFETY: the type of this function in every MPI.
    let function: extern "C" fn(*mut c_int, Arguments) -> c_int =
        unsafe { mem::transmute(find(c"PMPI_Init")) };
    function(argc, argv)
}

/// PMPI_Init_thread.
pub fn init_thread(
    argc: *mut c_int,
    argv: Arguments,
    required: c_int,
    provided: *mut c_int,
) -> c_int {
    // SAFETY: the type of this function in every MPI.
    let function: extern "C" fn(*mut c_int, Arguments, c_int, *mut c_int) -> c_int =
        unsafe { mem::transmute(find(c"PMPI_Init_thread")) };
    function(argc, argv, required, provided)
}

/// PMPI_Query_thread.
pub fn query_thread(provided: *mut c_int) -> c_int {
    // SAFETY: the type of this function in every MPI.
    let function: extern "C" fn(*mut c_int) -> c_int =
        unsafe { mem::transmute(find(c"PMPI_Query_thread")) };
    function(provided)
}

/// PMPI_Finalize.
pub fn finalize() -> c_int {
    // SAFETY: the type of this function in every MPI.
    let function: extern "C" fn() -> c_int = unsafe { mem::transmute(find(c"PMPI_Finalize")) };
    function()
}

/// The function of this name. A program that calls it by our name without any MPI cannot go on.
fn find(name: &CStr) -> *mut std::ffi::c_void {
    linked::find(name).unwrap_or_else(|| {
        let name = name.to_string_lossy();
        report(format_args!("{}: the program is not linked with MPI", &name[1..]));
        // SAFETY: does not return.
        unsafe { libc::_exit(ERROR_STATUS) }
    })
}
