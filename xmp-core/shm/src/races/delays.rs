//! Delays (`XMP_RACES_DELAY`). A lock orders the accesses of images that pass it, in the order in which they come. Accesses that nothing else
//! orders are found only in runs where the images come in another order, which delays make likely.

use super::detector::Detector;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::thread;

impl Detector {
    /// Delays this image for a random time, up to that of the setting: after a synchronisation of images.
    pub(super) fn delay(&self) {
        if !self.longest_delay.is_zero() {
            // Each hasher has keys of its own.
            let random = RandomState::new().build_hasher().finish();
            thread::sleep(self.longest_delay.mul_f64(random as f64 / u64::MAX as f64));
        }
    }
}
