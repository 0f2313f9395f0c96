//! Image sets: ordered lists of images, and the stack of executing ones.
//!
//! A set is immutable and shared by reference count. Sets given by a formula cost nothing to make and to enter: no
//! communication, no synchronisation. Their shared memory is found when a collective first needs it ([`Levels`]).

mod cache;
mod levels;
mod set;
mod stack;
mod translation;

pub use crate::image_group::{ImageGroup, Split};
pub use crate::members::{Key, Members, by_rank};
pub use cache::SetCache;
pub use levels::Levels;
pub use set::ImageSet;
pub use stack::{Frame, Stack};
pub use translation::Segments;
