//! Dimensions of distributed arrays, and the places where the program wants numbers of them.

use std::cell::Cell;
use std::ffi::{c_int, c_ulonglong};
use xmp_core::global::Shadow;

/// A dimension.
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// First index.
    pub lower: i64,
    /// Last index.
    pub upper: i64,
    /// The alignment of the dimension.
    pub alignment: Alignment,
    /// The shadow.
    pub shadow: Shadow,
}

/// The alignment of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// Nothing: every node has it wholly.
    Nothing,
    /// A template dimension: index i with index i + offset.
    With {
        /// The template dimension, from 0.
        axis: usize,
        /// The number that is added to an index.
        offset: i64,
    },
}

impl Dim {
    /// A dimension with these bounds, not aligned, without shadow.
    pub fn new(lower: i64, upper: i64) -> Dim {
        Dim { lower, upper, alignment: Alignment::Nothing, shadow: Shadow::NONE }
    }
}

/// The places where a program in C wants the numbers that it computes addresses from. It keeps them as long as the
/// array.
#[derive(Debug)]
pub struct Notes(Vec<Note>);

/// The places of a dimension.
#[derive(Debug, Default)]
pub struct Note {
    /// The number that is subtracted from an index, or divides it.
    pub temp0: Cell<Option<&'static Cell<c_int>>>,
    /// The distance between elements, until `xmp_malloc`.
    pub stride: Cell<Option<&'static Cell<c_ulonglong>>>,
}

impl Notes {
    /// Notes of an array of `dims` dimensions, without any place.
    pub fn new(dims: usize) -> Notes {
        Notes((0..dims).map(|_| Note::default()).collect())
    }

    /// The places of a dimension.
    pub fn at(&self, dim: usize) -> &Note {
        &self.0[dim]
    }
}
