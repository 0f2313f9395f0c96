//! The front end for gfortran: what `-fcoarray=lib` calls.

mod accessor;
mod allocation;
mod atomic;
mod coindexed_checks;
mod collective;
mod component;
mod debug;
mod designator;
mod dynamic_type;
mod event;
mod exceptions;
mod fast_path;
mod image_status;
mod in_teams;
mod lock;
mod moved;
mod named_component;
mod named_memory;
mod parallel;
mod program;
mod random;
mod reference;
mod register;
mod reshaped;
mod shape;
mod stack;
mod sync;
mod team;
mod token;
mod transfer;
mod types;
mod variable_location;
mod variables;
mod version;
mod weak;

use crate::process::{self, FrontEnd};
use accessor::remote;
use xmp_core::language::Language;

/// What the process calls when the image starts, before a team is left, and after blocks were freed.
static FRONT_END: FrontEnd = FrontEnd {
    start: remote::register,
    leaving: in_teams::leaving,
    released: in_teams::released,
    ending: moved::compare_at_end,
    name_of: named_memory::name_of,
    start_of: named_memory::start_of,
    language: Language::Fortran,
    ..FrontEnd::IDLE
};

/// Registers this front end: at the start of `main`, before the program's first coarray, and before its first accessor.
fn register() {
    if let Err(error) = process::register(&FRONT_END) {
        process::run_time_error("program start", &error);
    }
}
