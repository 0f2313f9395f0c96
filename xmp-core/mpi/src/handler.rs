//! The error handler with which MPI returns errors.
//!
//! MPI_ERRORS_RETURN of the standard ABI has the value 0x142, but MPICH 5.0 has given that to MPI_ERRORS_ABORT. So a plug-in for that
//! ABI makes a handler of its own, which does nothing.

use crate::outcome::{Result, called};
use mpi::ffi;
use mpi::ffi::{MPI_Comm, MPI_Win};

/// Has calls on a communicator return errors.
pub fn return_errors_of_communicator(communicator: MPI_Comm) -> Result {
    #[cfg(standard_abi)]
    return standard_abi::set_for_communicator(communicator);
    #[cfg(not(standard_abi))]
    // SAFETY: a communicator of MPI or the plug-in; a constant.
    called("MPI_Comm_set_errhandler", unsafe {
        ffi::MPI_Comm_set_errhandler(communicator, ffi::RSMPI_ERRORS_RETURN)
    })
}

/// Has calls on a window return errors.
pub fn return_errors_of_window(window: MPI_Win) -> Result {
    #[cfg(standard_abi)]
    return standard_abi::set_for_window(window);
    #[cfg(not(standard_abi))]
    // SAFETY: a window of the plug-in; a constant.
    called("MPI_Win_set_errhandler", unsafe {
        ffi::MPI_Win_set_errhandler(window, ffi::RSMPI_ERRORS_RETURN)
    })
}

#[cfg(standard_abi)]
mod standard_abi {
    use super::*;
    use std::ffi::c_int;
    use std::mem;

    unsafe extern "C" fn of_communicator(_: *mut MPI_Comm, _: *mut c_int) {}

    unsafe extern "C" fn of_window(_: *mut MPI_Win, _: *mut c_int) {}

    pub fn set_for_communicator(communicator: MPI_Comm) -> Result {
        type Plain = unsafe extern "C" fn(*mut MPI_Comm, *mut c_int);
        type Handler = unsafe extern "C" fn(*mut MPI_Comm, *mut c_int, ...);
        // SAFETY: a function that looks at none of its arguments may be passed more of them.
        let handler: Handler = unsafe { mem::transmute(of_communicator as Plain) };
        // SAFETY: a function of the type that MPI expects; a communicator; a local output, which is freed: MPI keeps the handler as
        // long as it is used.
        unsafe {
            let mut made = ffi::RSMPI_ERRORS_RETURN;
            let code = ffi::MPI_Comm_create_errhandler(Some(handler), &mut made);
            called("MPI_Comm_create_errhandler", code)?;
            let code = ffi::MPI_Comm_set_errhandler(communicator, made);
            called("MPI_Comm_set_errhandler", code)?;
            called("MPI_Errhandler_free", ffi::MPI_Errhandler_free(&mut made))
        }
    }

    pub fn set_for_window(window: MPI_Win) -> Result {
        type Plain = unsafe extern "C" fn(*mut MPI_Win, *mut c_int);
        type Handler = unsafe extern "C" fn(*mut MPI_Win, *mut c_int, ...);
        // SAFETY: as above.
        let handler: Handler = unsafe { mem::transmute(of_window as Plain) };
        // SAFETY: as above, with a window.
        unsafe {
            let mut made = ffi::RSMPI_ERRORS_RETURN;
            let code = ffi::MPI_Win_create_errhandler(Some(handler), &mut made);
            called("MPI_Win_create_errhandler", code)?;
            called("MPI_Win_set_errhandler", ffi::MPI_Win_set_errhandler(window, made))?;
            called("MPI_Errhandler_free", ffi::MPI_Errhandler_free(&mut made))
        }
    }
}
