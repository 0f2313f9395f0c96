//! XMP/C: the calls that the translator makes of directives, and the library that users call by name.

mod align;
mod array;
mod asynchronous;
mod atomic;
pub mod barrier;
pub mod bcast;
mod coarray;
pub mod gmove;
pub mod inquiry;
pub mod library;
mod location;
mod lock;
pub mod nodes;
pub mod post;
mod procedures;
pub mod reduction;
pub mod reflect;
pub mod schedule;
mod shadow;
mod sync;
mod task;
mod template;
mod transfer;

pub use coarray::Said;
pub use location::Locations;
pub use transfer::Sections;
