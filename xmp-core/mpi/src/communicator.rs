//! Communicators for programs that use MPI beside coarrays.

use crate::outcome::{Result, called, status};
use crate::state::state;
use mpi::ffi;
use mpi::ffi::MPI_Comm;
use std::ffi::c_int;
use xmp_plugin::{Communicator, Status};

pub unsafe extern "C" fn communicator(
    ranks: *const u32,
    count: u32,
    tag: c_int,
    communicator: *mut Communicator,
) -> Status {
    let attempt = || -> Result {
        // SAFETY: `ranks` has `count` entries (contract of the table).
        let ranks = unsafe { std::slice::from_raw_parts(ranks, count as usize) };
        let ranks: Vec<c_int> = ranks.iter().map(|&rank| rank as c_int).collect();
        let made = make(&ranks, tag)?;
        // SAFETY: `made` has room for a communicator (contract of the table).
        unsafe { communicator.write(made) };
        Ok(())
    };
    status(attempt())
}

/// A new communicator; without ranks MPI_COMM_WORLD, at once.
fn make(ranks: &[c_int], tag: c_int) -> Result<Communicator> {
    let all = state()?.all;
    if ranks.is_empty() {
        // SAFETY: a constant of MPI.
        return Ok(named(unsafe { ffi::RSMPI_COMM_WORLD }));
    }
    // SAFETY: handles of MPI and of the plug-in; constants and local outputs. The groups are freed.
    unsafe {
        let (mut world, mut part) = (ffi::RSMPI_GROUP_NULL, ffi::RSMPI_GROUP_NULL);
        called("MPI_Comm_group", ffi::MPI_Comm_group(all, &mut world))?;
        let code = ffi::MPI_Group_incl(world, ranks.len() as c_int, ranks.as_ptr(), &mut part);
        called("MPI_Group_incl", code)?;
        let mut made = ffi::RSMPI_COMM_NULL;
        let code = ffi::MPI_Comm_create_group(all, part, tag, &mut made);
        called("MPI_Comm_create_group", code)?;
        called("MPI_Group_free", ffi::MPI_Group_free(&mut world))?;
        called("MPI_Group_free", ffi::MPI_Group_free(&mut part))?;
        // Errors do what the program has set for MPI_COMM_WORLD, not what the plug-in sets for itself.
        let mut handler = ffi::RSMPI_ERRORS_RETURN;
        let code = ffi::MPI_Comm_get_errhandler(ffi::RSMPI_COMM_WORLD, &mut handler);
        called("MPI_Comm_get_errhandler", code)?;
        called("MPI_Comm_set_errhandler", ffi::MPI_Comm_set_errhandler(made, handler))?;
        called("MPI_Errhandler_free", ffi::MPI_Errhandler_free(&mut handler))?;
        Ok(named(made))
    }
}

/// A communicator as C and as Fortran know it.
fn named(made: MPI_Comm) -> Communicator {
    const { assert!(size_of::<MPI_Comm>() <= size_of::<u64>()) };
    let mut c = 0_u64;
    // SAFETY: room for it; all of its bytes are initialised: it is an integer or a pointer.
    unsafe { (&raw mut c).cast::<MPI_Comm>().write_unaligned(made) };
    // SAFETY: a valid communicator.
    let fortran = unsafe { ffi::RSMPI_Comm_c2f(made) };
    Communicator { c, c_size: size_of::<MPI_Comm>() as u32, fortran }
}
