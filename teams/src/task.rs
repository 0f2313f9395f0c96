//! Task regions: a function that some of the executing images run as an executing set of their own.

use crate::Selection;
use crate::region_guard::RegionGuard;
use crate::sync::synchronise;
use xmp_collectives::BarrierStatement;
use xmp_core::{Image, Result};

/// Runs `body` on the images of the executing set that `on` selects. While it runs, they are the executing set:
/// image indices count among them, and barriers and collectives need them alone. The other images go on at once,
/// with `None`. Entering and leaving communicate nothing; all selected images have to enter.
///
/// Blocks that `body` allocates in the symmetric heap and does not free are freed at the end of the region, after a
/// barrier of its images; there is no barrier where nothing is left. The executing set is restored, too, when `body`
/// panics or returns early; without a barrier when it panics.
///
/// ```
/// use xmp_core::transport::threads;
/// use xmp_teams::task;
///
/// let sums = threads::run(4, 1, |image| {
///     // Images 2, 3 and 4 add up; image 1 does not wait for them.
///     task(image, 2.., |image| {
///         let mut one = [1];
///         xmp_collectives::allreduce(image, &image.executing(), &mut one, xmp_collectives::Op::Sum)?;
///         Ok::<_, xmp_core::Error>(one[0])
///     })?
///     .transpose()
/// })?;
/// assert_eq!(sums, [Ok(None), Ok(Some(3)), Ok(Some(3)), Ok(Some(3))]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// [`xmp_core::Error::ImageIndex`] and [`xmp_core::Error::RepeatedImage`] for indices that the executing set does
/// not have or that are selected twice: the same on every image. When `body` has left blocks allocated and an image
/// of the region has stopped or failed instead of coming to its end; the region is left then, too.
pub fn task<T>(
    image: &Image,
    on: impl Into<Selection>,
    body: impl FnOnce(&Image) -> T,
) -> Result<Option<T>> {
    let Some(members) = on.into().of(&image.executing())? else { return Ok(None) };
    if members.position(image.rank()).is_none() {
        return Ok(None);
    }
    let set = image.set(members)?;
    let region = RegionGuard::watch(image);
    image.enter_task(&set);
    let value = body(image);
    region.close_inner();
    if image.memory().has_allocated() {
        // Other images of the set may still be about to access it.
        synchronise(image, &set, BarrierStatement::plain("end of task"))?;
    }
    Ok(Some(value))
}
