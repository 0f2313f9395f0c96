//! Coarrays: memory that images share, and the statements that access and order it.

pub mod atomic;
pub mod convert;
pub mod event;
pub mod location;
pub mod lock;
pub mod plan;
mod sync;

pub use location::Location;
pub use sync::{sync_all, sync_images, sync_images_all, sync_memory};
