//! Collective subroutines of Fortran, for front ends that have the elements of their argument.

use super::elements::Packed;
use crate::process::run_time_error;
use std::ffi::c_int;
use xmp_collectives::{Reduction, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::number::ElemType;
use xmp_core::races::Kind;
use xmp_core::{Error, Image, Result};

/// A call of a collective subroutine.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// What messages call it.
    pub operation: &'static str,
    /// This image.
    pub image: &'a Image,
    /// The images that take part.
    pub set: &'a ImageSet,
}

impl Call<'_> {
    /// Copies the elements from the image at the 0-based position `root` to all images.
    ///
    /// # Errors
    /// Those of [`raw::broadcast`]; no memory.
    pub fn broadcast(self, mut argument: Packed, root: usize, element: ElemType) -> Result<()> {
        let Call { image, set, .. } = self;
        let is_root = set.position() == Some(root);
        argument.enter_copied(image, if is_root { Kind::Read } else { Kind::Write });
        let (data, bytes, shape) = (argument.start(), argument.bytes(), argument.shape());
        // SAFETY: the elements of the argument.
        unsafe { raw::broadcast_of(image, set, root, data, bytes, element, shape)? };
        argument.store()
    }

    /// Reduces to all images or, with a `result`, to the one at that position. What the others have afterwards is
    /// undefined (Fortran 2018, 16.9.46 to 16.9.50), but programs expect what other libraries leave there: the same as
    /// before. The elements are of the reduction's type.
    ///
    /// # Errors
    /// Those of [`raw::allreduce`] and [`raw::reduce`]; no memory.
    pub fn reduce(
        self,
        mut argument: Packed,
        result: Option<usize>,
        reduction: &Reduction<'_>,
    ) -> Result<()> {
        let Call { image, set, .. } = self;
        let (elements, reduction) = (argument.count(), &reduction.of_shape(argument.shape()));
        let Some(result) = result else {
            argument.enter_copied(image, Kind::Write);
            // SAFETY: the elements of the argument.
            unsafe { raw::allreduce(image, set, argument.start(), elements, reduction)? };
            return argument.store();
        };
        let is_root = set.rank_at(result) == Some(image.rank());
        // Only between hosts do images combine for others in the place of their own operand.
        if !is_root && set.fast_area(image).is_none() {
            self.sound(argument.set_aside());
        }
        argument.enter_copied(image, Kind::Write);
        // SAFETY: the elements of the argument.
        unsafe { raw::reduce(image, set, result, argument.start(), elements, reduction)? };
        if is_root { argument.store() } else { Ok(()) }
    }

    /// What this image has found about its own arguments, when it is no error. An error ends the job: other images,
    /// whose arguments may be right, wait in the collective for this one.
    pub fn sound<T>(self, found: Result<T>) -> T {
        found.unwrap_or_else(|error| run_time_error(self.operation, &error))
    }
}

/// The 0-based position of a 1-based image index; one that no set has for what is no index.
pub fn position(index: c_int) -> usize {
    usize::try_from(index).ok().and_then(|index| index.checked_sub(1)).unwrap_or(usize::MAX)
}

/// The error with the argument that it is about, if it is about the position of `index`.
#[cold]
pub fn named(argument: &str, index: c_int, error: Error) -> Error {
    match error {
        Error::ImageIndex { images, .. } => {
            let error = Error::ImageIndex { index: index.into(), images };
            Error::Invalid(format!("{argument}: {error}"))
        }
        other => other,
    }
}
