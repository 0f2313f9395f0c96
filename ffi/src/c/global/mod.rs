//! The global view of the C front end, which `include/xmprt_global.h` declares, and what else translated programs call
//! (`include/xmprt_translated.h`). `crate::global` has the objects; these files add handles and checks.

mod array;
mod asynchronous;
mod broadcast;
mod coarray;
mod communicate;
mod moves;
mod nodes;
mod objects;
mod on;
mod post;
mod range;
mod schedule;
mod task;
mod template;
mod wrong;
