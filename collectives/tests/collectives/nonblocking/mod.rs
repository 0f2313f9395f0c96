//! Non-blocking collectives.

mod faults;
mod programs;
mod results;
