//! Non-blocking collectives.

mod faults;
mod parts;
mod programs;
mod results;
mod scans;
