//! The C front end: the functions of `include/xmprt.h` and `include/xmprt_global.h`, for C programs and for C parts of
//! programs in other languages.
//!
//! The names start with `xmprt_`: those that start with `xmp_` are XcalableMP's.

mod argument;
mod atomic;
mod collective;
mod fortran;
mod global;
mod images;
mod job;
mod memory;
mod outcome;
mod refused_place;
mod request;
mod section;
mod shared;
mod signal;
mod team;
mod team_handle;
mod transfer;
mod types;
mod values;
mod version;
