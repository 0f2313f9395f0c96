//! The data of the program of this process that reports of races need.

use super::report::Report;
use crate::image::Image;
use crate::process::Exit;
use crate::rank::Rank;
use std::sync::OnceLock;

/// Whether the name of an object says on which image it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// `x(3)[2]`.
    Image,
    /// `x(3)`, on this image.
    None,
}

/// What the reports need of the program of this process.
#[derive(Debug)]
pub struct Program {
    /// Its image, and how it leaves the job.
    pub member: fn() -> Option<(&'static Image, &'static Exit)>,
    /// Where the variable begins that has this byte of the memory of an image: the same offset on all of them.
    pub start_of: fn(u64) -> Option<u64>,
    /// The element of a variable that has this byte of the memory of an image, in the words of the source.
    pub name_of: fn(Rank, u64, Selector) -> Option<String>,
    /// This process ends: from now on no load or store of the program is entered.
    pub leave: fn(),
    /// Ends the job in error with a report.
    pub end_with: fn(Report) -> !,
}

/// The program of this process, once races are looked for.
pub(super) static PROGRAM: OnceLock<&'static Program> = OnceLock::new();

/// From now on no load or store of the program is entered.
pub(super) fn leave() {
    if let Some(program) = PROGRAM.get() {
        (program.leave)();
    }
}
