//! The table of a plug-in, in the types of the library and with one call at a time (but for one function).

use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::{Op, Tag};
use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};
use xmp_plugin::{
    Communicator, Scope, StartResult, Status, Table, TestResult, Threads, Window as WindowNumber,
};

/// A loaded table, and the lock under which all calls are made: MPI is initialised for one thread at a time.
pub struct Serialised {
    table: Mutex<&'static Table>,
}

/// A function that writes a text.
type Text = unsafe extern "C" fn(*mut c_char, usize) -> usize;

impl fmt::Debug for Serialised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serialised").finish_non_exhaustive()
    }
}

impl Serialised {
    /// For a table that `load` has returned.
    pub fn new(table: &'static Table) -> Serialised {
        Serialised { table: Mutex::new(table) }
    }

    /// Held during one call. A thread that has panicked between two calls has left no call half done.
    fn lock(&self) -> MutexGuard<'_, &'static Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn library(&self) -> String {
        text(self.lock().library)
    }

    pub fn host_name(&self) -> String {
        text(self.lock().host_name)
    }

    pub fn start(&self, threads: Threads) -> Result<StartResult> {
        let table = self.lock();
        // SAFETY: room for the answer.
        output(&table, "MPI cannot be initialised", |started| unsafe {
            (table.start)(threads, started)
        })
    }

    /// # Safety
    /// The bytes live until the operation is done; `all` has room for those of all images of the scope.
    pub unsafe fn allgather(&self, scope: Scope, mine: &[u8], all: &mut [u8]) -> Result<Op> {
        let table = self.lock();
        let (mine, len) = (mine.as_ptr().cast(), mine.len() as u64);
        let all = all.as_mut_ptr().cast();
        // SAFETY: both live until the operation is done, and `all` has room (contract of this method).
        output(&table, "allgather", |op| unsafe { (table.allgather)(scope, mine, len, all, op) })
            .map(Op)
    }

    /// # Safety
    /// The bytes live until the operation is done.
    pub unsafe fn broadcast(&self, scope: Scope, root: u32, bytes: &mut [u8]) -> Result<Op> {
        let table = self.lock();
        let (data, len) = (bytes.as_mut_ptr().cast(), bytes.len() as u64);
        // SAFETY: the bytes live until the operation is done (contract of this method).
        output(&table, "broadcast", |op| unsafe { (table.broadcast)(scope, root, data, len, op) })
            .map(Op)
    }

    pub fn barrier(&self, scope: Scope) -> Result<Op> {
        let table = self.lock();
        // SAFETY: room for the operation.
        output(&table, "barrier", |op| unsafe { (table.barrier)(scope, op) }).map(Op)
    }

    /// # Safety
    /// The bytes stay valid and unchanged until the operation is done.
    pub unsafe fn send(&self, to: Rank, tag: Tag, bytes: *const [u8]) -> Result<Op> {
        let table = self.lock();
        let (to, tag, data, len) =
            (to.get(), c_int::from(tag.get()), bytes.cast(), bytes.len() as u64);
        // SAFETY: the bytes stay valid and unchanged until the operation is done (contract of this method).
        output(&table, "send", |op| unsafe { (table.send)(to, tag, data, len, op) }).map(Op)
    }

    /// Receives from any process for `None`.
    ///
    /// # Safety
    /// The bytes stay valid, and no other code accesses them, until the operation is done.
    pub unsafe fn receive(&self, from: Option<Rank>, tag: Tag, bytes: *mut [u8]) -> Result<Op> {
        let table = self.lock();
        let from = from.map_or(-1, |from| i64::from(from.get()));
        let (tag, data, len) = (c_int::from(tag.get()), bytes.cast(), bytes.len() as u64);
        // SAFETY: the bytes stay valid and not accessed until the operation is done (contract of this method).
        output(&table, "receive", |op| unsafe { (table.receive)(from, tag, data, len, op) }).map(Op)
    }

    /// Tests an operation; rank and number of bytes are those of a receive.
    pub fn test(&self, op: Op) -> Result<Option<(u32, u64)>> {
        let table = self.lock();
        // SAFETY: room for the answer; an operation of this table.
        let done: TestResult =
            output(&table, "communication", |done| unsafe { (table.test)(op.0, done) })?;
        Ok((done.done != 0).then_some((done.source, done.bytes)))
    }

    /// Cancels an operation; returns whether it is over.
    pub fn cancel(&self, op: Op) -> Result<bool> {
        let table = self.lock();
        // SAFETY: an operation of this table.
        match unsafe { (table.cancel)(op.0) } {
            Status::PENDING => Ok(false),
            status => outcome(&table, "cancel", status).map(|()| true),
        }
    }

