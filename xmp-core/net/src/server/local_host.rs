//! The host of a server: its job, images and limits, and checked access to the segments of its images. A request is
//! checked here before the server touches memory.

use super::peers::Peers;
use super::wire::{Grid, Run};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::rank::Rank;
use crate::settings::Limits;
use crate::transport::{Local, Transport, Width};
use std::sync::Arc;

/// The own host of a server.
#[derive(Debug)]
pub struct LocalHost {
    /// This host's job.
    pub job: Arc<Job>,
    /// Access to the segments of this host.
    pub local: Local,
    /// The images of this host.
    pub peers: Arc<Peers>,
    /// Sizes.
    pub limits: Limits,
}

impl LocalHost {
    /// Checks that `from..to` is in the segment of `target`, an image of this host, and returns its address.
    ///
    /// # Errors
    /// [`Error::Invalid`] with `what` was requested, the image, and the bytes.
    pub fn bytes(&self, what: &str, target: Rank, from: i128, to: i128) -> Result<*mut u8> {
        let segment = if self.peers.is_here(target) { self.job.segment(target) } else { None };
        let Some(segment) = segment else {
            return Err(Error::Invalid(format!("{what}: {target} is not on this host")));
        };
        check_bytes(what, target, from, to, self.job.geometry().stride)?;
        Ok(segment.wrapping_add(from as usize))
    }

    /// Checks that there is an aligned word at `offset` of the segment of `target`.
    ///
    /// # Errors
    /// [`Error::Invalid`] with `what` was requested, the image, and the bytes.
    pub fn word(&self, what: &str, target: Rank, offset: u64, width: Width) -> Result<()> {
        let from = i128::from(offset);
        self.bytes(what, target, from, from + width.bytes() as i128)?;
        check_aligned(what, target, offset, width)
    }

    /// Checks a run: its address.
    ///
    /// # Errors
    /// [`Error::Invalid`] with `what` was requested, the image, and the bytes.
    pub fn run(&self, what: &str, target: Rank, run: Run) -> Result<*mut u8> {
        let from = i128::from(run.offset);
        self.bytes(what, target, from, from + i128::from(run.len))
    }

    /// Checks a nest of `len` packed bytes: the address of its first unit.
    ///
    /// # Errors
    /// [`Error::Invalid`] with `what` was requested, the image, and the bytes: when a unit is outside the segment, or
    /// the nest has another number of bytes.
    pub fn nest(&self, what: &str, target: Rank, grid: &Grid, len: u64) -> Result<*mut u8> {
        if grid.packed() != Some(len) {
            let text = format!("{what}: {len} bytes of {target} are not those of {grid:?}");
            return Err(Error::Invalid(text));
        }
        let touched = grid.touched();
        let first = self.bytes(what, target, touched.start, touched.end)?;
        Ok(first.wrapping_offset((i128::from(grid.offset) - touched.start) as isize))
    }

    /// Checks that bytes are not more than one message takes.
    ///
    /// # Errors
    /// [`Error::Invalid`] with `what` was requested, the image, and the number of bytes.
    pub fn one_message(&self, what: &str, target: Rank, len: u64) -> Result<()> {
        check_most(what, target, len, self.limits.chunk.max(self.limits.inline))
    }

    /// The transport within this host.
    pub fn local(&self) -> &dyn Transport {
        &self.local
    }
}

/// Checks that `from..to` is in a segment of `stride` bytes.
///
/// # Errors
/// [`Error::Invalid`] with `what` was requested, the image, and the bytes.
pub fn check_bytes(what: &str, target: Rank, from: i128, to: i128, stride: u64) -> Result<()> {
    if 0 <= from && from <= to && to <= i128::from(stride) {
        return Ok(());
    }
    Err(Error::Invalid(format!(
        "{what}: bytes {from}..{to} are not within the segment of {target}, which has {stride} bytes"
    )))
}

/// Checks that bytes are not more than `most`.
///
/// # Errors
/// [`Error::Invalid`] with `what` was requested, the image, and the number of bytes.
pub fn check_most(what: &str, target: Rank, len: u64, most: u32) -> Result<()> {
    if len <= most.into() {
        return Ok(());
    }
    Err(Error::Invalid(format!("{what}: {len} bytes of {target} at once, not {most}")))
}

/// Checks that a word is aligned.
///
/// # Errors
/// [`Error::Invalid`] with `what` was requested, the image, and the bytes.
pub fn check_aligned(what: &str, target: Rank, offset: u64, width: Width) -> Result<()> {
    if offset.is_multiple_of(width.bytes()) {
        Ok(())
    } else {
        Err(Error::Invalid(format!(
            "{what}: offset {offset} in the segment of {target} is no multiple of {}",
            width.bytes()
        )))
    }
}
