//! XMP/C: entry functions of directives and procedures that only C has, or has in another way than Fortran.

mod align;
mod array;
mod atomic;
mod coarray;
mod lock;
mod nodes;
mod reference;
mod shadow;
mod task;
mod template;
mod transfer;

pub use nodes::{entire, executing, numbered, size};
pub use reference::part_of;
