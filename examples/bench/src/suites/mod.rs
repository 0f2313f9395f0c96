//! The suites. Each is a set of rows with the programs that measure them.

pub mod cluster;
pub mod coarray;
pub mod pairs;
pub mod prif;
mod programs;
mod start;
pub mod teams;
pub mod xmp;
