//! Translates programs with XcalableMP directives to the base language and calls of XMP-RT.

pub mod diagnostics;
pub mod directive;
mod edits;
mod meaning;

pub mod c;
pub mod fortran;
pub mod source_file;
