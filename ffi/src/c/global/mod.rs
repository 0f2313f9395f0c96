//! The global view of the C front end, which `include/xmprt_global.h` declares, and the other functions for translated
//! programs (`include/xmprt_translated.h`). `crate::global` has the objects; these files add handles and checks.

mod array;
mod asynchronous;
mod broadcast;
mod coarray;
mod communicate;
mod moves;
mod names;
mod nodes;
mod objects;
mod on;
mod post;
mod present;
mod range;
mod schedule;
mod task;
mod template;
mod wrong;

pub use asynchronous::async_id;
pub use broadcast::xmprt_broadcast;
pub use communicate::{needs_neutral, xmprt_neutral, xmprt_reduce};
pub use moves::{assign, section};
pub use names::keep as keep_name;
pub use objects::{
    GlobalObject, ObjectHandle, array_of, dimension, dimensions, free, give, nodes_of, object,
    template_of, xmprt_descriptor,
};
pub use on::set_on;
pub use range::{Range, picks};
pub use template::{Blocks, Extent, FormatOf, blocks_of, formats};
pub use wrong::no_int;
