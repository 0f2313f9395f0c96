//! Which algorithm: what `XMP_COLL` forces, else what was measured to be best (README.md).
//!
//! To add an algorithm: a file, a variant with its name in `names`, an arm where it is executed. The tests that
//! compare all algorithms find it by themselves.

mod forced;
mod leaders;
mod moving;
mod names;
mod scan;
mod shape;
pub mod table;

pub use forced::{Choices, Forced};
pub use leaders::{Between, spans_regions};
pub use names::*;
pub use shape::{Choice, Shape};
