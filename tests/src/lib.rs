//! Harness of the integration tests: real compilers, real images.
//!
//! A test in `tests/*.rs` takes a program from `fortran/` or `c/`, compiles it against an installation of XMP-RT
//! ([`toolchain`], [`program`]), runs it with `xmprun` or by itself ([`run`]), and says what it expects of the
//! [`outcome`]. Every run is watched: it has a time limit, and when it has ended no process of the job may be
//! left and nothing in `/dev/shm` ([`leaks`]).
//!
//! The programs of most chapters check themselves: they are silent and end with status 0, whatever the number
//! of images and hosts. [`matrix`] runs one under all of them.

pub mod book;
pub mod exceptions;
pub mod hosts;
pub mod imports;
pub mod leaks;
pub mod limits;
pub mod marks;
pub mod matrix;
pub mod memory;
pub mod mistakes;
pub mod mutants;
pub mod outcome;
pub mod processes;
pub mod program;
pub mod project;
pub mod python;
pub mod random;
pub mod run;
pub mod running;
mod shared_memory;
pub mod timeline;
pub mod together;
pub mod toolchain;
pub mod trace_format;
pub mod tree;

pub use outcome::Outcome;
pub use program::{Linking, Program};
pub use random::{cases, pick};
pub use run::Run;
pub use running::Running;
pub use together::together;
