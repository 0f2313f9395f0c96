//! Global communication of XcalableMP: reflect, gmove and the other operations on arrays that [`xmp_core::global`] maps.
//! `README.md` beside this file describes them.

pub mod background;
pub mod copy;
mod entered;
pub mod exchange;
mod gmove;
pub mod library;
mod location;
mod on;
mod onesided;
mod operator;
pub mod plan;
pub mod plans;
mod reflect;
mod storage;

pub use background::{Async, AsyncId, begin, refuse_background};
pub use exchange::{Operation, check_nodes, refuse, run};
pub use gmove::prepare_gmove;
pub use location::{Extreme, Variable, reduce_with_locations};
pub use on::{root_of, set_of};
pub use onesided::{Remote, RemoteAddress, RemoteSection, gmove_in, gmove_out};
pub use operator::{Element, Operator};
pub use plan::{Shape, Width};
pub use plans::Plans;
pub use reflect::{prepare_reduce_shadow, prepare_reflect};
pub use storage::{Storage, StoredSection};
