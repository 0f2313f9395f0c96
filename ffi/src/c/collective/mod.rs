//! Collective operations on a team. Each one is two functions: one returns when the operation is complete, the other begins it.

mod buffers;
mod entry;
mod located;
mod moves;
mod reduction;
