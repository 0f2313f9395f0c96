//! The guard of every operation of a set. An image that has got the error of an ended member takes no further part in
//! operations of that set; `xmp-core/shm/src/failure/README.md` proves that no image waits for it then.

use xmp_core::failure::revocation;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Executes an operation of the set in which its images exchange anything. If the operation reports an ended image,
/// this image publishes that before it returns: its peers may reach this operation only after this image has
/// terminated.
///
/// An image that is refused here writes nothing to the collective area of the set: with multi-hop notification its peers
/// may already have completed a barrier that this image has not called.
///
/// # Errors
/// Those of the operation. At once, and before the operation begins, when an earlier operation of any set has reported to
/// this image that a member of this set has ended.
#[inline]
pub fn with_live_set<T, E: From<Error> + Into<Error>>(
    image: &Image,
    set: &ImageSet,
    operation: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    revocation::check(image, set)?;
    image.acquired();
    match operation() {
        Err(error) => Err(leave(image, set, error.into()).into()),
        outcome => outcome,
    }
}

/// Publishes the error for the peers. Nothing is published where all images share a collective area whose barriers
/// complete on all members or on none: the peers find the same error, or another image that has ended for the same
/// reason. With multi-hop notification peers may have completed a barrier that this image has not.
#[cold]
fn leave(image: &Image, set: &ImageSet, error: Error) -> Error {
    if let (Error::Invalid(why), Ok(levels)) = (&error, set.levels(image))
        && let Some(log) = levels.calls()
    {
        // Other images of the call may wait for this one.
        return log.give_up(image, why).err().unwrap_or(error);
    }
    match set.levels(image) {
        Ok(levels) if levels.has_atomic_barrier() => error,
        _ => revocation::publish(image, &error).err().unwrap_or(error),
    }
}
