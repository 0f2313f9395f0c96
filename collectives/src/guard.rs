//! Whether an image takes part in an operation of a set: not any more once it has been told that an image of the set has
//! ended. `xmp-core/shm/src/failure/README.md` argues why nobody waits for it then.

use crate::check::{self, Call};
use xmp_core::failure::revocation;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Returns when all images of the set have said what they `call`, if the settings ask for that: before each operation of which
/// they have not said it yet.
///
/// # Errors
/// Those of [`check::agree`]; as [`with_live_set`].
#[inline]
pub fn say(image: &Image, set: &ImageSet, call: impl FnOnce() -> Call) -> Result<()> {
    with_live_set(image, set, || check::agree(image, set, call))
}

/// Takes part in an operation of the set, as whatever exchanges anything with its images does. Who is told of an end by it says
/// that before anything else: the others may come to this operation when it has gone on to its own end.
///
/// Who refuses it writes nothing to the collective area of
/// the set: where flags are handed on, others may have made the step that this image has not, and read what it has given for it.
///
/// # Errors
/// Those of the operation. When this image has been told before, by an operation of any set, that
/// an image of this set has ended: at once, and nothing has happened.
#[inline]
pub fn with_live_set<T>(
    image: &Image,
    set: &ImageSet,
    operation: impl FnOnce() -> Result<T>,
) -> Result<T> {
    revocation::check(image, set)?;
    match operation() {
        Err(error) => Err(leave(image, set, error)),
        outcome => outcome,
    }
}

/// The others see of this error what concerns them: nothing, where all share a collective area whose steps are made by all or by none,
/// because there they find what this one has found - or another image that has ended for the same reason, of which other sets
/// are not to be told. Where flags are handed on, others may have made a step that this image has not, and go on without it.
#[cold]
fn leave(image: &Image, set: &ImageSet, error: Error) -> Error {
    match set.levels(image) {
        Ok(levels) if levels.has_atomic_barrier() => error,
        _ => revocation::publish(image, &error).err().unwrap_or(error),
    }
}
