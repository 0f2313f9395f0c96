//! Coindexed assignment and reference for gfortran 12 to 14. (GNU-LIBCAF section 7)
//!
//! They enter through [`super::fast_path`]. What that leaves to the [`slow_path`] becomes a plan of two sections
//! ([`section`]), which is carried out with a conversion if the types differ ([`assign`]). Sections that leave a dimension are
//! errors where the call tells of it ([`dimensions`]).

mod assign;
mod dimensions;
mod section;
pub mod slow_path;

pub use assign::{Limits, Resolved, assign, block_of_both, conversion_of_scalars};
pub use dimensions::out_of_bounds;
pub use section::{Section, count};
