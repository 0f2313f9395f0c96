//! Non-blocking gather, scatter and alltoall for Rust programs.

use super::ResultBuffer;
use crate::nonblocking::handle::Handle;
use crate::nonblocking::program::Combine;
use crate::nonblocking::raw;
use crate::nonblocking::steps::{self, Step};
use crate::part_buffers::AlltoallBuffers;
use crate::parts::Table;
use crate::reduction::{Number, Op, Reduction};
use crate::signature::{Kind, Signature};
use crate::two_level::rank_at;
use bytemuck::Pod;
use xmp_core::counted::counted;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Gathers `mine` of all images, in the order of the set, on the image at the 0-based position `root`; the others get
/// an empty vector. All give the same number of elements.
pub fn gather<'i, T: Pod>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mine: &[T],
) -> Result<Handle<'i, Vec<T>>> {
    let is_root = set.position() == Some(root);
    let mut all = ResultBuffer::new(if is_root { mine.len() * set.len() } else { 0 });
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    // SAFETY: on the root `all` has room for the elements of all images, which the gather writes. The operation owns it to
    // its end.
    let handle = unsafe { raw::gather(image, set, root, mine, all.start(), len)? };
    Ok(all.filled_by(handle))
}

/// Scatters the elements `all` of the image at the 0-based position `root`: each image gets `len` of them, in the order
/// of the set. The `all` of the other images is ignored.
///
/// # Errors
/// When the root is not in the set, or does not give `len` elements for each image. Only the root can find
/// the latter; it has not begun the operation then.
pub fn scatter<'i, T: Pod>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    all: Vec<T>,
    len: usize,
) -> Result<Handle<'i, Vec<T>>> {
    let (n, given) = (set.len(), all.len());
    if set.position() == Some(root) && len.checked_mul(n) != Some(given) {
        return Err(Error::Invalid(format!(
            "scatter of {} to {} that get {len} each",
            counted(given, "element"),
            counted(n, "image")
        )));
    }
    let mut mine = ResultBuffer::<T>::new(len);
    let bytes = len * size_of::<T>();
    // SAFETY: on the root `all` has `len` elements for each image, and is read during the call only. `mine` has room for
    // the elements of this image, which the scatter writes. The operation owns it to its end.
    let handle =
        unsafe { raw::scatter(image, set, root, all.as_ptr().cast(), mine.start(), bytes)? };
    Ok(mine.filled_by(handle))
}

/// Combines the vectors `data` of all images, element by element, and returns this image's part: they have an equal part for each image,
/// in the order of the set.
///
/// # Errors
/// When the elements cannot be dealt equally to the images of the set.
pub fn reduce_scatter<'i, T: Number>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    op: Op,
) -> Result<Handle<'i, Vec<T>>> {
    let (n, given) = (set.len(), data.len());
    if !given.is_multiple_of(n) {
        let (given, images) = (counted(given, "element"), counted(n, "image"));
        return Err(Error::Invalid(format!("reduce_scatter of {given} to {images}")));
    }
    let (all, count) = (data.as_ptr().cast(), given / n);
    let (mut mine, combine) =
        (ResultBuffer::<T>::new(count), Combine::By(Reduction::number::<T>(op)));
    // SAFETY: `data` has `count` elements for each image, and `mine` has room for as many. The operation owns both to its end.
    let handle = unsafe { raw::reduce_scatter(image, set, all, mine.start(), count, combine) };
    Ok(keep(data, mine.filled_by(handle)))
}

