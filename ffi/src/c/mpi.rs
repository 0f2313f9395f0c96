//! MPI beside coarrays: communicators.

use super::outcome::{not_null, outcome};
use super::team::{TeamHandle, set_of};
use crate::process::{communicator, instance};
use std::ffi::{c_int, c_void};
use xmp_core::plugin::Communicator;
use xmp_core::{Error, Result};

/// Whether the images are processes of an MPI job.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_under_mpi() -> c_int {
    instance().exit.plugin().is_some().into()
}

/// The communicator of a team, for C.
///
/// # Safety
/// `comm` is null or has room for `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_mpi_comm(team: TeamHandle, comm: *mut c_void, size: usize) -> c_int {
    let attempt = || -> Result<()> {
        not_null(comm, "comm")?;
        let Communicator { c, c_size, .. } = communicator(instance(), &*set_of(team)?)?;
        if size != c_size as usize {
            return Err(Error::Invalid(format!(
                "an MPI_Comm has {c_size} bytes in the MPI that the program was started with, not {size}: it was compiled \
                 for another MPI"
            )));
        }
        // SAFETY: the caller's guarantee; so many bytes are its own.
        unsafe { std::ptr::copy_nonoverlapping((&raw const c).cast(), comm.cast::<u8>(), size) };
        Ok(())
    };
    outcome("xmprt_mpi_comm", attempt)
}

/// The communicator of a team, as Fortran knows it.
///
/// # Safety
/// `comm` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_mpi_comm_fortran(team: TeamHandle, comm: *mut c_int) -> c_int {
    let attempt = || -> Result<()> {
        not_null(comm, "comm")?;
        let made = communicator(instance(), &*set_of(team)?)?;
        // SAFETY: the caller's guarantee.
        unsafe { comm.write(made.fortran) };
        Ok(())
    };
    outcome("xmprt_mpi_comm_fortran", attempt)
}
