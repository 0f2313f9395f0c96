//! Where programs in C want to have numbers that they compute addresses from.

use std::cell::Cell;
use std::ffi::{c_int, c_ulonglong};
use std::ptr;

/// The places of an array.
#[derive(Debug)]
pub struct Notes(Vec<Note>);

/// Those of a dimension; null where nothing is wanted.
#[derive(Debug)]
pub struct Note {
    /// What is subtracted from an index, or divides it.
    pub temp0: Cell<*mut c_int>,
    /// The distance between elements, until `xmp_malloc`.
    pub stride: Cell<*mut c_ulonglong>,
}

impl Notes {
    /// Of so many dimensions, nothing wanted.
    pub fn new(dims: usize) -> Notes {
        let note =
            || Note { temp0: Cell::new(ptr::null_mut()), stride: Cell::new(ptr::null_mut()) };
        Notes((0..dims).map(|_| note()).collect())
    }

    /// Of a dimension that there is.
    pub fn at(&self, dim: usize) -> &Note {
        &self.0[dim]
    }
}
