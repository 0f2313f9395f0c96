//! The Omni front end: what code calls that the Omni XcalableMP compiler generates. Read `README.md` beside this file.

mod argument_mapping;
mod arguments;
mod c;
mod coarray;
mod directives;
mod entry;
mod error;
mod executing;
mod fast_reduction;
mod fortran;
mod io;
mod objects;
mod references;
mod start;
