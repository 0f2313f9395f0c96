//! The interface between the library and an MPI plug-in: one table of C functions, and the types in it.
//!
//! `libxmprt` never links MPI. A plug-in (`libxmprt_mpi_<flavour>_<soname>.so`) is built against one MPI and exports
//! one function ([`ENTRY`]), which returns its [`Table`]. Both sides are built from these types; [`VERSION`] and the
//! size of the table identify a plug-in of another release.
//!
//! # Calls
//! - The library calls from one thread at a time, under a lock of its own, from [`Table::start`] to [`Table::finish`];
//!   the plug-in has none. Only during [`Table::communicator`] other threads call, too, where MPI permits them
//!   (MPI_THREAD_MULTIPLE). Only `start` must be called by the main thread.
//! - After a call has returned another status than [`Status::OK`], [`Table::error`] has the text; outputs are
//!   untouched.
//! - Only functions whose documentation says so wait inside MPI. All others start an operation, and the library calls
//!   [`Table::test`] until it is done.
//! - Ranks are those of MPI_COMM_WORLD, also where a [`Scope`] has fewer processes, unless stated otherwise.
#![no_std]

use core::ffi::{CStr, c_char, c_int, c_void};

/// Version of the table: any change of it is another number.
pub const VERSION: u32 = 4;

/// Name of the function that a plug-in exports.
pub const ENTRY: &CStr = c"xmp_mpi_table";

/// Type of the function that a plug-in exports. The returned table is valid as long as the plug-in is loaded.
pub type Entry = extern "C" fn() -> *const Table;

/// The status of a call.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status(pub c_int);

impl Status {
    /// The call has succeeded.
    pub const OK: Status = Status(0);
    /// MPI has refused; [`Table::error`] has the reason.
    pub const FAILED: Status = Status(1);
    /// The message was longer than the buffer of its receive.
    pub const TRUNCATED: Status = Status(2);
    /// The MPI library cannot do this at all, or not in the way that it was started.
    pub const UNSUPPORTED: Status = Status(3);
    /// The operation continues.
    pub const PENDING: Status = Status(4);
}

/// The thread level of MPI; the numbers are the same for every MPI.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Threads(pub c_int);

impl Threads {
    /// MPI_THREAD_SINGLE: there is one thread.
    pub const SINGLE: Threads = Threads(0);
    /// MPI_THREAD_FUNNELED: only the thread that has initialised MPI calls it.
    pub const FUNNELED: Threads = Threads(1);
    /// MPI_THREAD_SERIALIZED: any thread calls it, one at a time.
    pub const SERIALIZED: Threads = Threads(2);
    /// MPI_THREAD_MULTIPLE: any thread calls it.
    pub const MULTIPLE: Threads = Threads(3);
}

/// The processes of a collective operation.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope(pub c_int);

impl Scope {
    /// All of the job.
    pub const ALL: Scope = Scope(0);
    /// Those of this host.
    pub const HOST: Scope = Scope(1);
    /// The leaders of all hosts; only leaders may use it.
    pub const LEADERS: Scope = Scope(2);
}

/// An operation that was started. Opaque; not used again once [`Table::test`] has returned that it is done.
pub type Op = u64;

/// The result of [`Table::start`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartResult {
    /// Rank of this process in MPI_COMM_WORLD.
    pub rank: u32,
    /// Number of processes in MPI_COMM_WORLD.
    pub size: u32,
    /// Lowest rank among the processes that can share memory with this one: the leader of its host.
    pub leader: u32,
    /// Position of this process among those of its host, in order of rank.
    pub local_rank: u32,
    /// Number of processes of its host.
    pub local_size: u32,
    /// Position of this host among all, in order of their leaders.
    pub host: u32,
    /// Number of hosts.
    pub hosts: u32,
    /// How MPI may be called.
    pub threads: Threads,
    /// Not 0: the program had initialised MPI itself, and will finalise it.
    pub by_program: c_int,
}

/// The result of [`Table::test`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestResult {
    /// Not 0: the operation is done; the other fields are set only then.
    pub done: c_int,
    /// Rank of the sender of a received message; undefined for other operations.
    pub source: u32,
    /// Bytes of a received message; undefined for other operations.
    pub bytes: u64,
}

/// A communicator as programs know it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Communicator {
    /// The bytes of an `MPI_Comm` of C; the first `c_size` of them.
    pub c: u64,
    /// Size of an `MPI_Comm` in C, bytes.
    pub c_size: u32,
    /// The integer of Fortran.
    pub fortran: c_int,
}

/// A window: memory of other processes for one-sided access. Opaque.
pub type Window = u64;

/// The functions of a plug-in.
///
/// # Safety
/// Pointers are valid for the memory that they point to (and text for its capacity) until the call returns; those of an
/// operation until `test` has returned that it is done.
#[repr(C)]
#[derive(Debug)]
pub struct Table {
    /// [`VERSION`] of the types that the plug-in was built with.
    pub version: u32,
    /// Size of this table, bytes.
    pub size: u32,
    /// The kind of MPI: "openmpi" or "mpich", padded with zeros.
    pub flavour: [u8; 16],

