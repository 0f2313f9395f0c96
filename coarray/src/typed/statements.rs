//! What an image can say about itself and to others: the statements and intrinsic procedures of coarray programs as
//! methods of [`Image`].

use super::index::position_of;
use super::operand::Operand;
use crate::{sync_all, sync_images, sync_images_all, sync_memory};
use smallvec::SmallVec;
use xmp_collectives::{Number, Op, Plain, allreduce, allreduce_by, broadcast, reduce};
use xmp_core::{Error, Image, Result};
use xmp_teams::{Selection, task};

/// The statements of coarray programs. All of them refer to the executing set: the images that run the innermost
/// [`task`](Statements::task), else all images. Images are counted from 1.
///
/// The collective subroutines (`co_...`) combine or copy numbers, arrays, slices and vectors of them; all images
/// of the set call them with operands of one length.
pub trait Statements {
    /// The index of this image (THIS_IMAGE).
    fn this_image(&self) -> usize;

    /// The number of images (NUM_IMAGES).
    fn num_images(&self) -> usize;

    /// Waits for all images: what each did before is visible to all after (SYNC ALL).
    ///
    /// # Errors
    /// When an image has stopped or failed.
    fn sync_all(&self) -> Result<()>;

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
    fn sync_images(&self, indices: &[usize]) -> Result<()>;

    /// As [`Statements::sync_images`] with every other image (SYNC IMAGES (*)).
    ///
    /// # Errors
    /// When an image has stopped or failed.
    fn sync_images_all(&self) -> Result<()>;

    /// Completes this image's accesses to others, and orders them before what follows (SYNC MEMORY).
    ///
    /// # Errors
    /// When an image that has pending operations cannot be reached.
    fn sync_memory(&self) -> Result<()>;

    /// Runs `body` on the images that `on` selects, which are the executing set meanwhile; the others go on at once,
    /// with `None`. Entering and leaving communicate nothing. See [`xmp_teams::task`].
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(4, |image| {
    ///     let total = image.task(2..=4, |image| {
    ///         let mut total = image.this_image();
    ///         image.co_sum(&mut total)?;
    ///         Ok(total)
    ///     })?;
    ///     assert_eq!(total, (image.this_image() > 1).then_some(6));
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ImageIndex`] and [`Error::RepeatedImage`] for indices that the executing set does not have or that
    /// are selected twice; what `body` returns.
    fn task<T>(
        &self,
        on: impl Into<Selection>,
        body: impl FnOnce(&Image) -> Result<T>,
    ) -> Result<Option<T>>;

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
    fn co_sum(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()>;

    /// The least over all images, for all of them (CO_MIN). NaNs are less than nothing: they are ignored.
    ///
    /// # Errors
    /// As [`Statements::co_sum`].
    fn co_min(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()>;

    /// The greatest over all images, for all of them (CO_MAX). NaNs are ignored.
    ///
    /// # Errors
    /// As [`Statements::co_sum`].
    fn co_max(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()>;

    /// As `co_sum`, `co_min` or `co_max`, for image `result_image` only; the operands of the others are unspecified
    /// afterwards.
    ///
    /// # Errors
    /// As [`Statements::co_sum`]; [`Error::ImageIndex`].
    fn co_to(
        &self,
        result_image: usize,
        op: Op,
        operand: &mut (impl Operand<Element: Number> + ?Sized),
    ) -> Result<()>;

    /// Combines all images by an associative operation, which need not be commutative, for all of them (CO_REDUCE).
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
    ///
    /// # Errors
    /// As [`Statements::co_sum`].
    fn co_reduce<O: Operand + ?Sized>(
        &self,
        operand: &mut O,
        operation: impl Fn(O::Element, O::Element) -> O::Element,
    ) -> Result<()>;

    /// The value of image `source_image`, for all of them (CO_BROADCAST).
    ///
    /// # Errors
    /// As [`Statements::co_sum`]; [`Error::ImageIndex`].
    fn co_broadcast(
        &self,
        operand: &mut (impl Operand<Element: Plain> + ?Sized),
        source_image: usize,
    ) -> Result<()>;
}

impl Statements for Image {
    fn this_image(&self) -> usize {
        self.executing().position().expect("an image executes in its set") + 1
    }

    fn num_images(&self) -> usize {
        self.executing().len()
    }

    #[inline]
    fn sync_all(&self) -> Result<()> {
        sync_all(self, &self.executing())
    }

    fn sync_images(&self, indices: &[usize]) -> Result<()> {
        let set = self.executing();
        let narrow = |&index: &usize| {
            i32::try_from(index).map_err(|_| Error::ImageIndex {
                index: i64::try_from(index).unwrap_or(i64::MAX),
                images: set.len(),
            })
        };
        let indices = indices.iter().map(narrow).collect::<Result<SmallVec<[i32; 16]>>>()?;
        sync_images(self, &set, &indices)
    }

    fn sync_images_all(&self) -> Result<()> {
        sync_images_all(self, &self.executing())
    }

    fn sync_memory(&self) -> Result<()> {
        sync_memory(self)
    }

    fn task<T>(
        &self,
        on: impl Into<Selection>,
        body: impl FnOnce(&Image) -> Result<T>,
    ) -> Result<Option<T>> {
        task(self, on, body)?.transpose()
    }

    fn co_sum(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()> {
        allreduce(self, &self.executing(), operand.elements(), Op::Sum)
    }

    fn co_min(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()> {
        allreduce(self, &self.executing(), operand.elements(), Op::Min)
    }

    fn co_max(&self, operand: &mut (impl Operand<Element: Number> + ?Sized)) -> Result<()> {
        allreduce(self, &self.executing(), operand.elements(), Op::Max)
    }

    fn co_to(
        &self,
        result_image: usize,
        op: Op,
        operand: &mut (impl Operand<Element: Number> + ?Sized),
    ) -> Result<()> {
        let root = position_of(self, result_image)?;
        reduce(self, &self.executing(), root, operand.elements(), op)
    }

    fn co_reduce<O: Operand + ?Sized>(
        &self,
        operand: &mut O,
        operation: impl Fn(O::Element, O::Element) -> O::Element,
    ) -> Result<()> {
        allreduce_by(self, &self.executing(), operand.elements(), operation)
    }

    fn co_broadcast(
        &self,
        operand: &mut (impl Operand<Element: Plain> + ?Sized),
        source_image: usize,
    ) -> Result<()> {
        let root = position_of(self, source_image)?;
        broadcast(self, &self.executing(), root, operand.elements())
    }
}
