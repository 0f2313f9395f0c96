//! Global communication of XcalableMP: reflect, gmove and the like, on arrays mapped by [`xmp_core::global`]. Read
//! `README.md` beside this file.

pub mod copy;
pub mod exchange;
pub mod plan;
pub mod plans;
mod storage;

mod gmove;
mod reflect;

pub use gmove::gmove;
pub use plan::Width;
pub use plans::Plans;
pub use reflect::{Shape, reduce_shadow, reflect};
pub use storage::Storage;
