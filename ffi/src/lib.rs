//! XMP-RT's front ends: the C ABIs that compilers and programs call. One shared and one static library hold all of
//! them.
//!
//! Each front end is a folder with its types and its entry functions (`entry`), and imports no other front end.
//! `process` owns the one instance of the runtime in a process. `gfortran_abi` has what front ends for gfortran share,
//! `global` what those with a global view do; `arch` knows the processor.

// `report` writes a message as a whole; these macros write it in pieces, which other images' messages may part.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod arch;
mod c;
pub mod entry;
pub mod gfortran_abi;
pub mod global;
mod gnu;
mod mpi;
mod prif;
pub mod process;
pub mod xmp;
