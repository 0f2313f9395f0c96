//! Where programs in C want to have numbers that they compute addresses from.

use std::cell::Cell;
use std::ffi::{c_int, c_ulonglong};

/// The places of an array. The program keeps them as long as the array.
#[derive(Debug)]
pub struct Notes(Vec<Note>);

/// The places of a dimension.
#[derive(Debug, Default)]
pub struct Note {
    /// What is subtracted from an index, or divides it.
    pub temp0: Cell<Option<&'static Cell<c_int>>>,
    /// The distance between elements, until `xmp_malloc`.
    pub stride: Cell<Option<&'static Cell<c_ulonglong>>>,
}

impl Notes {
    /// Of so many dimensions, without any place.
    pub fn new(dims: usize) -> Notes {
        Notes((0..dims).map(|_| Note::default()).collect())
    }

    /// Of a dimension that there is.
    pub fn at(&self, dim: usize) -> &Note {
        &self.0[dim]
    }
}
