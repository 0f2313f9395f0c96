//! Messages between two processes, and the end of every operation.

use crate::extent::{Extent, byte};
use crate::outcome::{Failure, Result, called, status};
use crate::state::state;
use crate::yields::without_yields;
use mpi::ffi;
use mpi::ffi::{MPI_Request, MPI_Status};
use std::ffi::{c_int, c_void};
use std::mem;
use std::thread;
use std::time::{Duration, Instant};
use xmp_plugin::{Op, Status, TestResult};

/// The operation of a request: its bits.
pub fn op_of(request: MPI_Request) -> Op {
    const { assert!(size_of::<MPI_Request>() <= size_of::<Op>()) };
    let mut op: Op = 0;
    // SAFETY: room for a request, whose bytes are all initialised: it is an integer or a pointer.
    unsafe { (&raw mut op).cast::<MPI_Request>().write_unaligned(request) };
    op
}

/// The request of an operation.
fn request_of(op: Op) -> MPI_Request {
    // SAFETY: the bits that `op_of` has written.
    unsafe { (&raw const op).cast::<MPI_Request>().read_unaligned() }
}

pub unsafe extern "C" fn send(
    to: u32,
    tag: c_int,
    data: *const c_void,
    bytes: u64,
    op: *mut Op,
) -> Status {
    let attempt = || -> Result {
        let (all, extent) = (state()?.all, Extent::of(bytes)?);
        // SAFETY: the data stays valid until the operation is done (contract of the table).
        unsafe {
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (count, kind) = (extent.count, extent.datatype);
            let code = ffi::MPI_Isend(data, count, kind, to as c_int, tag, all, &mut request);
            called("MPI_Isend", code)?;
            op.write(op_of(request));
        }
        Ok(())
    };
    status(attempt())
}

pub unsafe extern "C" fn receive(
    from: i64,
    tag: c_int,
    data: *mut c_void,
    capacity: u64,
    op: *mut Op,
) -> Status {
    let attempt = || -> Result {
        let (all, extent) = (state()?.all, Extent::of(capacity)?);
        // SAFETY: the memory stays valid until the operation is done (contract of the table).
        unsafe {
            let from = if from < 0 { ffi::RSMPI_ANY_SOURCE } else { from as c_int };
            let mut request = ffi::RSMPI_REQUEST_NULL;
            let (count, kind) = (extent.count, extent.datatype);
            let code = ffi::MPI_Irecv(data, count, kind, from, tag, all, &mut request);
            called("MPI_Irecv", code)?;
            op.write(op_of(request));
        }
        Ok(())
    };
    status(attempt())
}

/// Asks before it frees the request: MPI_Test of MPICH polls the network also when the operation is done, which takes half a
/// microsecond over TCP.
pub unsafe extern "C" fn test(op: Op, done: *mut TestResult) -> Status {
    let attempt = || -> Result {
        let (mut request, mut flag) = (request_of(op), 0);
        // SAFETY: a request that was started and not yet freed (the table's contract); no status is requested.
        let ask =
            || unsafe { ffi::MPI_Request_get_status(request, &mut flag, ffi::RSMPI_STATUS_IGNORE) };
        let code = without_yields(ask);
        called("MPI_Request_get_status", code)?;
        let (mut bytes, mut source) = (0, 0);
        if flag != 0 {
            // SAFETY: a status consists of integers, for which zero is valid.
            let mut found: MPI_Status = unsafe { mem::zeroed() };
            // Returns at once, with the operation's error.
            // SAFETY: the request; a local output.
            called("MPI_Wait", unsafe { ffi::MPI_Wait(&mut request, &mut found) })?;
            // SAFETY: a status that MPI has filled; a local output. Counted in elements of the smallest type, because
            // those of the message may be of another.
            let code = unsafe { ffi::MPI_Get_elements_x(&found, byte(), &mut bytes) };
            called("MPI_Get_elements_x", code)?;
            source = found.MPI_SOURCE as u32;
        }
        // SAFETY: `done` has room for the result (contract of the table).
        unsafe { done.write(TestResult { done: flag, source, bytes: bytes as u64 }) };
        Ok(())
    };
    status(attempt())
}

/// Far longer than a cancelled receive needs to be over, even if its message has begun to arrive. Not every MPI can
/// cancel a send that no process receives.
const PATIENCE: Duration = Duration::from_millis(500);

pub unsafe extern "C" fn cancel(op: Op) -> Status {
    let attempt = || -> Result {
        let (mut request, mut flag) = (request_of(op), 0);
        let deadline = Instant::now() + PATIENCE;
        // SAFETY: a request that was started and is not done (contract of the table); no status is requested.
        unsafe {
            called("MPI_Cancel", ffi::MPI_Cancel(&mut request))?;
            while flag == 0 && Instant::now() < deadline {
                let status = ffi::RSMPI_STATUS_IGNORE;
                called("MPI_Test", ffi::MPI_Test(&mut request, &mut flag, status))?;
                thread::yield_now();
            }
        }
        match flag {
            0 => Err(Failure::new(Status::PENDING, "the operation goes on")),
            _ => Ok(()),
        }
    };
    status(attempt())
}
