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
//! | who am I, `sync`, `co_sum` and the like | [`Statements`], methods of an [`Image`](xmp_core::Image); [`Exchanges`], [`Scans`], [`Background`] |
//! | one waits for another | [`Event`], [`Lock`] |
//! | arrays that are spread over images | [`global`] |
//! | some images on their own: task regions, teams | [`Regions`], methods of an image, too |
//!
//! Images are counted from 1 among those that execute, elements from 0. Everything above is safe but for
//! [`Coarray::local`] and [`Coarray::local_mut`]; what orders accesses of different images is said at [`Coarray`].
//!
//! # For front ends
//! What the front ends of compilers use lies below that: [`Block`]s of a segment with a [`registry`], their
//! collective [`allocation`], transfers that are planned from any two array sections ([`plan`], [`mod@transfer`]) with
//! conversion of types ([`convert`]), and the functions [`sync_all`] to [`sync_memory`], [`atomic`], [`lock`] and [`event`] on [`Location`]s.

pub mod allocation;
pub mod atomic;
mod block;
pub mod convert;
pub mod event;
pub mod global;
pub mod lock;
pub mod objects;
pub mod plan;
pub mod post;
pub mod prelude;
mod program;
pub mod races;
pub mod registry;
pub mod same_statement;
mod sync;
pub mod transfer;
mod typed;

pub use block::{Block, Location};
pub use bytemuck;
pub use program::{run, run_on_threads};
pub use sync::{sync_all, sync_all_active, sync_images, sync_images_all, sync_memory, sync_stores};
pub use typed::{
    AtomicCoarray, AtomicInteger, Background, Coarray, Coindex, Event, Exchanges, Lock, LockGuard,
    OnTeam, Operand, Regions, Scans, Section, Sibling, Statements,
};

/// Compiles the program of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
