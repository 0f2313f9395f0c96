//! The client of PMIx, the interface of Open MPI's launchers, `prterun` and Slurm (`srun --mpi=pmix`). Its library is
//! found and loaded at run time, because each version of a server prefers its own version of the library.
//!
//! The functions used here have the same ABI in all versions of `libpmix.so.2` from 3.0 on. Version 2.2 has shorter structures, whose
//! fields are in the same places: so no array of several is passed.

mod library;
mod types;

use super::interface::Manager;
use crate::error::{Error, Result};
use crate::failure::START_STATUS;
use crate::rank::Rank;
use crate::report::{report, until_reports_are_read};
use crate::service_thread;
use library::Library;
use std::ffi::{CStr, CString, c_int, c_void};
use std::fmt;
use std::ptr;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Instant;
use types::{Bytes, Data, Info, NAMESPACE, Process, Value};

/// The rank of the job as a whole.
const WILDCARD: u32 = 0xffff_fffe;
/// All processes may read a published value.
const GLOBAL: u8 = 3;
/// Types of values.
const UINT32: u16 = 14;
const BYTE_OBJECT: u16 = 27;

/// The client.
pub(super) struct Pmix {
    library: Library,
    me: Process,
    size: u32,
    /// Ends this process when it waits too long: the library would wait for ever.
    _limit: Sender<()>,
}

impl fmt::Debug for Pmix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pmix").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Pmix {
    /// The server that the environment leads to. The process ends if it uses the server longer than until then.
    ///
    /// # Errors
    /// When there is no library, or it reaches no server.
    pub fn open(until: Instant) -> Result<Pmix> {
        let library = Library::load()?;
        let limit = limit(until)?;
        let mut me = Process { namespace: [0; NAMESPACE], rank: 0 };
        // SAFETY: room for the answer; no facts are passed.
        let code = unsafe { (library.init)(&raw mut me, ptr::null_mut(), 0) };
        library.check("PMIx_Init", code)?;
        let mut pmix = Pmix { library, me, size: 0, _limit: limit };
        let job = Process { rank: WILDCARD, ..me };
        pmix.size = pmix.get(&job, c"pmix.job.size", |value| match value.kind {
            // SAFETY: the type says which field it has.
            UINT32 => Some(unsafe { value.data.number }),
            _ => None,
        })?;
        if me.rank >= pmix.size {
            let (rank, size) = (me.rank, pmix.size);
            return Err(Error::Invalid(format!("PMIx calls this process {rank} of {size}")));
        }
        Ok(pmix)
    }

    /// A value of a process, which `read` makes of a value of the library.
    fn get<T>(
        &self,
        of: &Process,
        key: &CStr,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T> {
        // Else a missing value is waited for.
        let optional = Info::holds(c"pmix.optional");
        let is_of_job = of.rank == WILDCARD;
        let (facts, count) = if is_of_job { (&raw const optional, 1) } else { (ptr::null(), 0) };
        let mut found: *mut Value = ptr::null_mut();
        // SAFETY: a process, a key and a fact that live until the call returns; room for the answer.
        let code = unsafe { (self.library.get)(of, key.as_ptr(), facts, count, &raw mut found) };
        self.library.check("PMIx_Get", code)?;
        // SAFETY: null, or a value that now belongs to this process.
        let value = unsafe { found.as_ref() };
        let answer = value.and_then(read);
        if let Some(value) = value {
            // SAFETY: both were allocated for the caller, who frees them; other types have no memory of their own.
            unsafe {
                if value.kind == BYTE_OBJECT {
                    libc::free(value.data.bytes.start.cast::<c_void>());
                }
                libc::free(found.cast());
            }
        }
        answer.ok_or_else(|| {
            Error::system("PMIx_Get", format!("no value of the right type for {key:?}"))
        })
    }
}

/// Ends this process if it still uses the process manager then, which is when the answer is dropped.
fn limit(until: Instant) -> Result<Sender<()>> {
    let (sender, receiver) = channel::<()>();
    let wait = move || {
        let left = until.saturating_duration_since(Instant::now());
        if let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(left) {
            report(format_args!(
                "process manager (PMIx): not all processes of the job have come in time"
            ));
            until_reports_are_read();
            // SAFETY: does not return. The library is stuck, so it cannot be asked to end the others, which have the same limit.
            unsafe { libc::_exit(START_STATUS.into()) }
        }
    };
    service_thread::start("xmp-pmix", wait)
        .map_err(|error| Error::no_process("cannot start a thread beside PMIx", error))?;
    Ok(sender)
}

fn name(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::Invalid("a name with a zero byte".into()))
}

impl Manager for Pmix {
    fn rank(&self) -> Rank {
        Rank::new(self.me.rank)
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn publish(&mut self, key: &str, bytes: &[u8]) -> Result<()> {
        let key = name(key)?;
        let bytes = Bytes { start: bytes.as_ptr().cast_mut().cast(), len: bytes.len() };
        let mut value = Value { kind: BYTE_OBJECT, data: Data { room: [0; 3] } };
        value.data.bytes = bytes;
        // SAFETY: key and value live until the calls return, which copy them.
        unsafe {
            let code = (self.library.put)(GLOBAL, key.as_ptr(), &raw mut value);
            self.library.check("PMIx_Put", code)?;
            self.library.check("PMIx_Commit", (self.library.commit)())
        }
    }

    fn meet(&mut self) -> Result<()> {
        // Includes the values that all processes have published.
        let collect = Info::holds(c"pmix.collect");
        // SAFETY: no list of processes, which means all, and a fact that lives until the call returns.
        let code = unsafe { (self.library.fence)(ptr::null(), 0, &raw const collect, 1) };
        self.library.check("PMIx_Fence", code)
    }

    fn find(&mut self, by: Rank, key: &str) -> Result<Vec<u8>> {
        let process = Process { rank: by.get(), ..self.me };
        self.get(&process, &name(key)?, |value| {
            // SAFETY: the type says which field it has: bytes that live until the value is freed.
            (value.kind == BYTE_OBJECT).then(|| unsafe {
                let Bytes { start, len } = value.data.bytes;
                std::slice::from_raw_parts(start.cast::<u8>(), len).to_vec()
            })
        })
    }

    fn finish(&mut self) -> Result<()> {
        // SAFETY: no facts are passed; the last call.
        let code = unsafe { (self.library.finalize)(ptr::null(), 0) };
        self.library.check("PMIx_Finalize", code)
    }

    fn abort(&mut self, status: i32, why: &str) {
        let why = CString::new(why).unwrap_or_default();
        // SAFETY: a text that lives until the call returns; no list of processes, which means all.
        let _: c_int = unsafe { (self.library.abort)(status, why.as_ptr(), ptr::null_mut(), 0) };
    }
}
