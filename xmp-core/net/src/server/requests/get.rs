//! Gets: contiguous bytes are sent from where they are; the bytes of nests and runs are packed by the server, so that
//! they travel as one message.

use super::Outcome;
use crate::error::Result;
use crate::machine::byte_atomic;
use crate::rank::Rank;
use crate::server::local_host::{LocalHost, check_most};
use crate::server::sections::{MemorySide, pack};
use crate::server::wire::{Grid, RemoteLayout, Runs};
use crate::sync::Ordering;

/// Gets bytes out of the segment of the target.
///
/// # Errors
/// When they are not there, or are more than one message takes.
pub fn get(host: &LocalHost, target: Rank, from: RemoteLayout<'_>) -> Result<Outcome> {
    match from {
        RemoteLayout::Contiguous { offset, len } => contiguous(host, target, offset, len),
        RemoteLayout::Nest(grid) => nest(host, target, &grid).map(Outcome::Gathered),
        RemoteLayout::Runs(list) => runs(host, target, list).map(Outcome::Gathered),
    }
}

/// Whether all images of this host have arrived at as many synchronisations of all images.
pub fn have_arrived(host: &LocalHost, arrivals: u32) -> bool {
    host.peers.here().all(|image| {
        // Acquire: what the image has written before is read by the caller.
        let its = host.job.entry(image).arrivals.load(Ordering::Acquire);
        its.wrapping_sub(arrivals) as i32 >= 0
    })
}

/// The bytes of runs, if all images of this host have arrived at as many synchronisations of all images; otherwise, and where they are
/// not there, none.
pub fn ahead(host: &LocalHost, target: Rank, arrivals: u32, list: Runs<'_>) -> Vec<u8> {
    if have_arrived(host, arrivals) {
        runs(host, target, list).unwrap_or_default()
    } else {
        Vec::new()
    }
}

fn contiguous(host: &LocalHost, target: Rank, offset: u64, len: u64) -> Result<Outcome> {
    let from = i128::from(offset);
    let at = host.bytes("get", target, from, from + i128::from(len))?;
    host.one_message("get", target, len)?;
    Ok(Outcome::Segment(std::ptr::slice_from_raw_parts(at, len as usize)))
}

fn nest(host: &LocalHost, target: Rank, grid: &Grid) -> Result<Vec<u8>> {
    const WHAT: &str = "strided get";
    let len = grid.packed().unwrap_or(u64::MAX);
    host.one_message(WHAT, target, len)?;
    let base = host.nest(WHAT, target, grid, len)?;
    let mut bytes = vec![0; len as usize];
    // SAFETY: all units are in the segment, just checked; there is room for them.
    unsafe { pack(base, grid.nest(), MemorySide::Remote, bytes.as_mut_ptr()) };
    Ok(bytes)
}

fn runs(host: &LocalHost, target: Rank, runs: Runs<'_>) -> Result<Vec<u8>> {
    const WHAT: &str = "get of runs";
    let len = runs.total();
    check_most(WHAT, target, len, host.limits.inline)?;
    let mut bytes = Vec::with_capacity(len as usize);
    for run in runs.iter() {
        let from = host.run(WHAT, target, run)?;
        let at = bytes.len();
        bytes.resize(at + run.len as usize, 0);
        // SAFETY: within the segment, just checked. Images that race, as safe programs may, access it atomically per byte, too.
        unsafe { byte_atomic::copy(bytes[at..].as_mut_ptr(), from, run.len as usize) };
    }
    Ok(bytes)
}
