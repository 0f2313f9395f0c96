//! The MPI plug-in: [`xmp_plugin::Table`] for one MPI, through the FFI of the `mpi` crate.
//!
//! The library keeps the contract of the table: one call at a time, and valid pointers. All `unsafe` below rests on
//! that, and on this: handles come from MPI, and are used between `start` and `finish` only.
//!
//! | subject | module |
//! |---|---|
//! | initialisation of MPI, and the processes of a host | [`start`] |
//! | messages, and the end of every operation | [`message`] |
//! | collective operations at the start and at the end | [`collective`] |
//! | yields of MPI itself | [`yields`] |
//! | memory of other processes | [`window`] |
//! | communicators for programs | [`communicator`] |
//! | the end | [`finish`] |
//! | texts of errors, and that MPI returns them | [`outcome`], [`handler`] |

mod collective;
mod communicator;
mod extent;
mod finish;
mod handler;
mod message;
mod outcome;
mod start;
mod state;
mod window;
mod yields;

use xmp_plugin::{Table, VERSION};

/// The name of the family of MPI or of the standard ABI, padded with zeros.
const FLAVOUR: [u8; 16] = {
    let (name, mut padded) = (env!("XMP_MPI_FLAVOUR").as_bytes(), [0; 16]);
    padded.split_at_mut(name.len()).0.copy_from_slice(name);
    padded
};

static TABLE: Table = Table {
    version: VERSION,
    size: size_of::<Table>() as u32,
    flavour: FLAVOUR,
    library: outcome::library,
    error: outcome::error,
    host_name: outcome::host_name,
    start: start::start,
    allgather: collective::allgather,
    broadcast: collective::broadcast,
    barrier: collective::barrier,
    send: message::send,
    receive: message::receive,
    test: message::test,
    cancel: message::cancel,
    window_open: window::open,
    window_put: window::put,
    window_get: window::get,
    window_flush: window::flush,
    communicator: communicator::communicator,
    on_finalize: finish::on_finalize,
    abort: finish::abort,
    finish: finish::finish,
};

/// The function that the library searches: [`xmp_plugin::ENTRY`].
#[unsafe(no_mangle)]
pub extern "C" fn xmp_mpi_table() -> *const Table {
    &TABLE
}
