//! The guard of a task region or a team: it leaves what its body has entered, also when the body panics.

use xmp_core::Image;

/// Leaves, when it goes out of scope, all that was entered since it was made.
pub(crate) struct RegionGuard<'a> {
    image: &'a Image,
    outside: usize,
}

impl<'a> RegionGuard<'a> {
    /// From now on.
    pub fn watch(image: &'a Image) -> RegionGuard<'a> {
        RegionGuard { image, outside: image.stack().depth() }
    }

    /// Leaves what was entered within the set that was entered first and not left.
    pub fn close_inner(&self) {
        self.leave_to(self.outside + 1);
    }

    fn leave_to(&self, depth: usize) {
        while self.image.stack().depth() > depth {
            self.image.leave();
        }
    }
}

impl Drop for RegionGuard<'_> {
    fn drop(&mut self) {
        self.leave_to(self.outside);
    }
}
