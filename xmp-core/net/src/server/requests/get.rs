//! Contiguous gets.

use super::Outcome;
use crate::error::{Error, Result};
use crate::server::here::Here;
use crate::server::wire::Head;

/// Gets bytes out of the segment of the target.
///
/// # Errors
/// When they do not lie there, or are more than one message takes.
pub fn get(here: &Here, head: Head, offset: u64, len: u64) -> Result<Outcome> {
    let from = i128::from(offset);
    let at = here.bytes("get", head.target, from, from + i128::from(len))?;
    let most = here.limits.chunk.max(here.limits.inline);
    if len > most.into() {
        let target = head.target;
        return Err(Error::Invalid(format!("get: {len} bytes of {target} at once, not {most}")));
    }
    Ok(Outcome::Segment(std::ptr::slice_from_raw_parts(at, len as usize)))
}
