//! The C front end: what `include/xmprt.h` and `include/xmprt_global.h` declare, for C programs and for C parts of
//! programs in other languages.
//!
//! The names start with `xmprt_`: those that start with `xmp_` are XcalableMP's.

mod argument;
mod collective;
mod end;
mod global;
mod memory;
mod mpi;
mod outcome;
mod request;
mod team;
mod transfer;
mod types;

use crate::process::{FrontEnd, Instance};
use std::ops::Range;
use xmp_core::Result;

/// What this front end remembers of one image from call to call.
#[derive(Debug, Default)]
pub struct State {
    blocks: memory::Blocks,
    requests: request::Requests,
    global: global::State,
}

/// What this front end does at events of the job.
static FRONT_END: FrontEnd = FrontEnd { released, ..FrontEnd::IDLE };

/// A team or the set of a task was left, and with it these blocks were freed: they are forgotten.
fn released(instance: &Instance, blocks: &[Range<u64>]) -> Result<()> {
    instance.c.blocks.released(instance, blocks);
    Ok(())
}
