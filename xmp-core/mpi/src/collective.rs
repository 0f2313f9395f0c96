//! Collective operations of processes at the start and at the end of a job.

use crate::extent::Extent;
use crate::message::op_of;
use crate::outcome::{Result, called, status};
use crate::state::state;
use mpi::ffi;
use std::ffi::{c_int, c_void};
use xmp_plugin::{Op, Scope, Status};

/// An address for no bytes: that of an empty slice may be MPI_IN_PLACE.
static NOTHING: u8 = 0;

pub unsafe extern "C" fn allgather(
    scope: Scope,
    mine: *const c_void,
    bytes: u64,
    all: *mut c_void,
    op: *mut Op,
) -> Status {
    let attempt = || -> Result {
        let (scope, extent) = (state()?.communicator(scope)?, Extent::of(bytes)?);
        let (count, kind) = (extent.count, extent.datatype);
        let (mine, all) = match bytes {
            0 => ((&raw const NOTHING).cast(), (&raw const NOTHING).cast_mut().cast()),
            _ => (mine, all),
        };
        // SAFETY: `all` has room for the bytes of all processes of the scope (contract of the table).
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let code =
                ffi::MPI_Iallgather(mine, count, kind, all, count, kind, scope, &mut request);
            called("MPI_Iallgather", code)?;
            op.write(op_of(request));
        }
        Ok(())
    };
    status(attempt())
}

pub unsafe extern "C" fn broadcast(
    scope: Scope,
    root: u32,
    data: *mut c_void,
    bytes: u64,
    op: *mut Op,
) -> Status {
    let attempt = || -> Result {
        let (scope, extent) = (state()?.communicator(scope)?, Extent::of(bytes)?);
        let (count, kind) = (extent.count, extent.datatype);
        // SAFETY: the bytes live until the operation is done (contract of the table).
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let code = ffi::MPI_Ibcast(data, count, kind, root as c_int, scope, &mut request);
            called("MPI_Ibcast", code)?;
            op.write(op_of(request));
        }
        Ok(())
    };
    status(attempt())
}

pub unsafe extern "C" fn barrier(scope: Scope, op: *mut Op) -> Status {
    let attempt = || -> Result {
        let scope = state()?.communicator(scope)?;
        // SAFETY: a communicator of the plug-in; outputs are local variables.
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            called("MPI_Ibarrier", ffi::MPI_Ibarrier(scope, &mut request))?;
            op.write(op_of(request));
        }
        Ok(())
    };
    status(attempt())
}
