//! The meaning of directives, in whatever language the program is: each directive is checked here, and each message
//! about one is written here. The front ends for C and Fortran read programs and write statements.

pub mod alignment;
pub mod assignment;
pub mod communicate;
pub mod consequences;
pub mod declare;
pub mod iterations;
mod language;
mod layout;
mod linear;
pub mod mapping;
mod naming;
pub mod nest;
pub mod openmp;
pub mod reach;
pub mod reduction;
pub mod shape;
mod subscript;
mod target;

pub use language::Language;
pub use layout::{Dim, Layout};
pub use linear::Linear;
pub use naming::naming;
pub use subscript::{fastest_first, index_and_offset};
pub use target::Target;

/// The remedy where another statement than a synchronisation of images follows `image`.
pub const IMAGE_INDICES: &str = "image indices of coarrays follow the directive `coarray on`";

/// The name, in errors, of the call that gives an array memory.
pub const ALLOCATION: &str = "allocation of an array";
