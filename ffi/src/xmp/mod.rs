//! The procedures of XcalableMP that programs call by name. Read `README.md` beside this file.

pub mod arguments;
pub mod entry;
pub mod error;
mod images;
pub mod inquiry;
mod io;
pub mod memory;
mod post;
mod procedures;
mod start;
mod sync;
