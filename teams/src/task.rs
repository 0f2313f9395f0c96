//! Task regions: a function that some of the executing images run as an executing set of their own.

use crate::Selection;
use xmp_core::{Image, Result};

/// Runs `body` on the images of the executing set that `on` selects. While it runs, they are the executing set:
/// image indices count among them, and barriers and collectives need them alone. The other images go on at once,
/// with `None`. Entering and leaving communicate nothing; all selected images have to enter.
///
/// The executing set is restored, too, when `body` panics or returns early.
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
/// not have or that are selected twice: the same on every image.
pub fn task<T>(
    image: &Image,
    on: impl Into<Selection>,
    body: impl FnOnce(&Image) -> T,
) -> Result<Option<T>> {
    let Some(members) = on.into().of(&image.executing())? else { return Ok(None) };
    if members.position(image.rank()).is_none() {
        return Ok(None);
    }
    let _entered = Entered::new(image, image.set(members)?);
    Ok(Some(body(image)))
}

/// The time that a set is the executing one.
struct Entered<'a> {
    image: &'a Image,
    depth: usize,
}

impl<'a> Entered<'a> {
    fn new(image: &'a Image, set: std::rc::Rc<xmp_core::image_set::ImageSet>) -> Entered<'a> {
        let depth = image.stack().depth();
        image.stack().push(set);
        Entered { image, depth }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        // All that was entered within is left as well.
        while self.image.stack().depth() > self.depth {
            self.image.stack().pop();
        }
    }
}
