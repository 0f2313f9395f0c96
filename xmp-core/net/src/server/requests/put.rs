//! Puts: contiguous bytes go to their destination; the packed bytes of nests and runs are distributed by the server, so
//! that they travel as one message.

use super::{Outcome, refused};
use crate::error::{Error, Result};
use crate::machine::byte_atomic;
use crate::rank::Rank;
use crate::server::incoming::{Incoming, OnArrival, Pieces};
use crate::server::local_host::LocalHost;
use crate::server::sections::{MemorySide, unpack};
use crate::server::wire::{Grid, Head, Payload, RemoteLayout, Runs};

/// The name of a put of a nest in messages.
const NEST: &str = "strided put";

/// Puts bytes into the segment of the target.
///
/// # Errors
/// When they are not there, or are not as many as their layout has; no byte is touched then. Bytes that follow are
/// received nevertheless, and dropped.
pub fn put(
    host: &LocalHost,
    head: Head,
    to: RemoteLayout<'_>,
    data: Payload<'_>,
    pieces: Pieces,
) -> Result<Outcome> {
    match data {
        Payload::Inline(bytes) => {
            match to {
                RemoteLayout::Contiguous { offset, .. } => contiguous(host, head, offset, bytes)?,
                RemoteLayout::Nest(grid) => nest(host, head.target, &grid, bytes)?,
                RemoteLayout::Runs(list) => runs(host, head.target, list, bytes)?,
            }
            Ok(Outcome::Done)
        }
        Payload::Follows(len) => match destination(host, head, to, len) {
            Ok((at, then)) => {
                let incoming = Incoming::new(head, head.origin, len, at, then, pieces);
                Ok(Outcome::Incoming(Box::new(incoming)))
            }
            Err(error) => Ok(refused(head, len, error.to_string(), false, pieces)),
        },
    }
}

/// Where bytes that follow are received, and what is done with them then.
fn destination(
    host: &LocalHost,
    head: Head,
    to: RemoteLayout<'_>,
    len: u64,
) -> Result<(*mut u8, OnArrival)> {
    match to {
        RemoteLayout::Contiguous { offset, .. } => {
            let from = i128::from(offset);
            let at = host.bytes("put", head.target, from, from + i128::from(len))?;
            Ok((at, OnArrival::Put { from: offset, to: offset + len }))
        }
        RemoteLayout::Nest(grid) => {
            host.one_message(NEST, head.target, len)?;
            host.nest(NEST, head.target, &grid, len)?;
            let bytes = vec![0; len as usize];
            Ok((std::ptr::null_mut(), OnArrival::Scatter { grid, bytes }))
        }
        RemoteLayout::Runs(_) => Err(Error::Invalid("put of runs: their bytes follow".into())),
    }
}

/// Puts contiguous bytes.
///
/// # Errors
/// When they are not in the segment of the target.
pub fn contiguous(host: &LocalHost, head: Head, offset: u64, bytes: &[u8]) -> Result<()> {
    let from = i128::from(offset);
    let to = host.bytes("put", head.target, from, from + bytes.len() as i128)?;
    // SAFETY: within the segment, just checked. Images that race, as safe programs may, access it atomically per byte, too.
    unsafe { byte_atomic::copy(to, bytes.as_ptr(), bytes.len()) };
    Ok(())
}

/// Puts packed bytes to the units of a nest.
///
/// # Errors
/// When they are not as many as the nest has, or a unit is outside the segment.
pub fn nest(host: &LocalHost, target: Rank, grid: &Grid, bytes: &[u8]) -> Result<()> {
    let base = host.nest(NEST, target, grid, bytes.len() as u64)?;
    // SAFETY: all units are in the segment, and there are as many bytes; both just checked.
    unsafe { unpack(base, grid.nest(), MemorySide::Remote, bytes.as_ptr()) };
    Ok(())
}

/// Puts packed bytes, as many as the runs have (`read_request`), to the runs.
fn runs(host: &LocalHost, target: Rank, runs: Runs<'_>, data: &[u8]) -> Result<()> {
    let at = |run| host.run("put of runs", target, run);
    runs.iter().try_for_each(|run| at(run).map(drop))?;
    let mut left = data;
    for run in runs.iter() {
        let to = at(run)?;
        let (bytes, rest) = left.split_at(run.len as usize);
        // SAFETY: as in `contiguous`.
        unsafe { byte_atomic::copy(to, bytes.as_ptr(), bytes.len()) };
        left = rest;
    }
    Ok(())
}
