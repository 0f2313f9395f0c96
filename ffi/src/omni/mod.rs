//! The Omni front end: what code calls that the Omni XcalableMP compiler generates. Read `README.md` beside this file.

mod arguments;
mod c;
mod coarray;
mod directives;
mod entry;
mod error;
mod fortran;
mod io;
mod objects;
mod start;
