//! Outcomes of calls: error codes of MPI become a status and a text.

use mpi::ffi;
use std::ffi::{c_char, c_int};
use std::sync::Mutex;
use xmp_plugin::Status;

/// A call that has failed.
#[derive(Debug)]
pub struct Failure {
    status: Status,
    text: String,
}

pub type Result<T = ()> = std::result::Result<T, Failure>;

impl Failure {
    /// A failure with a text of the plug-in.
    pub fn new(status: Status, text: impl Into<String>) -> Failure {
        Failure { status, text: text.into() }
    }

    /// The same text, for another status.
    pub fn with_status(self, status: Status) -> Failure {
        Failure { status, ..self }
    }
}

/// The text of the last failure.
static LAST: Mutex<String> = Mutex::new(String::new());

/// The status that a function of the table returns for the outcome of its body.
pub fn status(outcome: Result) -> Status {
    match outcome {
        Ok(()) => Status::OK,
        Err(failure) => {
            *LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = failure.text;
            failure.status
        }
    }
}

/// The outcome of a call of MPI, with the name of the called function.
pub fn called(name: &str, code: c_int) -> Result {
    if code == ffi::MPI_SUCCESS as c_int {
        return Ok(());
    }
    let mut class = code;
    // SAFETY: a local output.
    unsafe { ffi::MPI_Error_class(code, &mut class) };
    let status = match class as u32 {
        ffi::MPI_ERR_TRUNCATE => Status::TRUNCATED,
        _ => Status::FAILED,
    };
    let text = text(ffi::MPI_MAX_ERROR_STRING as usize, |text, len| {
        // SAFETY: room for the longest text of this MPI.
        unsafe { ffi::MPI_Error_string(code, text, len) }
    });
    Err(Failure { status, text: format!("{name}: {text}") })
}

/// A text that MPI writes.
fn text(capacity: usize, write: impl FnOnce(*mut c_char, &mut c_int) -> c_int) -> String {
    let mut bytes = vec![0_u8; capacity + 1];
    let mut len = 0;
    if write(bytes.as_mut_ptr().cast(), &mut len) != ffi::MPI_SUCCESS as c_int {
        return "unknown".into();
    }
    bytes.truncate(len as usize);
    String::from_utf8_lossy(&bytes).trim_end_matches(['\0', '\n', ' ']).into()
}

/// Copies as much of a text as there is room for; returns its whole length.
unsafe fn give(source: &str, text: *mut c_char, capacity: usize) -> usize {
    let len = source.len().min(capacity);
    // SAFETY: `text` has room for `capacity` bytes (contract of the table).
    unsafe { std::ptr::copy_nonoverlapping(source.as_ptr().cast(), text, len) };
    source.len()
}

pub unsafe extern "C" fn error(to: *mut c_char, capacity: usize) -> usize {
    let last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // SAFETY: room for `capacity` bytes (contract of the table).
    unsafe { give(&last, to, capacity) }
}

pub unsafe extern "C" fn library(to: *mut c_char, capacity: usize) -> usize {
    // SAFETY: the text has the room that MPI's constant requires.
    let source = unsafe {
        text(ffi::RSMPI_MAX_LIBRARY_VERSION_STRING as usize, |text, len| {
            ffi::MPI_Get_library_version(text, len)
        })
    };
    // SAFETY: room for `capacity` bytes (contract of the table).
    unsafe { give(&source, to, capacity) }
}

pub unsafe extern "C" fn host_name(to: *mut c_char, capacity: usize) -> usize {
    // SAFETY: the text has the room that MPI's constant requires.
    let source = unsafe {
        text(ffi::RSMPI_MAX_PROCESSOR_NAME as usize, |text, len| {
            ffi::MPI_Get_processor_name(text, len)
        })
    };
    // SAFETY: room for `capacity` bytes (contract of the table).
    unsafe { give(&source, to, capacity) }
}
