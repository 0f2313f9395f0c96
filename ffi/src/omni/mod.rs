//! The Omni front end: what code calls that the Omni XcalableMP compiler generates. Read `README.md` beside this file.

mod arguments;
mod c;
mod coarray;
mod error;
mod executing;
mod fortran;
mod objects;
mod placed;
mod references;
mod short;
mod start;
mod state;
mod transform;

pub use state::State;
