//! Error termination of the job, and the exit status of a process.

use super::{ending, start_ending};
use crate::job::Job;
use crate::rank::Rank;
use crate::report::report;
use std::fmt::Display;

/// Exit status of error termination because of an error that an image or the runtime has found.
pub const ERROR_STATUS: i32 = 1;
/// Exit status of a process that could not become an image, as for a wrong command line.
pub const START_STATUS: u8 = 2;

/// The exit status for a code of STOP or ERROR STOP: its low byte, which is all that the system keeps, but never 0 for
/// a code that is not 0, so that a failure is not taken for a success.
pub fn exit_status(code: i32) -> u8 {
    match code as u8 {
        0 if code != 0 => 1,
        status => status,
    }
}

/// Starts error termination with this status because of what `rank`, an image of this process, has found. Writes a
/// message, unless another image was first: that one's error is the cause, this one a consequence. (`{reason:#}`: with
/// its causes, where an error type makes that difference.)
pub fn end_job(job: &Job, rank: Rank, status: i32, reason: impl Display) {
    if start_ending(job, rank, status) {
        report(format_args!("{rank}: {reason:#}"));
    }
}

/// The code that an image leaves with because the job is ending: that of the job.
pub fn ending_code(job: &Job) -> i32 {
    ending(job).map_or(ERROR_STATUS, |(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_0_is_success() {
        for (code, status) in
            [(0, 0), (7, 7), (255, 255), (256, 1), (i32::MIN, 1), (257, 1), (-1, 255)]
        {
            assert_eq!(exit_status(code), status, "{code}");
        }
    }
}
