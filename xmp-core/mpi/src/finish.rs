//! The end of MPI.

use crate::outcome::{Failure, Result, called, status};
use crate::state::{State, state};
use mpi::ffi;
use mpi::ffi::MPI_Comm;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use xmp_plugin::Status;

/// The function to call before the program finalises MPI.
static HOOK: OnceLock<extern "C" fn()> = OnceLock::new();

/// By an attribute of MPI_COMM_SELF: MPI_Finalize deletes those first of all (MPI 3.1, section 8.7.1).
pub unsafe extern "C" fn on_finalize(hook: extern "C" fn()) -> Status {
    let attempt = || -> Result {
        HOOK.set(hook).map_err(|_| Failure::new(Status::FAILED, "there is a hook already"))?;
        let (mut key, none) = (0, ptr::null_mut());
        // SAFETY: functions with the types that MPI expects; local outputs; a constant.
        unsafe {
            let code = ffi::MPI_Comm_create_keyval(Some(not_copied), Some(deleted), &mut key, none);
            called("MPI_Comm_create_keyval", code)?;
            let code = ffi::MPI_Comm_set_attr(ffi::RSMPI_COMM_SELF, key, none);
            called("MPI_Comm_set_attr", code)
        }
    };
    status(attempt())
}

/// A copy of MPI_COMM_SELF has no hook.
unsafe extern "C" fn not_copied(
    _: MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    copied: *mut c_int,
) -> c_int {
    // SAFETY: MPI passes a valid output.
    unsafe { copied.write(0) };
    ffi::MPI_SUCCESS as c_int
}

unsafe extern "C" fn deleted(_: MPI_Comm, _: c_int, _: *mut c_void, _: *mut c_void) -> c_int {
    if let Some(hook) = HOOK.get() {
        hook();
    }
    ffi::MPI_SUCCESS as c_int
}

pub unsafe extern "C" fn abort(code: c_int) -> Status {
    // SAFETY: a constant of MPI.
    status(called("MPI_Abort", unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, code) }))
}

pub unsafe extern "C" fn finish() -> Status {
    let attempt = || -> Result {
        let state = state()?;
        // SAFETY: a communicator of the plug-in. After the barrier no process needs the help of another to finalise
        // MPI.
        called("MPI_Barrier", unsafe { ffi::MPI_Barrier(state.all) })?;
        free(state)?;
        match state.by_program {
            true => Ok(()),
            // SAFETY: initialised by the plug-in; no call follows.
            false => called("MPI_Finalize", unsafe { ffi::PMPI_Finalize() }),
        }
    };
    status(attempt())
}

/// Frees the objects of the plug-in, in the same order everywhere.
fn free(state: &State) -> Result {
    let windows =
        std::mem::take(&mut *state.windows.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    for mut window in windows {
        // SAFETY: a window opened by the plug-in, closed once.
        called("MPI_Win_unlock_all", unsafe { ffi::MPI_Win_unlock_all(window) })?;
        // SAFETY: a window opened by the plug-in, freed once.
        called("MPI_Win_free", unsafe { ffi::MPI_Win_free(&mut window) })?;
    }
    for mut communicator in [state.leaders, Some(state.host), Some(state.all)].into_iter().flatten()
    {
        // SAFETY: a communicator made by the plug-in, freed once.
        called("MPI_Comm_free", unsafe { ffi::MPI_Comm_free(&mut communicator) })?;
    }
    Ok(())
}

/// Replaces a function of UCX for MPICH 4.0 and 4.1. Their MPI_Finalize disconnects from each process and waits for its
/// answer, while that process may be past its own disconnect and wait for this one elsewhere. So no process disconnects
/// here, as in later releases: after the barrier above all is done, and the connections end with the worker. Names are
/// resolved in the plug-in before its libraries, so MPICH calls this function; where the program itself has loaded
/// MPICH, it does not.
///
/// Returns "done at once", as UCX does for an operation that needs no waiting.
#[cfg(mends_finalize)]
#[unsafe(no_mangle)]
pub extern "C" fn ucp_disconnect_nb(_endpoint: *mut std::ffi::c_void) -> *mut std::ffi::c_void {
    std::ptr::null_mut()
}
