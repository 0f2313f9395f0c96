//! The Fortran modules of PRIF, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F).
//!
//! `prif.F90` has the interfaces of the procedures of libxmprt, which gfortran and flang compile. LFortran passes arguments
//! in another way, so its module has procedures that pass them on; [`lfortran`] makes it of these interfaces.

pub mod interfaces;
pub mod lfortran;
mod lines;
mod own;
mod passing;

pub use interfaces::{Dummy, Interfaces, Procedure};
