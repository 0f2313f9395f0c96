//! Coarrays: memory that images share, and the statements that access and order it.
//!
//! A program runs as several *images*. Each has its own variables; a *coarray* is a variable that every image has and
//! that all images can access. This is a first program:
//!
//! ```no_run
//! use std::process::ExitCode;
//! use xmp_coarray::prelude::*;
//!
//! fn main() -> ExitCode {
//!     run(greet)
//! }
//!
//! fn greet(image: &Image) -> Result<()> {
//!     let (me, images) = (image.this_image(), image.num_images());
//!     // One number on every image; every image writes its own on image 1, which has room for all.
//!     let ages = Coarray::new(image, images)?;
//!     ages.put_one(1, me - 1, 20 + 3 * me)?;
//!     image.sync_all()?;
//!     if me == 1 {
//!         println!("{images} images, {:?} years old", ages.read_vec(..)?);
//!     }
//!     // What all contribute to, all get.
//!     let mut total = 20 + 3 * me;
//!     image.co_sum(&mut total)?;
//!     println!("image {me}: {total} years together");
//!     ages.free()
//! }
//! ```
//!
//! `xmprun -n 4 program` runs it as four images; without `xmprun` it is one, or with `XMP_NUM_IMAGES=4` in the
//! environment starts itself as four. An error that an image returns ends all of them, with a message that names the
//! image ([`run`]). In tests, [`run_on_threads`] runs the same function on threads.
//!
//! | to find | open |
//! |---|---|
//! | data that all can access | [`Coarray`], [`Section`]; [`AtomicCoarray`] |
//! | who am I, `sync`, `co_sum` and the like | [`Statements`], methods of an [`Image`]; [`Exchanges`], [`Scans`], [`Background`] |
//! | one waits for another | [`Event`], [`Lock`] |
//! | arrays that are spread over images | [`global`] |
//! | some images on their own: task regions, teams | [`Regions`], methods of an image, too |
//!
//! Images are counted from 1 among those that execute, elements from 0. Everything above is safe but for
//! [`Coarray::local`] and [`Coarray::local_mut`]; what orders accesses of different images is said at [`Coarray`].

mod allocation;
mod atomic;
mod block;
mod convert;
mod event;
#[doc(hidden)]
pub mod front_end;
pub mod global;
mod lock;
mod plan;
mod post;
pub mod prelude;
mod program;
mod races;
mod racing_transfer;
mod registry;
mod same_statement;
mod signal;
mod static_coarrays;
mod sync;
mod transfer;
mod typed;

use block::{Block, Location};
use sync::{sync_all, sync_images, sync_images_all, sync_memory};

pub use bytemuck::{self, Pod, Zeroable};
pub use program::{run, run_on_threads};
pub use typed::{
    AtomicCoarray, AtomicInteger, AtomicNumber, Background, Coarray, Coindex, Event, Exchanges,
    Lock, LockGuard, OnTeam, Operand, Regions, Scans, Section, Sibling, Statements,
};
pub use xmp_collectives::nonblocking::Handle;
pub use xmp_collectives::{Number, Op, Parts};
pub use xmp_core::error::{Error, ErrorKind, Result, SystemError};
pub use xmp_core::{Image, Rank, Triplet};
pub use xmp_teams::{Selection, Team};

/// Compiles the programs of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Other crates cannot implement what names an image: it could name one that does not exist.
///
/// ```compile_fail
/// struct Beyond;
///
/// impl xmp_coarray::Coindex for Beyond {}
/// ```
#[cfg(doctest)]
struct Sealed;
