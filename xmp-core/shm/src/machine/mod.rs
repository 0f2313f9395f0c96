//! The machine model: what the runtime knows of the processor, and the sizes of chunks that follow from it.
//!
//! | fact | from | decides |
//! |---|---|---|
//! | second-level cache of a core ([`Caches`]) | the system, once a job | [`chunk`], [`pipelined_chunk`] |
//! | whether images share cores | the launcher | the same |
//! | vendor, and whether its string instruction is fast | the processor, once a process | [`copy_long`] |
//! | bytes that no cache keeps until they are read | a measurement, `STREAMED` | whether a copy bypasses the caches |
//!
//! Three facts change with the pair of cores, or from one minute to the next on a virtual machine. The images measure them
//! while the job runs: how to write to lines of another core (`coll_area::stores`), how long to spin
//! (`wait::adaptive_spin`), and whether the system copies private memory faster than two copies through staging
//! (`xmp_collectives`, broadcasts and reductions).

pub mod byte_atomic;
mod caches;
mod copy;
mod long_copy;

pub use caches::{Cache, Caches};
pub use copy::copy_past_caches;
pub use long_copy::{LONG_COPY, copy_long};

/// Bytes of one staging buffer of a collective area, so the most that a chunk can have.
pub const STAGING: usize = 1 << 20;

/// The second-level cache of a core where the system does not show it: the usual size.
const USUAL_CACHE: u64 = 1 << 20;
/// The least chunk: a quarter of it still costs more than the barrier of its step.
const MIN_CHUNK: usize = 128 << 10;

/// Bytes of a chunk where a member does not work on two chunks at a time. A quarter of the second-level cache: the
/// own elements, those of another member, and the results stay there. Images that share a core clear its cache anyway, so
/// the number of barriers decides.
pub fn chunk(caches: &Caches, crowded: bool) -> usize {
    if crowded {
        return STAGING;
    }
    let quarter = caches.second_of_a_core().unwrap_or(USUAL_CACHE) / 4;
    let quarter = usize::try_from(quarter).unwrap_or(STAGING).clamp(MIN_CHUNK, STAGING);
    1 << quarter.ilog2()
}

/// The [`chunk`] of this machine. Where images share cores, its caches decide nothing and are not read.
pub fn chunk_of_this_machine(crowded: bool) -> usize {
    let caches = if crowded { Caches::default() } else { Caches::of_this_machine() };
    chunk(&caches, crowded)
}

/// Bytes of a chunk in a pipeline, where one member writes a chunk while others read the one before, on a machine with
/// this [`chunk`]. A quarter of it: two chunks in staging, and their places in private memory, then take as much of the
/// cache. Where images share cores, hardly anything overlaps, and two chunks must fit in a staging buffer.
#[inline]
pub fn pipelined_chunk(chunk: usize, crowded: bool) -> usize {
    chunk / if crowded { 2 } else { 4 }
}

#[cfg(all(test, not(loom)))]
mod tests;
