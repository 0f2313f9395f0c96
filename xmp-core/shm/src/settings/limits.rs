//! Limits: how much memory requests may take, and how long a server may sleep.

use crate::cooperation::PolicySettings;
use crate::error::{Error, Result};
use std::time::Duration;

/// Sizes, the same on all images of a job, and times; see the table of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a put or a reply that travel in the message itself. Longer data is received at its destination.
    pub inline: u32,
    /// Requests of one image to one server that may be in progress.
    pub credits: u32,
    /// Bytes of each message of a longer transfer; of a section, 1 MiB at most.
    pub chunk: u32,
    /// Messages of a longer transfer that are in transit at once.
    pub pipeline: u32,
    /// Most bytes of the request to a handler, and of its reply; also of all of them together that wait at a server.
    pub payload: u64,
    /// How long a server with nothing to do sleeps between two looks.
    pub nap: Duration,
    /// The route of requests.
    pub cooperation: PolicySettings,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            inline: 16 << 10,
            credits: 64,
            chunk: 4 << 20,
            pipeline: 2,
            payload: 1 << 30,
            nap: Duration::from_micros(50),
            cooperation: PolicySettings::default(),
        }
    }
}

impl Limits {
    /// Checks that the request or reply of a handler may have `len` bytes.
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
}
