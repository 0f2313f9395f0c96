//! Translates programs with XcalableMP directives to the base language and calls of XMP-RT.

mod boundary;
pub mod diagnostics;
pub mod directive;
mod edits;
mod meaning;

pub mod c;
pub mod fortran;
pub mod source_file;
