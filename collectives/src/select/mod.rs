//! The choice of algorithms: those that `XMP_COLL` forces, otherwise those that were measured to be best (`README.md`
//! of this crate).

mod forced;
mod leaders;
mod moving;
mod names;
pub(crate) mod near;
mod shape;
pub mod table;

pub use forced::{Choices, Forced};
pub use leaders::{Between, has_separate_hosts};
pub use moving::between_all;
pub use names::*;
pub use shape::{Choice, Shape};
