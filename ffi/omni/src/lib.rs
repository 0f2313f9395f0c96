//! The functions that code of the Omni XcalableMP compiler calls, in `libxmprt_omni.so`, which is libxmprt with these calls. Read
//! `README.md` beside this crate.
//!
//! The crate uses the front ends' common parts of `xmp_ffi`; nothing uses this crate.

// `report` writes a message as a whole; these macros write it in pieces, which other images' messages may part.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod alone;
mod c;
mod coarray;
mod directives;
mod fortran;
mod objects;
