//! Races (`XMP_CHECK=races`): accesses to coarrays that conflict and that nothing orders (Fortran 2018, 11.6.2).
//!
//! Vector clocks represent the order (Lamport 1978; Fidge 1988; Mattern 1989). An image numbers its segments (Fortran
//! 2018, 11.6.2) in which it accesses coarrays. Its *clock* has a number for each image: segments up to that number are
//! ordered before the current segment of this image. An image control statement sends the clock to the images that it
//! orders after this one, and merges the received clocks into it:
//!
//! | statement | clocks go |
//! |---|---|
//! | SYNC ALL, SYNC TEAM, SYNC IMAGES, FORM, CHANGE and END TEAM, ALLOCATE, DEALLOCATE | from each image to each other one, as messages ([`Races::announce`], [`Races::meet`]) |
//! | barriers that are begun | from each image to each other one, by the messages of the barrier ([`Races::end_segment`], [`Races::order_after`]) |
//! | LOCK and UNLOCK, CRITICAL | by the clock of the variable ([`Races::release`], [`Races::acquire`]) |
//! | EVENT POST and WAIT | by the clock of the post, where one image posts the event ([`Races::post`], [`Races::take_posts`]); else by the clock of the variable |
//! | atomic subroutines between two SYNC MEMORY | by the clock of the variable ([`Races::before_atomic`], [`Races::after_atomic`]); a clock that was read counts from the next SYNC MEMORY on |
//!
//! Collective subroutines are no image control statements, and order nothing. Those in the background access their arguments from
//! their beginning to their completion (`begun.rs`).
//!
//! The *shadow memory* of an image's memory remembers the last accesses to each granule of 8 bytes (`slots.rs`, `owner.rs`).
//! The image that accesses a coarray enters its access there, and looks for one that conflicts and that its clock has not
//! reached. All memory of this is at the end of the memory of images (`layout.rs`), bounded, sparse, and missing where races are
//! not looked for.
//!
//! Loads and stores of the program itself are entered late: the caller of `Races::access` holds them back, and enters
//! them before the clock of this image changes (`Races::set_flush`). No race is missed by that: of two accesses the
//! image that enters its own later finds the other one. No race is invented: within a segment the clock does not
//! change.

mod access;
mod allocated;
mod begun;
mod bytes;
mod clock;
mod delays;
mod detector;
mod every_host;
mod found;
mod job_table;
mod layout;
#[cfg(all(test, loom))]
mod model;
mod operations;
mod order;
mod others;
mod owner;
mod posts;
mod program;
pub mod recorded;
mod remote;
mod shadow;
mod sites;
mod slots;
mod statements;
mod table;
#[cfg(all(test, not(loom)))]
mod tests;

pub use access::Kind;
pub use allocated::{AllocatedBlocks, AllocatedPart};
pub use begun::BegunOperation;
pub use bytes::Bytes;
pub use detector::Detector;
pub use every_host::Races;
pub use found::{Begun, Race, RaceAccess};
pub use job_table::{leave_in_error, take_summary_left};
pub use remote::register;
pub use sites::Site;
pub use table::{Entry, WholeTable};
