//! The functions of the MPI library that the program is linked with, by their names for tools (PMPI).

use std::ffi::{CStr, c_char, c_int};
use std::mem;
use xmp_core::launch::report;
use xmp_core::plugin::linked;
use xmp_core::process::ERROR_STATUS;

/// `char ***` of a C `main`.
pub type Arguments = *mut *mut *mut c_char;

/// Declares functions that call those of the MPI library. Their types are the same in every MPI.
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) = $symbol:literal;)+) => {$(
        $(#[$doc])*
        pub fn $name($($argument: $type),*) -> c_int {
            // SAFETY: the function of this name has this type in every MPI.
            let function: extern "C" fn($($type),*) -> c_int = unsafe { mem::transmute(find($symbol)) };
            function($($argument),*)
        }
    )+};
}

functions! {
    /// PMPI_Init.
    fn init(argc: *mut c_int, argv: Arguments) = c"PMPI_Init";
    /// PMPI_Init_thread.
    fn init_thread(argc: *mut c_int, argv: Arguments, required: c_int, provided: *mut c_int) = c"PMPI_Init_thread";
    /// PMPI_Query_thread.
    fn query_thread(provided: *mut c_int) = c"PMPI_Query_thread";
    /// PMPI_Finalize.
    fn finalize() = c"PMPI_Finalize";
}

/// The function of this name. A program that calls it by our name without any MPI cannot go on.
fn find(name: &CStr) -> *mut std::ffi::c_void {
    linked::find(name).unwrap_or_else(|| {
        let name = name.to_string_lossy();
        report(format_args!("{}: the program is not linked with MPI", &name[1..]));
        // SAFETY: `_exit` takes any status, and ends the process.
        unsafe { libc::_exit(ERROR_STATUS) }
    })
}
