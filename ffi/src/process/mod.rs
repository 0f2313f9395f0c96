//! The one process-wide instance of the runtime, and how the process ends.
//!
//! It comes into being with the first call of any front end - with gfortran that is the registration of a static
//! coarray in a constructor before `main`, and a C `main` may never call an initialisation at all.

mod begin;
pub mod blocks;
mod critical;
mod end;
mod forks;
mod front_end;
mod handles;
mod image_status;
mod instance;
mod mpi;
mod races;
mod run_time_library;
mod start;
mod teams;
mod waits;

pub use begin::note_static;
pub use critical::{enter_critical, leave_critical};
pub use end::{
    announce_error, die, end_ok, error_stop, fail_image, place, print_stop, recoverable,
    report_signal, run_time_error, statement_failed, stop, stop_line,
};
pub use front_end::{FrontEnd, Selector, freeing, is_of_c, register};
pub use handles::{Handles, NOTHING, is_handle};
pub use image_status::{indices_in_state, state_of};
pub use instance::{Instance, OfImage, created, current};
pub use mpi::{communicator, communicator_of_nodes, wants_mpi};
pub use races::{defined, gather, gather_for_others, has_hooks, while_library_calls_program};
pub use start::{any_thread, begin_main, enter, enter_constructor, enter_created, instance};
pub use teams::{end_team, end_team_active, numbered, teams};
pub use waits::{name_of_own_place, name_of_place};
