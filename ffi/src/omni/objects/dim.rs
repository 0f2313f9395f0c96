//! Dimensions of distributed arrays.

use xmp_core::global::Shadow;

/// A dimension.
#[derive(Clone, Copy, Debug)]
pub struct Dim {
    /// First index.
    pub lower: i64,
    /// Last index.
    pub upper: i64,
    /// What it is aligned with.
    pub alignment: Alignment,
    /// The shadow.
    pub shadow: Shadow,
}

/// What a dimension is aligned with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// Nothing: every node has it wholly.
    Nothing,
    /// A template dimension: index i with index i + offset.
    With {
        /// The template dimension, from 0.
        axis: usize,
        /// What is added to an index.
        offset: i64,
    },
}

impl Dim {
    /// A dimension with these bounds, not aligned, without shadow.
    pub fn new(lower: i64, upper: i64) -> Dim {
        Dim { lower, upper, alignment: Alignment::Nothing, shadow: Shadow::NONE }
    }
}
