//! Sizes of the buffers for requests.

use super::wire::{LOOP, MAX_LOOPS, REQUEST_HEADER};
use crate::notify::{HEADER, PACKET};
use crate::settings::Limits;

/// Most bytes of a message for coalesced requests (`origin/coalesced.rs`) and their separators.
pub const ALONG: usize = 16 << 10;

/// Most bytes of a message of requests: room for a payload or a packet, for the header of a section, and for
/// coalesced requests.
pub fn request_len(limits: &Limits) -> usize {
    let longest = REQUEST_HEADER + (limits.inline as usize + MAX_LOOPS * LOOP).max(PACKET + HEADER);
    longest + ALONG
}
