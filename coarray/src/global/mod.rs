//! The global view of XcalableMP for Rust programs: arrays that are spread over images and are one array.
//!
//! ```
//! use xmp_coarray::global::{Format, GlobalView, Pick, gmove};
//! use xmp_coarray::prelude::*;
//!
//! run_on_threads(4, |image| {
//!     // A field of 12 by 10 points on a grid of 2 by 2 images, with a border of one point around each part.
//!     let nodes = image.nodes([2, 2])?;
//!     let field = image.template(&nodes, [12, 10], [Format::Block, Format::Block])?;
//!     let mut t = image.array_with_shadow::<f64, 2>(&field, [1, 1])?;
//!     t.fill(|[i, j]| (10 * i + j) as f64);
//!     t.reflect()?;
//!     for [i, j] in t.loop_on([1..11, 1..9]) {
//!         let sum = t[[i - 1, j]] + t[[i + 1, j]] + t[[i, j - 1]] + t[[i, j + 1]];
//!         assert_eq!(sum, 4.0 * t[[i, j]]);
//!     }
//!     // The same field by rows, dealt out in turn.
//!     let rows = image.template(&image.nodes([4])?, [12, 10], [Format::Cyclic, Format::Collapsed])?;
//!     let mut by_rows = image.array::<f64, 2>(&rows)?;
//!     gmove(by_rows.section_mut([Pick::All, Pick::All])?, t.section([Pick::All, Pick::All])?)?;
//!     for [i, j] in by_rows.loop_on([0..12, 0..10]) {
//!         assert_eq!(by_rows[[i, j]], (10 * i + j) as f64);
//!     }
//!     Ok(())
//! })?;
//! # Ok::<(), Error>(())
//! ```
//!
//! Indices count from 0, the last dimension is contiguous. What is read or written without communication - the
//! part of this image and its shadow - is an `ndarray` view, too, with the feature `ndarray` of this crate. How arrays are mapped is said at
//! [`xmp_core::global`].

mod array;
mod indices;
mod section;
mod view;

pub use array::DistArray;
pub use indices::Indices;
pub use section::{SectionMut, SectionRef, gmove};
pub use view::GlobalView;
pub use xmp_collectives::global::Width;
pub use xmp_core::global::{Format, Nodes, Pick, Progression, Subscript, Template};
