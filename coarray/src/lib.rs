//! Coarrays: memory that images share, and the statements that access and order it.

pub mod atomic;
mod block;
pub mod convert;
pub mod event;
mod location;
pub mod lock;
pub mod plan;
pub mod registry;
mod sync;
pub mod transfer;

pub use block::Block;
pub use location::Location;
pub use sync::{sync_all, sync_images, sync_images_all, sync_memory};
