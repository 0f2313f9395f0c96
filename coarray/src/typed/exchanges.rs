//! Collectives that move a part for each image, as methods of an image or on a team.

use super::call_site::called;
use super::index::position_of;
use super::statements::Statements;
use bytemuck::Pod;
use xmp_collectives::{
    Number, Op, Parts, allgather, allgather_in_place, allgatherv, alltoall, alltoallv, gather,
    gatherv, reduce_scatter, scatter, scatterv,
};
use xmp_core::Result;

/// Gathering, scattering and exchanging: collectives with a part of a slice for each image, in the order of the images.
/// Fortran has none of them; the names follow its collective subroutines.
///
/// They refer to the executing set, or to the team that they are used on, like [`Statements`]. Parts of one length
/// follow one another; [`Parts`] describes others, in elements.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(3, |image| {
///     let me = image.this_image();
///     let mut all = [0; 6];
///     image.co_allgather(&[me, 10 * me], &mut all)?;
///     assert_eq!(all, [1, 10, 2, 20, 3, 30]);
///     // Image 1 gives each image as many elements as its index says.
///     let mut mine = vec![0; me];
///     let parts = Parts::Given { lens: &[1, 2, 3], offsets: &[0, 1, 3] };
///     image.co_scatterv(&all, parts, &mut mine, 1)?;
///     assert_eq!(mine, [&[1][..], &[10, 2], &[20, 3, 30]][me - 1]);
///     // Row by row in, column by column out.
///     let mut column = [0; 3];
///     image.co_alltoall(&[10 * me + 1, 10 * me + 2, 10 * me + 3], &mut column)?;
///     assert_eq!(column, [10 + me, 20 + me, 30 + me]);
///     Ok(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
pub trait Exchanges: Statements {
    /// Gives all images what each has in `mine`, as long everywhere; `all` has room for that of all.
    ///
    /// # Errors
    /// When it has not; when an image has stopped or failed. What is in `all` is unspecified then.
    #[track_caller]
    fn co_allgather<T: Pod>(&self, mine: &[T], all: &mut [T]) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_allgather", image, || allgather(image, &set, mine, all))
    }

    /// As [`Exchanges::co_allgather`], where `all` has a part of one length for each image, and that of this image is in its place.
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(3, |image| {
    ///     let mut all = [0; 3];
    ///     all[image.this_image() - 1] = 10 * image.this_image();
    ///     image.co_allgather_in_place(&mut all)?;
    ///     assert_eq!(all, [10, 20, 30]);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When the number of elements is no multiple of the number of images; the errors of [`Exchanges::co_allgather`].
    #[track_caller]
    fn co_allgather_in_place<T: Pod>(&self, all: &mut [T]) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_allgather_in_place", image, || allgather_in_place(image, &set, all))
    }

    /// Gives all images what each has in `mine`; the image with index k gives `lens[k - 1]` elements, which all images know,
    /// and `all` has them one after the other.
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(3, |image| {
    ///     let me = image.this_image();
    ///     let mut all = [0; 6];
    ///     image.co_allgatherv(&vec![me; me], &mut all, &[1, 2, 3])?;
    ///     assert_eq!(all, [1, 2, 2, 3, 3, 3]);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When `mine` has not the length that it has in `lens`, or `all` not that of all together; the errors of
    /// [`Exchanges::co_allgather`].
    #[track_caller]
    fn co_allgatherv<T: Pod>(&self, mine: &[T], all: &mut [T], lens: &[usize]) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_allgatherv", image, || allgatherv(image, &set, mine, all, lens))
    }

    /// Gives image `result_image` what each has in `mine`, as long everywhere; the `all` of the others is not
    /// looked at.
    ///
    /// # Errors
    /// The errors of [`Exchanges::co_allgather`]; [`xmp_core::Error::ImageIndex`].
    #[track_caller]
    fn co_gather<T: Pod>(&self, mine: &[T], all: &mut [T], result_image: usize) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_gather", image, || {
            gather(image, &set, position_of(&set, result_image)?, mine, all)
        })
    }

    /// Gathers parts of different lengths; the lengths that image `result_image` passes count.
    ///
    /// # Errors
    /// The errors of [`Exchanges::co_gather`]; when the parts are not within `all`, or a part is not as long as what
    /// its image has.
    #[track_caller]
    fn co_gatherv<T: Pod>(
        &self,
        mine: &[T],
        all: &mut [T],
        parts: Parts<'_>,
        result_image: usize,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_gatherv", image, || {
            gatherv(image, &set, position_of(&set, result_image)?, mine, all, parts)
        })
    }

    /// Gives each image its part of what image `source_image` has in `all`; the `all` of the others is not looked at.
    ///
    /// # Errors
    /// The errors of [`Exchanges::co_gather`].
    #[track_caller]
    fn co_scatter<T: Pod>(&self, all: &[T], mine: &mut [T], source_image: usize) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_scatter", image, || {
            scatter(image, &set, position_of(&set, source_image)?, all, mine)
        })
    }

    /// Scatters parts of different lengths; the lengths that image `source_image` passes count.
    ///
    /// # Errors
    /// The errors of [`Exchanges::co_gatherv`].
    #[track_caller]
    fn co_scatterv<T: Pod>(
        &self,
        all: &[T],
        parts: Parts<'_>,
        mine: &mut [T],
        source_image: usize,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_scatterv", image, || {
            scatterv(image, &set, position_of(&set, source_image)?, all, parts, mine)
        })
    }

    /// Gives each image its part of the sum, the least or the greatest of what all have in `all`, which has an equal part for each image.
    ///
    /// ```
    /// use xmp_coarray::prelude::*;
    ///
    /// run_on_threads(3, |image| {
    ///     let (all, mut mine) = ([1, 20, 300], [0]);
    ///     image.co_reduce_scatter(&all, &mut mine, Op::Sum)?;
    ///     assert_eq!(mine, [[3], [60], [900]][image.this_image() - 1]);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When `all` is not as long as `mine` times the number of images; when an image has stopped or failed.
    #[track_caller]
    fn co_reduce_scatter<T: Number>(&self, all: &[T], mine: &mut [T], op: Op) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_reduce_scatter", image, || reduce_scatter(image, &set, all, mine, op))
    }

    /// Gives each image its part of what each has in `send`: part i of image k becomes part k of image i.
    ///
    /// # Errors
    /// When the slices are not of one length, which is a multiple of the number of images; when an image has stopped or
    /// failed.
    #[track_caller]
    fn co_alltoall<T: Pod>(&self, send: &[T], receive: &mut [T]) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_alltoall", image, || alltoall(image, &set, send, receive))
    }

    /// Exchanges parts of different lengths; the part that image i expects from image k is as long as the part that k
    /// has for i.
    ///
    /// # Errors
    /// When the parts are not within the slices; when an image has stopped or failed.
    #[track_caller]
    fn co_alltoallv<T: Pod>(
        &self,
        send: &[T],
        send_parts: Parts<'_>,
        receive: &mut [T],
        receive_parts: Parts<'_>,
    ) -> Result<()> {
        let (image, set) = (self.image(), self.set());
        called("co_alltoallv", image, || {
            alltoallv(image, &set, send, send_parts, receive, receive_parts)
        })
    }
}

impl<S: Statements + ?Sized> Exchanges for S {}
