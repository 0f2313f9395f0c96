//! The Fortran modules of PRIF, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F).
//!
//! The procedures are those that the library declares (`ffi/src/prif`). The [`module`] `prif.F90` has their interfaces, which
//! gfortran and flang compile. LFortran passes arguments in another way, so its module has procedures that pass them on
//! ([`lfortran`]).

mod declarations;
pub mod interfaces;
pub mod lfortran;
mod lines;
pub mod module;
mod own;
mod passing;

pub use interfaces::{Dummy, Interfaces, Procedure};
