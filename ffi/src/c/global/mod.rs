//! The global view of the C front end: what `include/xmprt_global.h` declares. The mappings are those of
//! `xmp_core::global`, the operations those of `xmp_collectives::global`; here are handles and checks.

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
