//! The elements that images exchange: pure functions of the mappings, which every image evaluates for itself.

pub mod gmove;
pub mod moves;
pub mod reflect;
pub mod transfer;

pub use gmove::{ArraySection, Gmove};
pub use moves::Moves;
pub use reflect::{Reflect, Shape, Width};
pub use transfer::{Cell, CellLoop, Transfer};
