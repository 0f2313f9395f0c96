//! XMP/C: the calls that the translator makes of directives, and the library that users call by name.

mod align;
mod array;
mod asynchronous;
mod barrier;
mod bcast;
mod gmove;
pub mod inquiry;
pub mod library;
mod location;
mod nodes;
mod reduction;
mod reflect;
mod schedule;
mod shadow;
mod task;
mod template;

pub use location::Locations;
