//! Image inquiry, synchronisation and collectives: the statements and intrinsic procedures of coarray programs as
//! methods of [`Image`].

use super::call_site::called;
use super::index::position_of;
use super::operand::Operand;
use super::operation::without_unwinding;
use super::party::Party;
use crate::{sync_all, sync_images, sync_images_all, sync_memory};
use bytemuck::Pod;
use smallvec::SmallVec;
use xmp_collectives::{Located, Number, Op, allreduce, allreduce_by, broadcast, locate, reduce};
use xmp_core::{Error, Image, Result};

/// The statements of coarray programs. As methods of an image, all of them refer to the executing set: the images
/// of the innermost task region or team, else all images. As methods of what [`on`](super::Regions::on) returns they
/// refer to a team. Images are counted from 1 in that set.
///
/// The collective subroutines (`co_...`) combine or copy numbers, arrays, slices and vectors of them; all images
/// of the set call them with operands of one length, and get the errors that [`co_sum`](Statements::co_sum) lists.
pub trait Statements: Party {
    /// The index of this image (THIS_IMAGE).
    fn this_image(&self) -> usize {
        self.set().position().expect("an image is in its sets") + 1
    }

    /// The number of images (NUM_IMAGES).
    fn num_images(&self) -> usize {
        self.set().len()
    }

    /// Waits for all images: what each did before is visible to all after (SYNC ALL).
    ///
    /// # Errors
    /// When an image has stopped or failed.
    #[track_caller]
    fn sync_all(&self) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("sync_all", image, || sync_all(image, &set))
    }

    /// Waits for these images, which name this one in theirs; the n-th time here matches the n-th there (SYNC
    /// IMAGES).
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(3, |image| {
    ///     // Image 1 meets each of the others, which do not meet one another.
    ///     match image.this_image() {
    ///         1 => image.sync_images(&[2, 3]),
    ///         _ => image.sync_images(&[1]),
    ///     }
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ImageIndex`] and [`Error::RepeatedImage`], when nothing has happened; when one of them has stopped or
    /// failed.
    #[track_caller]
    fn sync_images(&self, indices: &[usize]) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("sync_images", image, || {
            let narrow = |&index: &usize| {
                i32::try_from(index).map_err(|_| Error::ImageIndex {
                    index: i64::try_from(index).unwrap_or(i64::MAX),
                    images: set.len(),
                })
            };
            let indices = indices.iter().map(narrow).collect::<Result<SmallVec<[i32; 16]>>>()?;
            sync_images(image, &set, &indices)
        })
    }

    /// Waits for every other image, as [`Statements::sync_images`] does for some (SYNC IMAGES (*)).
    ///
    /// # Errors
    /// When an image has stopped or failed.
    #[track_caller]
    fn sync_images_all(&self) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("sync_images_all", image, || sync_images_all(image, &set))
    }

    /// Completes this image's accesses to others, and orders them before what follows (SYNC MEMORY).
    ///
    /// # Errors
    /// When an image that has pending operations cannot be reached.
    #[track_caller]
    fn sync_memory(&self) -> Result<()> {
        called("sync_memory", self.image(), || sync_memory(self.image()))
    }

    /// The sum over all images, for all of them, the same bits everywhere; integers wrap (CO_SUM).
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(3, |image| {
    ///     let mut one = 1;
    ///     let mut two = vec![image.this_image() as f64, 0.5];
    ///     image.co_sum(&mut one)?;
    ///     image.co_sum(&mut two)?;
    ///     assert_eq!((one, two), (3, vec![6.0, 1.5]));
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When an image has stopped or failed. What is in `operand` is unspecified then.
    #[track_caller]
    fn co_sum(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_sum", image, || allreduce(image, &set, operand.elements(), Op::Sum))
    }

    /// The least over all images, for all of them (CO_MIN). NaNs are ignored.
    #[track_caller]
    fn co_min(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_min", image, || allreduce(image, &set, operand.elements(), Op::Min))
    }

    /// The greatest over all images, for all of them (CO_MAX). NaNs are ignored.
    #[track_caller]
    fn co_max(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_max", image, || allreduce(image, &set, operand.elements(), Op::Max))
    }

    /// [`co_sum`](Self::co_sum), [`co_min`](Self::co_min) or [`co_max`](Self::co_max) for image `result_image` only; the operands of the others are unspecified
    /// afterwards.
    ///
    /// # Errors
    /// The errors of [`Statements::co_sum`]; [`Error::ImageIndex`].
    #[track_caller]
    fn co_reduce_to(
        &self,
        result_image: usize,
        op: Op,
        operand: &mut (impl Operand<Element: Number> + ?Sized),
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_reduce_to", image, || {
            let root = position_of(&set, result_image)?;
            reduce(image, &set, root, operand.elements(), op)
        })
    }

    /// The least over all images, for all of them, and the location that an image gives with it: the least one of several (MPI_MINLOC).
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(4, |image| {
    ///     let me = image.this_image();
    ///     let (mut distance, mut place) = (me.abs_diff(3), me as i64);
    ///     image.co_minloc(&mut distance, &mut place)?;
    ///     assert_eq!((distance, place), (0, 3));
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Statements::co_sum`]; when there is not a location for each element.
    #[track_caller]
    fn co_minloc<T: Number>(
        &self,
        operand: &mut (impl Operand<Element = T> + ?Sized),
        locations: &mut (impl Operand<Element = i64> + ?Sized),
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_minloc", image, || {
            let (values, locations) = (operand.elements(), locations.elements());
            locate(image, &set, values, locations, Located::least::<T>(), None)
        })
    }

    /// The greatest over all images, as [`co_minloc`](Self::co_minloc) (MPI_MAXLOC).
    #[track_caller]
    fn co_maxloc<T: Number>(
        &self,
        operand: &mut (impl Operand<Element = T> + ?Sized),
        locations: &mut (impl Operand<Element = i64> + ?Sized),
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_maxloc", image, || {
            let (values, locations) = (operand.elements(), locations.elements());
            locate(image, &set, values, locations, Located::greatest::<T>(), None)
        })
    }

    /// Combines all images by an associative operation, which need not be commutative, for all of them (CO_REDUCE). A
    /// panic of the operation ends the process.
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(4, |image| {
    ///     let mut factorial = image.this_image();
    ///     image.co_reduce(&mut factorial, |a, b| a * b)?;
    ///     assert_eq!(factorial, 24);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    fn co_reduce<O: Operand + ?Sized>(
        &self,
        operand: &mut O,
        operation: impl Fn(O::Element, O::Element) -> O::Element,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_reduce", image, || {
            allreduce_by(image, &set, operand.elements(), without_unwinding(operation))
        })
    }

    /// The value of image `source_image`, for all of them (CO_BROADCAST).
    ///
    /// # Errors
    /// The errors of [`Statements::co_sum`]; [`Error::ImageIndex`].
    #[track_caller]
    fn co_broadcast(
        &self,
        operand: &mut (impl Operand<Element: Pod> + ?Sized),
        source_image: usize,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_broadcast", image, || {
            let root = position_of(&set, source_image)?;
            broadcast(image, &set, root, operand.elements())
        })
    }
}

impl Statements for Image {}
