//! The collectives on jobs of many shapes, as threads.

mod allgather;
mod alltoall;
mod broadcast;
mod check;
mod chunks;
mod common;
mod ending;
mod faults;
mod gather;
mod global;
mod grouped;
mod nonblocking;
mod random;
mod reduce;
mod reduce_scatter;
mod roots;
mod scan;
mod scatter;
mod select;
mod single_copy;
mod stopped;
mod survivors;
mod techniques;
mod without_area;
