//! The front end for PRIF 0.8, the Parallel Runtime Interface for Fortran: what LLVM flang calls, and the module `prif`
//! of `share/xmprt/prif.F90` for programs and compilers that use that. (doi 10.25344/S4Z88F)
//!
//! [`table`] says how a procedure is declared: once, for all callers. Image indices of procedures that access an image
//! count in the initial team, those of collective subroutines and SYNC IMAGES in the current one.

mod agreement;
mod allocatable_components;
mod arrays;
mod atomics;
mod coarray;
mod coarrays;
mod cobounds;
mod collectives;
mod contiguous;
mod derived_type;
mod dummies;
mod events;
mod handle;
mod images;
mod inquiry;
mod lfortran;
mod locks;
#[cfg(test)]
mod module;
mod outcome;
mod place;
mod startup;
mod static_coarrays;
mod storage;
mod strided;
mod sync;
mod table;
mod team_variable;
mod teams;
