//! The order that image control statements make, where races are looked for ([`xmp_core::races`]).

use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// Executes the synchronisation of all images of the set, of an image control statement: what an image of the set has done
/// before it is ordered before what another one does after it.
#[inline]
pub fn ordering<T>(image: &Image, set: &ImageSet, synchronise: impl FnOnce() -> T) -> T {
    let Some(races) = image.races() else { return synchronise() };
    races.announce(set.ranks());
    let outcome = synchronise();
    races.meet(set.ranks());
    outcome
}

/// The survivors of the set have synchronised, after [`ordering`] has failed.
pub fn survivors_have_met(image: &Image, set: &ImageSet) {
    if let Some(races) = image.races() {
        races.meet(set.ranks());
    }
}
