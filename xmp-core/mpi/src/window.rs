//! One-sided access: a window over existing memory, locked once for all.

use crate::extent::Extent;
use crate::handler::return_errors_of_window;
use crate::message::op_of;
use crate::outcome::{Failure, Result, called, status};
use crate::state::state;
use mpi::ffi;
use mpi::ffi::{MPI_Aint, MPI_Win};
use std::ffi::{c_int, c_void};
use xmp_plugin::{Op, Status, Window};

pub unsafe extern "C" fn open(base: *mut c_void, bytes: u64, window: *mut Window) -> Status {
    let attempt = || -> Result {
        let state = state()?;
        let mut windows = state.windows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // SAFETY: the memory lives until `finish` (contract of the table). Constants and local outputs.
        unsafe {
            let (info, mut win) = (ffi::RSMPI_INFO_NULL, ffi::RSMPI_WIN_NULL);
            let code = ffi::MPI_Win_create(base, bytes as MPI_Aint, 1, info, state.all, &mut win);
            called("MPI_Win_create", code)
                .map_err(|failure| failure.with_status(Status::UNSUPPORTED))?;
            return_errors_of_window(win)?;
            // No process ever locks it exclusively.
            let alone = ffi::MPI_MODE_NOCHECK as c_int;
            called("MPI_Win_lock_all", ffi::MPI_Win_lock_all(alone, win))?;
            window.write(windows.len() as Window);
            windows.push(win);
        }
        Ok(())
    };
    status(attempt())
}

/// The window of this number, which `open` has returned.
fn opened(window: Window) -> Result<MPI_Win> {
    let windows = state()?.windows.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    windows
        .get(window as usize)
        .copied()
        .ok_or_else(|| Failure::new(Status::FAILED, format!("no window has the number {window}")))
}

pub unsafe extern "C" fn put(
    window: Window,
    to: u32,
    offset: u64,
    data: *const c_void,
    bytes: u64,
    op: *mut Op,
) -> Status {
    let attempt = || -> Result {
        let (win, extent) = (opened(window)?, Extent::of(bytes)?);
        let (count, kind) = (extent.count, extent.datatype);
        // SAFETY: within the window, and the data stays valid until the operation is done (contract of the table).
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (to, offset) = (to as c_int, offset as MPI_Aint);
            let code = ffi::MPI_Rput(data, count, kind, to, offset, count, kind, win, &mut request);
            called("MPI_Rput", code)?;
            op.write(op_of(request));
        }
        Ok(())
    };
    status(attempt())
}

pub unsafe extern "C" fn get(
    window: Window,
    from: u32,
    offset: u64,
    data: *mut c_void,
    bytes: u64,
    op: *mut Op,
) -> Status {
    let attempt = || -> Result {
        let (win, extent) = (opened(window)?, Extent::of(bytes)?);
        let (count, kind) = (extent.count, extent.datatype);
        // SAFETY: within the window, and the memory stays valid until the operation is done (contract of the table).
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (from, offset) = (from as c_int, offset as MPI_Aint);
            let code =
                ffi::MPI_Rget(data, count, kind, from, offset, count, kind, win, &mut request);
            called("MPI_Rget", code)?;
            op.write(op_of(request));
        }
        Ok(())
    };
    status(attempt())
}

pub unsafe extern "C" fn flush(window: Window, to: u32) -> Status {
    let attempt = || -> Result {
        let win = opened(window)?;
        // SAFETY: a window of the plug-in.
        called("MPI_Win_flush", unsafe { ffi::MPI_Win_flush(to as c_int, win) })
    };
    status(attempt())
}
