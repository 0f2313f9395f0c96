//! Errors in statements of the program.

use crate::c::global::no_int;
use crate::c::outcome::fail;
use crate::entry::{decode, entries};
use std::ffi::{c_char, c_int};

fn text(of: &[u8]) -> String {
    String::from_utf8_lossy(of).into_owned()
}

entries! {
    /// Ends the job because of the last error, in a statement in a line of a file; `what` describes the statement.
    pub fn xmprt_fortran_fail_(
        what: *const c_char, file: *const c_char, line: &c_int, what_len: usize, file_len: usize,
    )
    where what = decode::characters(what, what_len), file = decode::characters(file, file_len)
    {
        fail(&text(what), Some(format!("{}:{line}", text(file))))
    }

    /// Returns the value of an operand `what` of a directive if it is a default integer, else ends the job.
    pub fn xmprt_fortran_int_(
        what: *const c_char, value: &i64, file: *const c_char, line: &c_int, what_len: usize, file_len: usize,
    ) -> c_int
    where what = decode::characters(what, what_len), file = decode::characters(file, file_len)
    {
        c_int::try_from(*value).unwrap_or_else(|_| no_int(&text(what), *value, format!("{}:{line}", text(file))))
    }
}
