//! The global view of the C front end, which `include/xmprt_global.h` declares. `xmp_core::global` has the mappings and
//! `xmp_collectives::global` the operations; these files add handles and checks.

mod array;
mod asynchronous;
mod distributed;
mod moves;
mod nodes;
mod objects;
mod on;
mod onesided;
mod range;
mod schedule;
mod task;
mod template;
