//! Translates programs with XcalableMP directives to the base language and calls of XMP-RT.

pub mod diagnostics;
pub mod directive;
mod edits;

pub mod c;
pub mod fortran;
mod source_file;

pub use source_file::without_mark;
