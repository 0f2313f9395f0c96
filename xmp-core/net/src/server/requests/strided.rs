//! Sections, scattered and gathered by the server so that they travel as one message.

use super::{Outcome, refused};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::server::here::Here;
use crate::server::incoming::{Incoming, Pieces, Then};
use crate::server::packing::{self, Side};
use crate::server::wire::{Grid, Head, Payload};

/// Puts packed bytes to the points of a nest, once they have arrived.
///
/// # Errors
/// When they are not as many as the section has, or a point lies outside the segment. Bytes that follow are received
/// nevertheless, and dropped.
pub fn scatter(
    here: &Here,
    head: Head,
    grid: Grid,
    data: Payload<'_>,
    pieces: Pieces,
) -> Result<Outcome> {
    match data {
        Payload::Inline(bytes) => {
            execute(here, head.target, &grid, bytes)?;
            Ok(Outcome::Done)
        }
        Payload::Follows(len) => match check_piece(here, "strided put", head.target, &grid, len) {
            Ok(_) => {
                let then = Then::Scatter { grid, bytes: vec![0; len as usize] };
                let none = std::ptr::null_mut();
                let incoming = Incoming::new(head, head.origin, len, none, then, pieces);
                Ok(Outcome::Incoming(Box::new(incoming)))
            }
            Err(error) => Ok(refused(head, len, error.to_string(), false, pieces)),
        },
    }
}

/// Puts packed bytes to the points of a section.
///
/// # Errors
/// When they are not as many as the section has, or a point lies outside the segment.
pub fn execute(here: &Here, target: Rank, grid: &Grid, bytes: &[u8]) -> Result<()> {
    let base = check(here, "strided put", target, grid, bytes.len() as u64)?;
    // SAFETY: all points lie in the segment, and there are as many bytes; both just checked.
    unsafe { packing::unpack(base, grid.nest(), Side::Remote, bytes.as_ptr()) };
    Ok(())
}

/// The bytes of a nest, packed.
///
/// # Errors
/// When a point lies outside the segment, or they are more than one message takes.
pub fn gather(here: &Here, head: Head, grid: &Grid) -> Result<Outcome> {
    let len = grid.packed().unwrap_or(u64::MAX);
    let base = check_piece(here, "strided get", head.target, grid, len)?;
    let mut bytes = vec![0; len as usize];
    // SAFETY: all points lie in the segment, just checked; there is room for them.
    unsafe { packing::pack(base, grid.nest(), Side::Remote, bytes.as_mut_ptr()) };
    Ok(Outcome::Gathered(bytes))
}

fn check_piece(here: &Here, what: &str, target: Rank, grid: &Grid, len: u64) -> Result<*mut u8> {
    let most = here.limits.chunk.max(here.limits.inline);
    match len <= most.into() {
        true => check(here, what, target, grid, len),
        false => {
            let text = format!("{what}: {len} bytes of {target} at once, not {most}");
            Err(Error::Invalid(text))
        }
    }
}

/// Checks a section of `len` packed bytes; returns the address of its first point.
fn check(here: &Here, what: &str, target: Rank, grid: &Grid, len: u64) -> Result<*mut u8> {
    if grid.packed() != Some(len) {
        let text = format!("{what}: {len} bytes of {target} are not those of {grid:?}");
        return Err(Error::Invalid(text));
    }
    let touched = grid.touched();
    let first = here.bytes(what, target, touched.start, touched.end)?;
    Ok(first.wrapping_offset((i128::from(grid.offset) - touched.start) as isize))
}
