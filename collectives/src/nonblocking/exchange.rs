//! Messages between images of a set, whose lengths both sides know; gather, scatter and alltoall of parts of any length.

use super::handle::Handle;
use super::program::{Memory, Program};
use super::raw::begin;
use super::steps::{self, Step};
use crate::parts::prefix_sums;
use crate::two_level::rank_at;
use crate::typed::Plain;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// Begins to give and get messages: `data` has those for the image at position 0, 1 and so on, one behind the other, of
/// the lengths `give`; what comes is in the same order, of the lengths `get`. An image that has nothing to exchange with
/// another one has the length 0 for it, and there is no message; all images of the set begin the operation.
///
/// # Errors
/// When there is not a length for each image, the lengths are not those of the data, or one for this image itself is
/// not 0.
///
/// # Panics
/// When this image is not in the set.
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
            "exchange: {} and {} elements from this image to itself",
            give[me], get[me]
        )));
    }
    let len = |block: usize| *give.get(block).unwrap_or_else(|| &get[block - give.len()]);
    let steps = steps::some_of_alltoall(set, |block| len(block) > 0);
    Ok(deal(image, set, data, &lens, steps))
}

/// Gathers `mine` of all images, one behind the other in the order of the set, on the image at the 0-based position
/// `root`; the others get an empty vector. `lens` is looked at on the root only, and says how many elements of each are
/// expected there. (As MPI_IGATHERV: MPI 4.1, 6.12.)
///
/// # Errors
/// When the root is not in the set, or does not say the length of each part, with its own as it is. The root alone can
/// see the latter; it has not begun anything then.
///
/// # Panics
/// When this image is not in the set.
pub fn gatherv<'i, T: Plain + Default>(
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
    Ok(deal(image, set, mine, &lens, steps::gatherv(set, root)))
}

/// Each image gets its part, of `len` elements, of the `all` that the one at the 0-based position `root` gives. `all` and
/// `lens` are looked at on the root only: the parts are one behind the other in `all`, in the order of the set, and have
/// these lengths. (As MPI_ISCATTERV: MPI 4.1, 6.12.)
///
/// # Errors
/// When the root is not in the set, or does not say the length of each part, with its own as it is. The root alone can
/// see the latter; it has not begun anything then.
///
/// # Panics
/// When this image is not in the set.
pub fn scatterv<'i, T: Plain + Default>(
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
        give = lens.to_vec()
    } else {
        all.clear()
    }
    let lens = Lens { give: &give, get: &get };
    lens.check("scatterv", set, all.len())?;
    Ok(deal(image, set, all, &lens, steps::scatterv(set, root)))
}

/// Each image gives each one of the set a part of its `data` - these are one behind the other in the order of the set, of
/// the lengths `give` - and gets the parts that are for it in the same order, of the lengths `get`. (As MPI_IALLTOALLV:
/// MPI 4.1, 6.12.)
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
///
/// # Panics
/// When this image is not in the set.
pub fn alltoallv<'i, T: Plain + Default>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    give: &[usize],
    get: &[usize],
) -> Result<Handle<'i, Vec<T>>> {
    let lens = Lens { give, get };
    lens.check("alltoallv", set, data.len())?;
    Ok(deal(image, set, data, &lens, steps::alltoall(set)))
}

/// Lengths in elements, by position in the set.
struct Lens<'a> {
    give: &'a [usize],
    get: &'a [usize],
}

impl Lens<'_> {
    /// Whether they fit the set and `given` elements.
    fn check(&self, operation: &str, set: &ImageSet, given: usize) -> Result<()> {
        let images = set.len();
        for lens in [self.give, self.get] {
            if lens.len() != images {
                let lens = lens.len();
                let text = format!("{operation}: {lens} lengths for {images} images");
                return Err(Error::Invalid(text));
            }
        }
        let total =
            |lens: &[usize]| lens.iter().try_fold(0, |sum: usize, len| sum.checked_add(*len));
        if total(self.give) != Some(given) {
            let text =
                format!("{operation}: the parts to give are not the {given} elements there are");
            return Err(Error::Invalid(text));
        }
        if total(self.get).is_none() {
            let text = format!("{operation}: parts of more elements than there can be");
            return Err(Error::Invalid(text));
        }
        let me = set.position().expect("a member of the set");
        if self.give[me] != self.get[me] {
            return Err(Error::Invalid(format!(
                "{operation}: this image gives itself {} elements where it expects {}",
                self.give[me], self.get[me]
            )));
        }
        Ok(())
    }
}

/// Begins an operation with the blocks of an alltoall, of these lengths, and with its own part copied.
fn deal<'i, T: Plain + Default>(
    image: &'i Image,
    set: &ImageSet,
    mut data: Vec<T>,
    lens: &Lens<'_>,
    steps: Vec<Step>,
) -> Handle<'i, Vec<T>> {
    let (me, n, given) = (set.position().expect("a member of the set"), set.len(), data.len());
    let offsets = prefix_sums(lens.give.iter().chain(lens.get).copied());
    // Behind the parts to give, room for those to get.
    data.resize(offsets[2 * n], T::default());
    data.copy_within(offsets[me]..offsets[me + 1], offsets[n + me]);
    let start = data.as_mut_ptr();
    let part =
        |ends: &[usize]| (start.wrapping_add(ends[0]).cast(), (ends[1] - ends[0]) * size_of::<T>());
    let memory = Memory::Parts(offsets.windows(2).map(part).collect());
    let program = Program { steps, memory, combine: None };
    // SAFETY: `data` is plain, goes to the operation, and is not touched there before its end.
    unsafe { begin(image, set, program, move || data.split_off(given)) }
}
