//! Errors in statements of the program.

use crate::c::outcome::fail;
use crate::entry::{decode, entries};
use std::ffi::{c_char, c_int};

entries! {
    /// Ends the job because of the last error, in a statement in a line of a file; `what` describes the statement.
    pub fn xmprt_fortran_fail_(
        what: *const c_char, file: *const c_char, line: &c_int, what_len: usize, file_len: usize,
    )
    where what = decode::characters(what, what_len), file = decode::characters(file, file_len)
    {
        let text = |of: &[u8]| String::from_utf8_lossy(of).into_owned();
        fail(&text(what), Some(format!("{}:{line}", text(file))))
    }
}
