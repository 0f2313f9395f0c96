//! Global communication of XcalableMP: reflect, gmove and the like, on arrays mapped by [`xmp_core::global`]. Read
//! `README.md` beside this file.

pub mod background;
pub mod copy;
pub mod exchange;
mod gmove;
mod onesided;
pub mod plan;
pub mod plans;
mod reflect;
mod storage;

pub use background::Async;
pub use gmove::{gmove, gmove_async};
pub use onesided::{Remote, gmove_in, gmove_out};
pub use plan::Width;
pub use plans::Plans;
pub use reflect::{Shape, reduce_shadow, reduce_shadow_async, reflect, reflect_async};
pub use storage::Storage;
