//! Runs of bytes, scattered and gathered by the server so that they travel as one message.

use super::Outcome;
use crate::error::{Error, Result};
use crate::server::here::Here;
use crate::server::wire::{Head, Runs};

/// Puts packed bytes, as many as the runs have, to the runs.
///
/// # Errors
/// When a run does not lie in the segment; no byte is touched then.
pub fn scatter(here: &Here, head: Head, runs: Runs<'_>, data: &[u8]) -> Result<Outcome> {
    const WHAT: &str = "put of runs";
    runs.iter().try_for_each(|run| at(here, WHAT, head, run).map(drop))?;
    let mut left = data;
    for run in runs.iter() {
        let to = at(here, WHAT, head, run)?;
        let (bytes, rest) = left.split_at(run.1 as usize);
        // SAFETY: within the segment, just checked; the program guarantees that no image accesses it now.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        left = rest;
    }
    Ok(Outcome::Done)
}

/// The bytes of the runs, packed.
///
/// # Errors
/// When a run does not lie in the segment, or they are more than one message takes.
pub fn gather(here: &Here, head: Head, runs: Runs<'_>) -> Result<Outcome> {
    const WHAT: &str = "get of runs";
    let (len, most) = (runs.total(), here.limits.inline);
    if len > most.into() {
        let target = head.target;
        return Err(Error::Invalid(format!("{WHAT}: {len} bytes of {target} at once, not {most}")));
    }
    let mut bytes = Vec::with_capacity(len as usize);
    for run in runs.iter() {
        let from = at(here, WHAT, head, run)?;
        // SAFETY: within the segment, just checked; the program guarantees that no image writes it now.
        bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(from, run.1 as usize) });
    }
    Ok(Outcome::Gathered(bytes))
}

fn at(here: &Here, what: &str, head: Head, (offset, len): (u64, u32)) -> Result<*mut u8> {
    let from = i128::from(offset);
    here.bytes(what, head.target, from, from + i128::from(len))
}
