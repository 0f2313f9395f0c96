//! The C door: what `include/xmprt.h` declares, for C programs and for C parts of programs in other languages.
//!
//! The names start with `xmprt_`: those that start with `xmp_` are XcalableMP's.

mod collective;
mod end;
mod memory;
mod outcome;
mod team;
mod transfer;

pub use memory::Blocks;
