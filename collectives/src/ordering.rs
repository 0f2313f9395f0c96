//! The order that image control statements make, where races are looked for ([`xmp_core::races`]).

use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// This image is about to synchronise with all images of the set, in an image control statement: before it publishes its arrival, by
/// which survivors of a failure are synchronised already.
pub(crate) fn announce(image: &Image, set: &ImageSet) {
    if let Some(races) = image.races() {
        races.announce(set.ranks());
    }
}

/// Executes the synchronisation of all images of the set, to which this image has arrived (`SurvivorSync::to`): what an image of the set
/// has done before it is ordered before what another one does after it.
#[inline]
pub fn ordering<T>(image: &Image, set: &ImageSet, synchronise: impl FnOnce() -> T) -> T {
    let outcome = synchronise();
    have_met(image, set);
    outcome
}

/// The images of the set have synchronised, or the survivors have after [`ordering`] has failed.
pub(crate) fn have_met(image: &Image, set: &ImageSet) {
    if let Some(races) = image.races() {
        races.meet(set.ranks());
    }
}