/// Sends part i of `data` to the image at position i, and returns the parts received, in the order of the senders. All
/// parts of all images have the same length.
///
/// # Errors
/// When the elements cannot be dealt equally to the images of the set.
pub fn alltoall<'i, T: Pod>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
) -> Result<Handle<'i, Vec<T>>> {
    let (n, given) = (set.len(), data.len());
    if !given.is_multiple_of(n) {
        let (given, images) = (counted(given, "element"), counted(n, "image"));
        return Err(Error::Invalid(format!("alltoall of {given} to {images}")));
    }
    let mut receive = ResultBuffer::<T>::new(given);
    let (send, len) = (data.as_ptr().cast(), given / n * size_of::<T>());
    // SAFETY: both have `len` bytes for each image; the alltoall writes those of `receive`. The operation owns both to its
    // end.
    let handle = unsafe { raw::alltoall(image, set, send, receive.start(), len) };
    Ok(keep(data, receive.filled_by(handle)))
}

/// Gathers `mine` of all images, one after the other in the order of the set, on the image at the 0-based position
/// `root`; the others get an empty vector. Only the root reads `lens`: the number of elements that it expects of each
/// image. (MPI_IGATHERV: MPI 4.1, 6.12.)
///
/// # Errors
/// When the root is not in the set, or does not give the length of each part, its own included. Only the root can find
/// the latter; it has not begun the operation then.
pub fn gatherv<'i, T: Pod>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mine: Vec<T>,
    lens: &[usize],
) -> Result<Handle<'i, Vec<T>>> {
    rank_at(set, root)?;
    let (mut give, mut get) = (vec![0; set.len()], vec![0; set.len()]);
    give[root] = mine.len();
    if set.position() == Some(root) {
        get = lens.to_vec();
    }
    let lens = Lens { give: &give, get: &get };
    lens.check("gatherv", set, mine.len())?;
    let signature = Signature::of_any_parts(Kind::Gatherv).root(Some(root));
    Ok(deal(image, set, mine, &lens, steps::gatherv(set, root), Some(signature)))
}

/// Scatters parts of different lengths from the image at the 0-based position `root`; this image gets `len` elements.
/// Only the root reads `all` and `lens`: the parts follow one another in `all`, in the order of the set, with these
/// lengths. (MPI_ISCATTERV: MPI 4.1, 6.12.)
///
/// # Errors
/// When the root is not in the set, or does not give the length of each part, its own included. Only the root can find
/// the latter; it has not begun the operation then.
pub fn scatterv<'i, T: Pod>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mut all: Vec<T>,
    lens: &[usize],
    len: usize,
) -> Result<Handle<'i, Vec<T>>> {
    rank_at(set, root)?;
    let (mut give, mut get) = (vec![0; set.len()], vec![0; set.len()]);
    get[root] = len;
    if set.position() == Some(root) {
        give = lens.to_vec();
    } else {
        all.clear();
    }
    let lens = Lens { give: &give, get: &get };
    lens.check("scatterv", set, all.len())?;
    let signature = Signature::of_any_parts(Kind::Scatterv).root(Some(root));
    Ok(deal(image, set, all, &lens, steps::scatterv(set, root), Some(signature)))
}

/// Sends part i of `data` to the image at position i, and returns the parts received, in the order of the senders. The
/// parts follow one another and have the lengths `give` and `get`. (MPI_IALLTOALLV: MPI 4.1, 6.12.)
///
/// ```
/// use xmp_collectives::nonblocking;
/// use xmp_core::transport::threads;
/// // Image i has i + 1 numbers for image 0 and nothing for image 1.
/// let results = threads::run(2, 1, |image| {
///     let me = image.rank().get() as usize;
///     let get = if me == 0 { [1, 2] } else { [0, 0] };
///     let set = image.executing();
///     let parts = nonblocking::alltoallv(image, &set, vec![me; me + 1], &[me + 1, 0], &get)?;
///     parts.wait()
/// })?;
/// assert_eq!(results, [Ok(vec![0, 1, 1]), Ok(vec![])]);
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Errors
/// When there is not a length for each image, or the lengths are not those of the data, or this image does not give
/// itself what it expects of itself. Nothing has begun then.
pub fn alltoallv<'i, T: Pod>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    give: &[usize],
    get: &[usize],
) -> Result<Handle<'i, Vec<T>>> {
    let lens = Lens { give, get };
    lens.check("alltoallv", set, data.len())?;
    let signature = Signature::of_any_parts(Kind::Alltoallv);
    Ok(deal(image, set, data, &lens, steps::alltoall(set), Some(signature)))
}