    /// Writes the description of the MPI library (its version and more) to `text`; returns its length in bytes, of
    /// which those beyond `capacity` are omitted. May be called before `start`.
    pub library: unsafe extern "C" fn(text: *mut c_char, capacity: usize) -> usize,
    /// Writes the text of the last error, in the same way.
    pub error: unsafe extern "C" fn(text: *mut c_char, capacity: usize) -> usize,
    /// Writes the name of this host, in the same way.
    pub host_name: unsafe extern "C" fn(text: *mut c_char, capacity: usize) -> usize,

    /// Initialises MPI, with at least `threads` if possible, unless the program has done so, and makes private
    /// communicators whose errors return. `threads` is MULTIPLE for a program that may call MPI itself; only such a
    /// program decides what errors of MPI_COMM_WORLD do. Collective over the job; waits for it inside MPI.
    pub start: unsafe extern "C" fn(threads: Threads, started: *mut StartResult) -> Status,

    /// Starts to gather `bytes` bytes of each process of the scope in all of them, in order of their ranks.
    pub allgather: unsafe extern "C" fn(
        scope: Scope,
        mine: *const c_void,
        bytes: u64,
        all: *mut c_void,
        op: *mut Op,
    ) -> Status,
    /// Starts to copy `bytes` bytes of the process at the position `root` of the scope to all of it.
    pub broadcast: unsafe extern "C" fn(
        scope: Scope,
        root: u32,
        data: *mut c_void,
        bytes: u64,
        op: *mut Op,
    ) -> Status,
    /// Starts a barrier of the scope.
    pub barrier: unsafe extern "C" fn(scope: Scope, op: *mut Op) -> Status,

    /// Starts to send. Any number of bytes. Two messages from one process to another with one tag stay in order.
    pub send: unsafe extern "C" fn(
        to: u32,
        tag: c_int,
        data: *const c_void,
        bytes: u64,
        op: *mut Op,
    ) -> Status,
    /// Starts to receive at most `capacity` bytes from `from`, or from any process if that is negative.
    pub receive: unsafe extern "C" fn(
        from: i64,
        tag: c_int,
        data: *mut c_void,
        capacity: u64,
        op: *mut Op,
    ) -> Status,
    /// Whether an operation is done; makes progress on all others. An operation that has failed is over, too.
    pub test: unsafe extern "C" fn(op: Op, done: *mut TestResult) -> Status,
    /// Ends a receive that no message has matched; a matched message is received and dropped. An operation that MPI
    /// cannot end soon - a send, or a receive whose message does not arrive completely - continues to use its memory
    /// ([`Status::PENDING`]).
    pub cancel: unsafe extern "C" fn(op: Op) -> Status,

    /// Opens `bytes` bytes of this process at `base` (existing memory, or none) to all processes, until `finish`.
    /// Collective over the job; waits for it inside MPI.
    pub window_open:
        unsafe extern "C" fn(base: *mut c_void, bytes: u64, window: *mut Window) -> Status,
    /// Starts to put to `offset` bytes after the base of `to`'s window; done when `data` may be changed.
    pub window_put: unsafe extern "C" fn(
        window: Window,
        to: u32,
        offset: u64,
        data: *const c_void,
        bytes: u64,
        op: *mut Op,
    ) -> Status,
    /// Starts to get from `offset` bytes after the base of `from`'s window; done when the data has arrived.
    pub window_get: unsafe extern "C" fn(
        window: Window,
        from: u32,
        offset: u64,
        data: *mut c_void,
        bytes: u64,
        op: *mut Op,
    ) -> Status,
    /// Completes all puts to `to`. Waits for it inside MPI.
    pub window_flush: unsafe extern "C" fn(window: Window, to: u32) -> Status,

    /// Makes a communicator of these ranks, in this order; it lives until `finish`. Collective over them; waits for
    /// them inside MPI. Calls for different lists that may be concurrent have different tags, 0..32768. Without ranks:
    /// MPI_COMM_WORLD, at once.
    pub communicator: unsafe extern "C" fn(
        ranks: *const u32,
        count: u32,
        tag: c_int,
        communicator: *mut Communicator,
    ) -> Status,

    /// Registers `hook` to be called at the beginning of the program's MPI_Finalize, where MPI can still be used; once.
    /// For programs that have initialised MPI themselves, and will finalise it.
    pub on_finalize: unsafe extern "C" fn(hook: extern "C" fn()) -> Status,

    /// Ends all processes of the job with this status. Returns only if MPI cannot.
    pub abort: unsafe extern "C" fn(status: c_int) -> Status,
    /// Ends the use of MPI: all operations are done or cancelled. Collective over the job; waits for it inside MPI.
    /// Finalises MPI unless the program has initialised it. No function of the table may be called afterwards.
    pub finish: unsafe extern "C" fn() -> Status,
}
