//! The start: MPI is initialised, and processes find those that they can share memory with.

use crate::outcome::{Failure, Result, called, status};
use crate::state::{self, State};
use mpi::ffi;
use mpi::ffi::MPI_Comm;
use std::ffi::c_int;
use std::ptr;
use std::sync::Mutex;
use xmp_plugin::{Started, Status, Threads};

pub unsafe extern "C" fn start(threads: Threads, started: *mut Started) -> Status {
    let attempt = || -> Result {
        require_version()?;
        let (by_program, threads) = initialise(threads)?;
        let (state, found) = communicators(by_program, threads)?;
        state::set(state)?;
        // SAFETY: the table's contract.
        unsafe { started.write(found) };
        Ok(())
    };
    status(attempt())
}

/// The library that was found at run time may be older than the one that the plug-in was built with.
fn require_version() -> Result {
    let (mut version, mut subversion) = (0, 0);
    // SAFETY: outputs; may be called before MPI is initialised.
    called("MPI_Get_version", unsafe { ffi::MPI_Get_version(&mut version, &mut subversion) })?;
    match version {
        3.. => Ok(()),
        _ => Err(Failure::new(
            Status::UNSUPPORTED,
            format!("the library has MPI {version}.{subversion}: 3.0 or newer is needed"),
        )),
    }
}

/// Whether the program has initialised MPI, and how it may be called now. By the PMPI names, for the MPI names of these
/// functions may be the library's, which has them for programs that use MPI themselves.
fn initialise(wanted: Threads) -> Result<(bool, Threads)> {
    let (mut initialised, mut finalised, mut provided) = (0, 0, 0);
    // SAFETY: outputs; both may be called at any time.
    called("MPI_Initialized", unsafe { ffi::MPI_Initialized(&mut initialised) })?;
    // SAFETY: as above.
    called("MPI_Finalized", unsafe { ffi::MPI_Finalized(&mut finalised) })?;
    if finalised != 0 {
        let text = "the program has called MPI_Finalize before it became an image";
        return Err(Failure::new(Status::FAILED, text));
    }
    if initialised != 0 {
        // SAFETY: an output; MPI is initialised.
        called("MPI_Query_thread", unsafe { ffi::MPI_Query_thread(&mut provided) })?;
    } else {
        let (none, level) = (ptr::null_mut(), number(wanted));
        // SAFETY: MPI may be given no arguments of the program; an output.
        let code = unsafe { ffi::PMPI_Init_thread(none, ptr::null_mut(), level, &mut provided) };
        called("MPI_Init_thread", code)?;
        // What MPI_Test finds in our messages goes to this communicator with MPICH. A program with MPI of its own has its
        // own mind about it.
        if wanted < Threads::MULTIPLE {
            // SAFETY: constants.
            called("MPI_Comm_set_errhandler", unsafe {
                ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_RETURN)
            })?;
        }
    }
    Ok((initialised != 0, level(provided)))
}

/// The number of a level of threads in this MPI.
fn number(threads: Threads) -> c_int {
    // SAFETY: constants.
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

/// Our communicators, and what they say of this process.
fn communicators(by_program: bool, threads: Threads) -> Result<(State, Started)> {
    // SAFETY: constants and handles of MPI, which is initialised; outputs.
    unsafe {
        let mut all = ffi::RSMPI_COMM_NULL;
        called("MPI_Comm_dup", ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, &mut all))?;
        // Those that are made of it inherit it.
        let handler = ffi::RSMPI_ERRORS_RETURN;
        called("MPI_Comm_set_errhandler", ffi::MPI_Comm_set_errhandler(all, handler))?;
        let (rank, size) = place(all)?;

        let (kind, info) = (ffi::RSMPI_COMM_TYPE_SHARED, ffi::RSMPI_INFO_NULL);
        let mut host = ffi::RSMPI_COMM_NULL;
        called("MPI_Comm_split_type", ffi::MPI_Comm_split_type(all, kind, rank, info, &mut host))?;
        let (local_rank, local_size) = place(host)?;
        let leads = local_rank == 0;

        let colour = if leads { 0 } else { ffi::RSMPI_UNDEFINED };
        let mut leaders = ffi::RSMPI_COMM_NULL;
        called("MPI_Comm_split", ffi::MPI_Comm_split(all, colour, rank, &mut leaders))?;
        // Only leaders know that, and tell the others.
        let mut hosts = [0; 2];
        if leads {
            hosts = place(leaders)?.into();
        }
        let code = ffi::MPI_Bcast((&raw mut hosts).cast(), 2, ffi::RSMPI_INT32_T, 0, host);
        called("MPI_Bcast", code)?;

        let started = Started {
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
    // SAFETY: a communicator of ours; outputs.
    called("MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(communicator, &mut rank) })?;
    // SAFETY: as above.
    called("MPI_Comm_size", unsafe { ffi::MPI_Comm_size(communicator, &mut size) })?;
    Ok((rank, size))
}

/// The rank that the first process of one communicator has in another.
fn first_of(part: MPI_Comm, whole: MPI_Comm) -> Result<u32> {
    let (first, mut rank) = (0, 0);
    // SAFETY: communicators of ours; constants and outputs. The groups are freed.
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
