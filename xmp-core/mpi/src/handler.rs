//! The error handler with which MPI returns errors.
//!
//! MPI_ERRORS_RETURN of the standard ABI has the value 0x142, but MPICH 5.0 has given that to MPI_ERRORS_ABORT. So a plug-in for that
//! ABI makes a handler of its own, which does nothing.

use crate::outcome::{Result, called};
use mpi::ffi;
use mpi::ffi::{MPI_Comm, MPI_Win};

macro_rules! return_errors {
    ($(#[$doc:meta])* $name:ident($type:ty): $set:ident, $create:ident) => {
        $(#[$doc])*
        pub fn $name(object: $type) -> Result {
            #[cfg(standard_abi)]
            {
                use std::ffi::c_int;
                type Plain = unsafe extern "C" fn(*mut $type, *mut c_int);
                type Handler = unsafe extern "C" fn(*mut $type, *mut c_int, ...);
                unsafe extern "C" fn nothing(_: *mut $type, _: *mut c_int) {}
                // SAFETY: a function that looks at none of its arguments may be passed more of them.
                let handler: Handler = unsafe { std::mem::transmute(nothing as Plain) };
                // SAFETY: a function of the type that MPI expects; an object of MPI or the plug-in; a local output, which is freed: MPI
                // keeps the handler as long as it is used.
                unsafe {
                    let mut made = ffi::RSMPI_ERRORS_RETURN;
                    called(stringify!($create), ffi::$create(Some(handler), &mut made))?;
                    called(stringify!($set), ffi::$set(object, made))?;
                    called("MPI_Errhandler_free", ffi::MPI_Errhandler_free(&mut made))
                }
            }
            #[cfg(not(standard_abi))]
            // SAFETY: an object of MPI or the plug-in; a constant.
            called(stringify!($set), unsafe { ffi::$set(object, ffi::RSMPI_ERRORS_RETURN) })
        }
    };
}

return_errors! {
    /// Has calls on a communicator return errors.
    return_errors_of_communicator(MPI_Comm): MPI_Comm_set_errhandler, MPI_Comm_create_errhandler
}

return_errors! {
    /// Has calls on a window return errors.
    return_errors_of_window(MPI_Win): MPI_Win_set_errhandler, MPI_Win_create_errhandler
}
