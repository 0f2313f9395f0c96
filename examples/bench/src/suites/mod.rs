//! The suites. Each is a set of rows with the programs that measure them.

pub mod coarray;
pub mod teams;