/// Sends part i of `data` to the image at position i, and returns the parts received, in the order of the senders. The
/// parts have the lengths `give` and `get`; for a length of 0 there is no message. All images of the set begin the
/// operation.
///
/// # Errors
/// When there is not a length for each image, the lengths are not those of the data, or one for this image itself is
/// not 0.
pub fn exchange<'i>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<u8>,
    give: &[usize],
    get: &[usize],
) -> Result<Handle<'i, Vec<u8>>> {
    let me = set.position().expect("a member of the set");
    let lens = Lens { give, get };
    lens.check("exchange", set, data.len())?;
    if give[me] + get[me] > 0 {
        return Err(Error::Invalid(format!(
            "exchange: {} to and {} from this image itself",
            counted(give[me], "element"),
            counted(get[me], "element")
        )));
    }
    let len = |block: usize| *give.get(block).unwrap_or_else(|| &get[block - give.len()]);
    let steps = steps::some_of_alltoall(set, |block| len(block) > 0);
    Ok(deal(image, set, data, &lens, steps, None))
}

/// Numbers of elements of the parts to send and to receive, by position in the set.
struct Lens<'a> {
    give: &'a [usize],
    get: &'a [usize],
}

impl Lens<'_> {
    /// Whether the lengths fit the set and the `given` elements.
    fn check(&self, operation: &str, set: &ImageSet, given: usize) -> Result<()> {
        let images = set.len();
        for lens in [self.give, self.get] {
            if lens.len() != images {
                let (lens, images) = (counted(lens.len(), "length"), counted(images, "image"));
                let text = format!("{operation}: {lens} for {images}");
                return Err(Error::Invalid(text));
            }
        }
        let total =
            |lens: &[usize]| lens.iter().try_fold(0, |sum: usize, len| sum.checked_add(*len));
        if total(self.give) != Some(given) {
            let given = counted(given, "element");
            let text = format!("{operation}: the parts to give are not the {given} of the data");
            return Err(Error::Invalid(text));
        }
        if total(self.get).is_none() {
            let text = format!("{operation}: parts of more elements than there can be");
            return Err(Error::Invalid(text));
        }
        let me = set.position().expect("a member of the set");
        if self.give[me] != self.get[me] {
            return Err(Error::Invalid(format!(
                "{operation}: this image gives itself {} where it expects {}",
                counted(self.give[me], "element"),
                self.get[me]
            )));
        }
        Ok(())
    }
}

/// Begins an operation on the parts of an alltoall, which have these lengths and follow one another.
fn deal<'i, T: Pod>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    lens: &Lens<'_>,
    steps: Vec<Step>,
    signature: Option<Signature>,
) -> Handle<'i, Vec<T>> {
    let mut room = ResultBuffer::<T>::new(lens.get.iter().sum());
    let in_bytes = |lens: &[usize]| Table::packed(lens.iter().map(|len| len * size_of::<T>())).0;
    let (give, get) = (in_bytes(lens.give), in_bytes(lens.get));
    let (send, receive) = (data.as_ptr().cast(), room.start());
    // SAFETY: both hold their parts; the operation writes all parts of `room`, and owns both to its end.
    let handle = unsafe {
        let buffers = AlltoallBuffers::new(send, give.parts(), receive, get.parts());
        raw::deal(image, set, &buffers, steps, signature)
    };
    keep(data, room.filled_by(handle))
}

/// The handle of an operation, to whose end `data` lives.
fn keep<'i, T: Pod, R: 'static>(data: Vec<T>, handle: Handle<'i, R>) -> Handle<'i, R> {
    handle.map(move |result| {
        drop(data);
        result
    })
}
