//! XMP/C: the calls that the translator makes of directives, and the library that users call by name.

mod align;
mod array;
mod asynchronous;
pub mod barrier;
pub mod bcast;
pub mod gmove;
pub mod inquiry;
pub mod library;
mod location;
pub mod nodes;
pub mod reduction;
pub mod reflect;
pub mod schedule;
mod shadow;
mod task;
mod template;

pub use location::Locations;
