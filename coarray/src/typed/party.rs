//! The executors of the statements of a Rust program. No other crate can name these traits. So it can neither implement the
//! traits of this crate, which have them as supertraits, nor call their methods.

use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::{Image, Rank, Result};

/// An image, in its executing set or on a team.
pub trait Party {
    /// This image.
    fn image(&self) -> &Image;

    /// The images that the statements refer to.
    fn set(&self) -> Rc<ImageSet>;
}

impl Party for Image {
    #[inline]
    fn image(&self) -> &Image {
        self
    }

    #[inline]
    fn set(&self) -> Rc<ImageSet> {
        self.executing()
    }
}

/// The same for operations that outlive a borrow of the [`OnTeam`](super::OnTeam).
pub trait LastingParty<'i>: Sized {
    /// This image.
    fn image(&self) -> &'i Image;

    /// The images that the operations refer to.
    fn set(&self) -> Rc<ImageSet>;
}

impl<'i> LastingParty<'i> for &'i Image {
    fn image(&self) -> &'i Image {
        self
    }

    fn set(&self) -> Rc<ImageSet> {
        self.executing()
    }
}

/// A designator of an image: a [`Coindex`](super::Coindex). The image that it returns exists.
pub trait Designator {
    /// The image.
    ///
    /// # Errors
    /// [`xmp_core::Error::ImageIndex`]; when the team does not exist any more, or there is none with the number.
    fn rank(self, image: &Image) -> Result<Rank>;
}
