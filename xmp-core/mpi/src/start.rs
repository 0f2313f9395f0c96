//! The start of MPI: initialisation, and the search for the processes that can share memory.

use crate::handler::return_errors_of_communicator;
use crate::outcome::{Failure, Result, called, status};
use crate::state::{self, State};
use mpi::ffi;
use mpi::ffi::MPI_Comm;
use std::ffi::c_int;
use std::ptr;
use std::sync::Mutex;
use xmp_plugin::{StartResult, Status, Threads};

pub unsafe extern "C" fn start(threads: Threads, started: *mut StartResult) -> Status {
    let attempt = || -> Result {
        require_version()?;
        let (by_program, threads) = initialise(threads)?;
        let (state, found) = communicators(by_program, threads)?;
        state::set(state)?;
        // SAFETY: `started` has room for the result (contract of the table).
        unsafe { started.write(found) };
        Ok(())
    };
    status(attempt())
}

/// Checks the version: the library at run time may be older than the one that the plug-in was built with.
fn require_version() -> Result {
    let (mut version, mut subversion) = (0, 0);
    // SAFETY: local outputs; may be called before MPI is initialised.
    called("MPI_Get_version", unsafe { ffi::MPI_Get_version(&mut version, &mut subversion) })?;
    match version {
        3.. => Ok(()),
        _ => Err(Failure::new(
            Status::UNSUPPORTED,
            format!("the library has MPI {version}.{subversion}: 3.0 or newer is needed"),
        )),
    }
}

/// Initialises MPI unless the program has; returns whether it had, and the thread level now. Uses PMPI names, because
/// the MPI names of these functions may be the library's, which defines them for programs that use MPI themselves.
fn initialise(wanted: Threads) -> Result<(bool, Threads)> {
    let (mut initialised, mut finalised, mut provided) = (0, 0, 0);
    // SAFETY: a local output; may be called at any time.
    called("MPI_Initialized", unsafe { ffi::MPI_Initialized(&mut initialised) })?;
    // SAFETY: a local output; may be called at any time.
    called("MPI_Finalized", unsafe { ffi::MPI_Finalized(&mut finalised) })?;
    if finalised != 0 {
        let text = "the program has called MPI_Finalize before it became an image";
        return Err(Failure::new(Status::FAILED, text));
    }
    if initialised != 0 {
        // SAFETY: a local output; MPI is initialised.
        called("MPI_Query_thread", unsafe { ffi::MPI_Query_thread(&mut provided) })?;
    } else {
        let (none, level) = (ptr::null_mut(), number(wanted));
        // SAFETY: MPI accepts a call without the program's arguments; a local output.
        let code = unsafe { ffi::PMPI_Init_thread(none, ptr::null_mut(), level, &mut provided) };
        called("MPI_Init_thread", code)?;
        // MPICH reports errors that MPI_Test finds in our messages to this communicator. A program with MPI of its own
        // chooses its handler itself.
        if wanted < Threads::MULTIPLE {
            // SAFETY: a constant of MPI.
            return_errors_of_communicator(unsafe { ffi::RSMPI_COMM_WORLD })?;
        }
    }
    Ok((initialised != 0, level(provided)))
}

/// The number of a level of threads in this MPI.
fn number(threads: Threads) -> c_int {
    // SAFETY: constants of MPI.
    unsafe {
        match threads {
            Threads::SINGLE => ffi::RSMPI_THREAD_SINGLE,
            Threads::FUNNELED => ffi::RSMPI_THREAD_FUNNELED,
            Threads::SERIALIZED => ffi::RSMPI_THREAD_SERIALIZED,
            _ => ffi::RSMPI_THREAD_MULTIPLE,
        }
    }
}

/// The highest level of threads that a number in this MPI has.
fn level(provided: c_int) -> Threads {
    let levels = [Threads::MULTIPLE, Threads::SERIALIZED, Threads::FUNNELED];
    levels.into_iter().find(|&level| provided >= number(level)).unwrap_or(Threads::SINGLE)
}

/// The communicators of the plug-in, and what they show of this process.
fn communicators(by_program: bool, threads: Threads) -> Result<(State, StartResult)> {
    // SAFETY: constants and handles of MPI, which is initialised; local outputs.
    unsafe {
        let mut all = ffi::RSMPI_COMM_NULL;
        called("MPI_Comm_dup", ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, &mut all))?;
        // Communicators that are derived from it inherit it.
        return_errors_of_communicator(all)?;
        let (rank, size) = place(all)?;

        let (kind, info) = (ffi::RSMPI_COMM_TYPE_SHARED, ffi::RSMPI_INFO_NULL);
        let mut host = ffi::RSMPI_COMM_NULL;
        called("MPI_Comm_split_type", ffi::MPI_Comm_split_type(all, kind, rank, info, &mut host))?;
        let (local_rank, local_size) = place(host)?;
        let leads = local_rank == 0;

        let colour = if leads { 0 } else { ffi::RSMPI_UNDEFINED };
        let mut leaders = ffi::RSMPI_COMM_NULL;
        called("MPI_Comm_split", ffi::MPI_Comm_split(all, colour, rank, &mut leaders))?;
        // Only leaders know that; they distribute it.
        let mut hosts = [0; 2];
        if leads {
            hosts = place(leaders)?.into();
        }
        let code = ffi::MPI_Bcast((&raw mut hosts).cast(), 2, ffi::RSMPI_INT32_T, 0, host);
        called("MPI_Bcast", code)?;

        let started = StartResult {
            rank: rank as u32,
            size: size as u32,
            leader: first_of(host, all)?,
            local_rank: local_rank as u32,
            local_size: local_size as u32,
            host: hosts[0] as u32,
            hosts: hosts[1] as u32,
            threads,
            by_program: by_program.into(),
        };
        let leaders = leads.then_some(leaders);
        let windows = Mutex::default();
        Ok((State { all, host, leaders, by_program, windows }, started))
    }
}

/// The rank of this process in a communicator, and its size.
fn place(communicator: MPI_Comm) -> Result<(c_int, c_int)> {
    let (mut rank, mut size) = (0, 0);
    // SAFETY: a communicator of the plug-in; a local output.
    called("MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(communicator, &mut rank) })?;
    // SAFETY: a communicator of the plug-in; a local output.
    called("MPI_Comm_size", unsafe { ffi::MPI_Comm_size(communicator, &mut size) })?;
    Ok((rank, size))
}

/// The rank that the first process of one communicator has in another.
fn first_of(part: MPI_Comm, whole: MPI_Comm) -> Result<u32> {
    let (first, mut rank) = (0, 0);
    // SAFETY: communicators of the plug-in; constants and local outputs. The groups are freed.
    unsafe {
        let (mut from, mut to) = (ffi::RSMPI_GROUP_NULL, ffi::RSMPI_GROUP_NULL);
        called("MPI_Comm_group", ffi::MPI_Comm_group(part, &mut from))?;
        called("MPI_Comm_group", ffi::MPI_Comm_group(whole, &mut to))?;
        let code = ffi::MPI_Group_translate_ranks(from, 1, &first, to, &mut rank);
        called("MPI_Group_translate_ranks", code)?;
        called("MPI_Group_free", ffi::MPI_Group_free(&mut from))?;
        called("MPI_Group_free", ffi::MPI_Group_free(&mut to))?;
    }
    Ok(rank as u32)
}