    /// # Safety
    /// The memory lives until the end.
    pub unsafe fn open_window(&self, base: *mut c_void, len: usize) -> Result<WindowNumber> {
        let table = self.lock();
        // SAFETY: the memory lives until the end (contract of this method).
        output(&table, "window", |window| unsafe { (table.window_open)(base, len as u64, window) })
    }

    /// # Safety
    /// The bytes stay valid and unchanged until the operation is done; the place is in the window.
    pub unsafe fn window_put(
        &self,
        window: WindowNumber,
        to: Rank,
        offset: u64,
        bytes: *const [u8],
    ) -> Result<Op> {
        let table = self.lock();
        let (to, data, len) = (to.get(), bytes.cast(), bytes.len() as u64);
        // SAFETY: the bytes stay valid and unchanged, and the place is in the window (contract of this method).
        output(&table, "put", |op| unsafe { (table.window_put)(window, to, offset, data, len, op) })
            .map(Op)
    }

    /// # Safety
    /// The bytes stay valid, and no other code accesses them, until the operation is done; the place is in the window.
    pub unsafe fn window_get(
        &self,
        window: WindowNumber,
        from: Rank,
        offset: u64,
        bytes: *mut [u8],
    ) -> Result<Op> {
        let table = self.lock();
        let (from, data, len) = (from.get(), bytes.cast(), bytes.len() as u64);
        // SAFETY: the bytes stay valid and not accessed, and the place is in the window (contract of this method).
        output(&table, "get", |op| unsafe {
            (table.window_get)(window, from, offset, data, len, op)
        })
        .map(Op)
    }

    pub fn window_flush(&self, window: WindowNumber, to: Rank) -> Result<()> {
        let table = self.lock();
        // SAFETY: a window of this table.
        outcome(&table, "flush", unsafe { (table.window_flush)(window, to.get()) })
    }

    /// Makes a communicator. `beside`: MPI permits calls of other threads meanwhile, so they are not locked out. The
    /// images that this call waits for may need the server of this host before they call it.
    pub fn communicator(&self, ranks: &[u32], tag: u16, beside: bool) -> Result<Communicator> {
        let guard = self.lock();
        let table: &Table = *guard;
        let guard = (!beside).then_some(guard);
        // SAFETY: a list, and room for the answer.
        let made = output(table, "communicator", |made| unsafe {
            (table.communicator)(ranks.as_ptr(), ranks.len() as u32, c_int::from(tag), made)
        });
        drop(guard);
        made
    }

    pub fn on_finalize(&self, hook: extern "C" fn()) -> Result<()> {
        let table = self.lock();
        // SAFETY: a function that may be called at any time.
        outcome(&table, "MPI_COMM_SELF", unsafe { (table.on_finalize)(hook) })
    }

    /// Calls MPI_Abort. Does nothing when the lock is not free until `patience`: the caller ends, and so the job.
    pub fn abort(&self, status: c_int, patience: Instant) {
        let guard = loop {
            match self.table.try_lock() {
                Ok(guard) => break Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => break Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= patience => break None,
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
            }
        };
        if let Some(table) = guard {
            // SAFETY: no pointers.
            unsafe { (table.abort)(status) };
        }
    }

    pub fn finish(&self) -> Result<()> {
        let table = self.lock();
        // SAFETY: the last call.
        outcome(&table, "MPI cannot be finalised", unsafe { (table.finish)() })
    }
}

/// A call with an answer, which the table writes if it returns success.
fn output<T>(table: &Table, what: &str, call: impl FnOnce(*mut T) -> Status) -> Result<T> {
    let mut answer = MaybeUninit::uninit();
    let status = call(answer.as_mut_ptr());
    outcome(table, what, status)?;
    // SAFETY: written, as the status says.
    Ok(unsafe { answer.assume_init() })
}

fn outcome(table: &Table, what: &str, status: Status) -> Result<()> {
    match status {
        Status::OK => Ok(()),
        _ => Err(Error::system(what, text(table.error))),
    }
}

/// A text of the table; of a very long one, its beginning.
fn text(write: Text) -> String {
    let mut bytes = vec![0_u8; 4096];
    // SAFETY: room for as many bytes as are passed.
    let len = unsafe { write(bytes.as_mut_ptr().cast(), bytes.len()) };
    bytes.truncate(len);
    // The first line only: some libraries describe their configuration, too.
    String::from_utf8_lossy(&bytes).lines().next().unwrap_or_default().trim_end().into()
}
