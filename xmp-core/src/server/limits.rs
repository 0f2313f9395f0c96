//! How much memory requests may take, and how long a server may sleep.

use super::wire::{DIM, MAX_DIMS, REQUEST_HEADER};
use crate::cooperation::Wish;
use crate::error::{Error, Result};
use crate::notify::{HEADER, PACKET};
use std::time::Duration;

/// Most bytes of a message for short requests that travel with another one (`origin/kept.rs`), and for telling them apart.
pub const ALONG: usize = 16 << 10;

/// Sizes, the same on all images of a job, and times; see the table of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a put or an answer that travel in the message itself. What is longer is received where it belongs.
    pub inline: u32,
    /// Requests of one image that may be on their way to one server.
    pub credits: u32,
    /// Bytes of each message of a longer transfer.
    pub chunk: u32,
    /// Messages of a longer transfer that are on their way at once.
    pub pipeline: u32,
    /// Most bytes that a handler is given, or answers; and that all of them may be given or answer, which wait at a server.
    pub payload: u64,
    /// How long a server with nothing to do sleeps between two looks.
    pub nap: Duration,
    /// Which way requests go.
    pub cooperation: Wish,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            inline: 16 << 10,
            credits: 64,
            chunk: 1 << 20,
            pipeline: 4,
            payload: 1 << 30,
            nap: Duration::from_micros(50),
            cooperation: Wish::default(),
        }
    }
}

impl Limits {
    /// Whether a handler may be given, or answer, so many bytes.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the number if not.
    pub fn check_payload(&self, what: &str, len: u64) -> Result<()> {
        if len <= self.payload {
            return Ok(());
        }
        Err(Error::Invalid(format!(
            "{what} of {len} bytes between hosts: at most {} are possible; divide it",
            self.payload
        )))
    }

    /// Most bytes of a message of requests: room for a payload or a packet, for the header of a section, and for what
    /// travels with it.
    pub fn request(&self) -> usize {
        let longest = REQUEST_HEADER + (self.inline as usize + MAX_DIMS * DIM).max(PACKET + HEADER);
        longest + ALONG
    }
}
