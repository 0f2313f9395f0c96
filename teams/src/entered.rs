//! The time that this image spends in a set that it has entered.

use xmp_core::Image;

/// Leaves, when it goes out of scope, all that was entered since it was made.
pub(crate) struct Entered<'a> {
    image: &'a Image,
    outside: usize,
}

impl<'a> Entered<'a> {
    /// From now on.
    pub fn watch(image: &'a Image) -> Entered<'a> {
        Entered { image, outside: image.stack().depth() }
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

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.leave_to(self.outside);
    }
}
