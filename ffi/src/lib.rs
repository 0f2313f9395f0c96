//! XMP-RT front ends: the C ABIs that compilers call. One shared and one static library with all of them.
//!
//! Each front end is a folder: its types, its entry functions (decode, call the runtime, encode the outcome),
//! nothing else. `process` owns the one process-wide instance of the runtime.

mod c;
mod gnu;
mod mpi;
mod omni;
mod process;
