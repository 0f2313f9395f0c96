//! The job: its end, whether it is one of MPI, and the MPI communicators of teams.

use super::argument::{Data, place};
use super::outcome::{functions, text};
use super::team::{TeamHandle, set_of};
use crate::entry::entries;
use crate::process::{self, any_thread, communicator, instance};
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use xmp_core::Error;
use xmp_core::plugin::Communicator;

entries! {
    /// Normal termination of this image.
    pub fn xmprt_stop(status: c_int) -> ! {
        process::stop(status)
    }

    /// Error termination of all images.
    pub fn xmprt_error_stop(status: c_int) -> ! {
        process::error_stop(status, Some(Vec::new()))
    }
}

/// Ends the job with a message about an error, for instance an uncaught exception.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_error_stop_message(what: *const c_char) -> ! {
    let text = text(what);
    let (operation, reason) = text.split_once(": ").unwrap_or(("ERROR STOP", &text));
    process::die(operation, reason)
}

/// Whether the images are processes of an MPI job.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_under_mpi() -> c_int {
    any_thread().exit.plugin().is_some().into()
}

functions! {
    /// The communicator of a team, for C: an `MPI_Comm` of `size` bytes.
    fn xmprt_mpi_comm(team: TeamHandle, comm: Data, size: usize) {
        comm.not_null("comm")?;
        let Communicator { c, c_size, .. } = communicator(instance(), &*set_of(team)?)?;
        if size != c_size as usize {
            return Err(Error::Invalid(format!(
                "an MPI_Comm has {c_size} bytes in the MPI that the program was started with, not {size}: it was compiled \
                 for another MPI"
            )));
        }
        // SAFETY: the contract of entries: there is room for `size` bytes, the size of the communicator.
        unsafe { std::ptr::copy_nonoverlapping((&raw const c).cast(), comm.start(), size) };
        Ok(())
    }

    /// The communicator of a team, as Fortran knows it.
    fn xmprt_mpi_comm_fortran(team: TeamHandle, comm: Option<&Cell<c_int>>) {
        let comm = place(comm, "comm")?;
        comm.set(communicator(instance(), &*set_of(team)?)?.fortran);
        Ok(())
    }
}
