//! Collectives that begin now and are waited for later, as methods of an image or on a team.

use super::call_site::begun;
use super::index::position_of;
use super::on_team::OnTeam;
use super::operation::without_unwinding;
use super::party::LastingParty;
use crate::sync::complete_remote;
use bytemuck::Pod;
use std::panic::Location;
use xmp_collectives::nonblocking::{
    Handle, allgather, allreduce, allreduce_by, alltoall, alltoallv, barrier, broadcast, exscan,
    exscan_by, gather, gatherv, locate, reduce_scatter, scan, scan_by, scatter, scatterv,
};
use xmp_collectives::{Located, Number, Op};
use xmp_core::{Image, Result};

/// Collectives that go on while the image does something else. Each gives a [`Handle`], to be tested or waited for; the operation owns
/// the values until then, and [`Handle::wait`] returns the result.
///
/// They refer to the set that executes when they begin, or to the team that they are used on; they may be completed elsewhere,
/// even when the team has been left. Any number may be in flight. All images of a set begin its operations in the same order.
/// Operations of different sets have no order, and neither have operations and collectives that do not go on in the background.
/// An operation advances whenever this image waits for anything, or tests a handle. An index of no image of the set is the error
/// [`xmp_core::Error::ImageIndex`].
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// run_on_threads(4, |image| {
///     let me = image.this_image() as i64;
///     let pairs = image.form_team((me + 1) / 2)?;
///     let sum = image.begin_co_sum(vec![me, 1]);
///     let least = image.on(&pairs)?.begin_co_min(vec![me]);
///     // Something else.
///     image.sync_all()?;
///     assert_eq!(least.wait()?, [if me <= 2 { 1 } else { 3 }]);
///     assert_eq!(sum.wait()?, [10, 4]);
///     Ok(())
/// })?;
/// # Ok::<(), Error>(())
/// ```
pub trait Background<'i>: LastingParty<'i> {
    /// Complete when all images have begun it: what each did before that is visible to all after the wait.
    ///
    /// # Errors
    /// When an image that has pending operations cannot be reached.
    #[track_caller]
    fn begin_sync_all(self) -> Result<Handle<'i, ()>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_sync_all", image, || {
            complete_remote(image)?;
            Ok(barrier(image, &set))
        })
    }

    /// The sums over all images, for all of them, with the bits of [`co_sum`](super::Statements::co_sum).
    #[track_caller]
    fn begin_co_sum<T: Number>(self, values: Vec<T>) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        allreduce(image, &set, values, Op::Sum).begun_by("begin_co_sum", Location::caller())
    }

    /// The least over all images, for all of them.
    #[track_caller]
    fn begin_co_min<T: Number>(self, values: Vec<T>) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        allreduce(image, &set, values, Op::Min).begun_by("begin_co_min", Location::caller())
    }

    /// The greatest over all images, for all of them.
    #[track_caller]
    fn begin_co_max<T: Number>(self, values: Vec<T>) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        allreduce(image, &set, values, Op::Max).begun_by("begin_co_max", Location::caller())
    }

    /// The least over all images and the location of each ([`co_minloc`](super::Statements::co_minloc)), for all of them.
    ///
    /// # Errors
    /// When there is not a location for each value.
    #[track_caller]
    fn begin_co_minloc<T: Number>(
        self,
        values: Vec<T>,
        locations: Vec<i64>,
    ) -> Result<Handle<'i, (Vec<T>, Vec<i64>)>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_minloc", image, || {
            locate(image, &set, values, locations, Located::least::<T>())
        })
    }

    /// The greatest over all images, as [`begin_co_minloc`](Self::begin_co_minloc).
    ///
    /// # Errors
    /// When there is not a location for each value.
    #[track_caller]
    fn begin_co_maxloc<T: Number>(
        self,
        values: Vec<T>,
        locations: Vec<i64>,
    ) -> Result<Handle<'i, (Vec<T>, Vec<i64>)>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_maxloc", image, || {
            locate(image, &set, values, locations, Located::greatest::<T>())
        })
    }

    /// Gives each image its part of the sum, the least or the greatest of the values of all, which have an equal part for each image.
    ///
    /// # Errors
    /// When the values cannot be dealt equally to the images.
    #[track_caller]
    fn begin_co_reduce_scatter<T: Number>(
        self,
        values: Vec<T>,
        op: Op,
    ) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_reduce_scatter", image, || reduce_scatter(image, &set, values, op))
    }

    /// Combines all images by an associative operation, for all of them. All give the same function or closure of the source.
    #[track_caller]
    fn begin_co_reduce<T: Pod>(
        self,
        values: Vec<T>,
        operation: impl Fn(T, T) -> T + 'static,
    ) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        allreduce_by(image, &set, values, without_unwinding(operation))
            .begun_by("begin_co_reduce", Location::caller())
    }

    /// The values of image `source_image`, for all images. The others give as many values, which are ignored.
    #[track_caller]
    fn begin_co_broadcast<T: Pod>(
        self,
        values: Vec<T>,
        source_image: usize,
    ) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_broadcast", image, || {
            broadcast(image, &set, position_of(&set, source_image)?, values)
        })
    }

    /// Gathers `mine` of all images, of one length everywhere, in the order of the images, for all of them.
    #[track_caller]
    fn begin_co_allgather<T: Pod>(self, mine: &[T]) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        allgather(image, &set, mine).begun_by("begin_co_allgather", Location::caller())
    }

    /// Gathers `mine` of all images, of one length everywhere, on image `result_image`; the others get nothing.
    #[track_caller]
    fn begin_co_gather<T: Pod>(
        self,
        mine: &[T],
        result_image: usize,
    ) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_gather", image, || {
            gather(image, &set, position_of(&set, result_image)?, mine)
        })
    }

    /// For each image the next `len` of the values of image `source_image`; the values of the others are ignored.
    ///
    /// # Errors
    /// [`xmp_core::Error::ImageIndex`]; on image `source_image` when the values are not `len` for each image.
    #[track_caller]
    fn begin_co_scatter<T: Pod>(
        self,
        values: Vec<T>,
        len: usize,
        source_image: usize,
    ) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_scatter", image, || {
            scatter(image, &set, position_of(&set, source_image)?, values, len)
        })
    }

    /// Exchanges an equal part of the values with each image; the result is in the order of the images.
    ///
    /// # Errors
    /// When the values cannot be dealt equally to the images.
    #[track_caller]
    fn begin_co_alltoall<T: Pod>(self, values: Vec<T>) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_alltoall", image, || alltoall(image, &set, values))
    }

    /// Begins a gather of parts of different lengths. The lengths of all images are in `lens` on image
    /// `result_image`, where the parts come one after the other.
    ///
    /// # Errors
    /// [`xmp_core::Error::ImageIndex`]; on image `result_image` when there is not a length for each image, or its own
    /// is another one.
    #[track_caller]
    fn begin_co_gatherv<T: Pod>(
        self,
        mine: Vec<T>,
        lens: &[usize],
        result_image: usize,
    ) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_gatherv", image, || {
            gatherv(image, &set, position_of(&set, result_image)?, mine, lens)
        })
    }

    /// Begins a scatter of parts of different lengths. The lengths for all images are in `lens` on image `source_image`, whose values
    /// are the parts, one after the other. This image gets `len` values.
    ///
    /// # Errors
    /// [`xmp_core::Error::ImageIndex`]; on image `source_image` when the lengths are not those of the values, or its
    /// own is another one.
    #[track_caller]
    fn begin_co_scatterv<T: Pod>(
        self,
        values: Vec<T>,
        lens: &[usize],
        len: usize,
        source_image: usize,
    ) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_scatterv", image, || {
            scatterv(image, &set, position_of(&set, source_image)?, values, lens, len)
        })
    }

    /// Begins an exchange of parts of different lengths: `give` has the lengths of the parts for each image, `get`
    /// those of the parts from each.
    ///
    /// # Errors
    /// When there is not a length for each image, or those to give are not those of the values.
    #[track_caller]
    fn begin_co_alltoallv<T: Pod>(
        self,
        values: Vec<T>,
        give: &[usize],
        get: &[usize],
    ) -> Result<Handle<'i, Vec<T>>> {
        let (image, set) = (self.image(), self.set());
        begun("begin_co_alltoallv", image, || alltoallv(image, &set, values, give, get))
    }

    /// Sum, least or greatest of this image and all before it: the bits of [`co_scan`](super::Scans::co_scan).
    #[track_caller]
    fn begin_co_scan<T: Number>(self, values: Vec<T>, op: Op) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        scan(image, &set, values, op).begun_by("begin_co_scan", Location::caller())
    }

    /// Sum, least or greatest of all images before this one; image 1 keeps its values.
    #[track_caller]
    fn begin_co_exscan<T: Number>(self, values: Vec<T>, op: Op) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        exscan(image, &set, values, op).begun_by("begin_co_exscan", Location::caller())
    }

    /// Begins an inclusive scan with an associative operation, which need not be commutative.
    #[track_caller]
    fn begin_co_scan_by<T: Pod>(
        self,
        values: Vec<T>,
        operation: impl Fn(T, T) -> T + 'static,
    ) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        scan_by(image, &set, values, without_unwinding(operation))
            .begun_by("begin_co_scan_by", Location::caller())
    }

    /// Begins an exclusive scan with an associative operation, which need not be commutative.
    #[track_caller]
    fn begin_co_exscan_by<T: Pod>(
        self,
        values: Vec<T>,
        operation: impl Fn(T, T) -> T + 'static,
    ) -> Handle<'i, Vec<T>> {
        let (image, set) = (self.image(), self.set());
        exscan_by(image, &set, values, without_unwinding(operation))
            .begun_by("begin_co_exscan_by", Location::caller())
    }
}

impl<'i> Background<'i> for &'i Image {}

impl<'i> Background<'i> for &OnTeam<'i> {}
