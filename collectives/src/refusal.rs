//! Agreement on an error that one image alone can find: memory that it lacks, a handle that it does not know.
//!
//! [`agreed`] makes an exchange of its own. Operations that must not pay for one carry the reason with what they
//! exchange (`global/exchange`), and publish it for other hosts ([`xmp_core::failure::refusals`]).

use crate::check::{self, Call};
use crate::reduction::Op;
use crate::two_level::rank_at;
use crate::typed::{allreduce, broadcast};
use xmp_core::failure::refusals::{Reason, is_memory};
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Result};

/// Agrees on the outcome of a statement that all images of the set execute: `outcome`, if no image has an error.
///
/// # Errors
/// When an image has an error, that of the first such image in the order of the set; an image with an error of the same
/// kind keeps its own. When an image of the set has stopped or failed before it took part.
pub fn agreed<T>(
    image: &Image,
    set: &ImageSet,
    statement: &'static str,
    outcome: Result<T>,
) -> Result<T> {
    let position = set.position().expect("a member of the set");
    check::agree(image, set, || Call::of(statement))?;
    // The greatest value is that of the first image with an error.
    let mut first = [if outcome.is_err() { u64::MAX - position as u64 } else { 0 }];
    allreduce(image, set, &mut first, Op::Max)?;
    if first[0] == 0 {
        return outcome;
    }
    let first = (u64::MAX - first[0]) as usize;
    let mut reason = outcome.as_ref().err().map_or(Reason::NONE, Reason::of);
    broadcast(image, set, first, reason.as_bytes_mut())?;
    let theirs = reason.error(rank_at(set, first)?);
    match outcome {
        Err(own) if is_memory(&own) == is_memory(&theirs) => Err(own),
        _ => Err(theirs),
    }
}
