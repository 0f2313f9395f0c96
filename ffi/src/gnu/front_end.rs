//! The functions that the process calls for this front end: when the image starts, before a team is left, and after
//! blocks were freed.

use super::accessor::remote;
use super::in_teams;
use crate::process::{self, FrontEnd};

static FRONT_END: FrontEnd =
    FrontEnd { start: remote::register, leaving: in_teams::leaving, released: in_teams::released };

/// Registers this front end: before the program's first coarray, and before its first accessor.
pub fn register() {
    if let Err(error) = process::register(&FRONT_END) {
        process::run_time_error("program start", &error);
    }
}
