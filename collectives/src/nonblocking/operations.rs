//! The non-blocking operations for Rust programs: safe, on vectors that they own.

use super::handle::Handle;
use super::program::{Combine, Memory, Program};
use super::raw::{begin, steps_for};
use super::steps;
use crate::reduction::{Number, Op, Reduction};
use crate::schedules::binomial_parts;
use crate::two_level::rank_at;
use crate::typed::{Plain, on_elements};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Rank, Result};

/// A barrier: complete when all images of the set have begun it.
///
/// # Panics
/// When this image is not in the set.
pub fn barrier<'i>(image: &'i Image, set: &ImageSet) -> Handle<'i, ()> {
    let memory = Memory::Blocks(std::ptr::NonNull::dangling().as_ptr(), 0);
    let program = Program { steps: steps::barrier(image, set), memory, combine: None };
    // SAFETY: no data.
    unsafe { begin(image, set, program, || ()) }
}

/// All images of the set get the `data` of the one at the 0-based position `root`; that of the others is only as
/// long.
///
/// # Errors
/// When the root is not in the set.
///
/// # Panics
/// When this image is not in the set.
pub fn broadcast<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    data: Vec<T>,
) -> Result<Handle<'i, Vec<T>>> {
    let root = rank_at(set, root)?;
    let steps = |image: &Image| steps::broadcast(image, set, root);
    Ok(on_vector(image, set, data, None, steps))
}

/// Combines the `data` of all images, element by element; all get the result, the same bits everywhere, and the same
/// as those of the blocking [`crate::allreduce`].
///
/// ```
/// use xmp_collectives::{Op, nonblocking};
/// use xmp_core::transport::threads;
/// let results = threads::run(4, 1, |image| {
///     let set = image.executing();
///     let sum = nonblocking::allreduce(image, &set, vec![1.0, 2.0], Op::Sum);
///     let most = nonblocking::allreduce(image, &set, vec![image.rank().get()], Op::Max);
///     // Both go on while this image computes and looks after them from time to time.
///     while !most.test()? {
///         std::hint::spin_loop();
///     }
///     Ok::<_, xmp_core::Error>((most.wait()?, sum.wait()?))
/// })?;
/// assert!(results.into_iter().all(|both| both == Ok((vec![3], vec![4.0, 8.0]))));
/// # Ok::<(), xmp_core::Error>(())
/// ```
///
/// # Panics
/// When this image is not in the set.
pub fn allreduce<'i, T: Number>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    op: Op,
) -> Handle<'i, Vec<T>> {
    let combine = Some(Combine::By(Reduction::number::<T>(op)));
    on_vector(image, set, data, combine, |image| steps::allreduce(image, set))
}

/// As [`allreduce`] with an associative `operation`, which need not be commutative. It is called whenever this image
/// advances its non-blocking operations, and must not use the runtime.
///
/// # Panics
/// When this image is not in the set.
pub fn allreduce_by<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    operation: impl Fn(T, T) -> T + 'static,
) -> Handle<'i, Vec<T>> {
    let combine = Combine::User(size_of::<T>(), Box::new(on_elements(operation)));
    on_vector(image, set, data, Some(combine), |image| steps::allreduce(image, set))
}

/// As [`allreduce`]; only the image at the 0-based position `root` gets the result, and what the others get may be
/// anything.
///
/// # Errors
/// When the root is not in the set.
///
/// # Panics
/// When this image is not in the set.
pub fn reduce<'i, T: Number>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    data: Vec<T>,
    op: Op,
) -> Result<Handle<'i, Vec<T>>> {
    let root: Rank = rank_at(set, root)?;
    let combine = Some(Combine::By(Reduction::number::<T>(op)));
    Ok(on_vector(image, set, data, combine, |image| steps::reduce(image, set, root)))
}

/// Gathers `mine` of all images, in the order of the set, on all of them; all give the same number of elements.
///
/// # Panics
/// When this image is not in the set.
pub fn allgather<'i, T: Plain>(image: &'i Image, set: &ImageSet, mine: &[T]) -> Handle<'i, Vec<T>> {
    let position = set.position().expect("a member of the set");
    let Some(&first) = mine.first() else {
        return on_vector(image, set, Vec::new(), None, |_| Vec::new());
    };
    let mut all = vec![first; mine.len() * set.len()];
    all[..mine.len()].copy_from_slice(mine);
    let own = position * mine.len();
    on_blocks(image, set, all, mine.len(), steps::allgather(set), move |mut all| {
        // Blocks are numbered from this image on.
        all.rotate_right(own);
        all
    })
}

/// Gathers `mine` of all images, in the order of the set, on the image at the 0-based position `root`; the others get an
/// empty vector. All give the same number of elements.
///
/// # Errors
/// When the root is not in the set.
///
/// # Panics
/// When this image is not in the set.
pub fn gather<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mine: &[T],
) -> Result<Handle<'i, Vec<T>>> {
    rank_at(set, root)?;
    let (n, len) = (set.len(), mine.len());
    let relative = (set.position().expect("a member of the set") + n - root) % n;
    let Some(&first) = mine.first() else {
        return Ok(on_vector(image, set, Vec::new(), None, |_| Vec::new()));
    };
    let mut held = vec![first; len * binomial_parts::held(n, relative)];
    held[..len].copy_from_slice(mine);
    Ok(on_blocks(image, set, held, len, steps::gather(set, root), move |mut held| {
        match relative {
            0 => held.rotate_right(root * len),
            _ => held.clear(),
        }
        held
    }))
}

/// Each image gets its part of the `all` that the one at the 0-based position `root` gives: `len` elements, the first for
/// the first of the set. What the others give is not looked at.
///
/// # Errors
/// When the root is not in the set, or does not give `len` elements for each image. The root alone can see the latter;
/// it has not begun anything then.
///
/// # Panics
/// When this image is not in the set.
pub fn scatter<'i, T: Plain + Default>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mut all: Vec<T>,
    len: usize,
) -> Result<Handle<'i, Vec<T>>> {
    rank_at(set, root)?;
    let n = set.len();
    let relative = (set.position().expect("a member of the set") + n - root) % n;
    if relative == 0 && all.len() != len * n {
        let given = all.len();
        return Err(Error::Invalid(format!(
            "scatter of {given} elements to {n} images that get {len} each"
        )));
    }
    match relative {
        0 => all.rotate_left(root * len),
        _ => all = vec![T::default(); len * binomial_parts::held(n, relative)],
    }
    if len == 0 {
        return Ok(on_vector(image, set, Vec::new(), None, |_| Vec::new()));
    }
    Ok(on_blocks(image, set, all, len, steps::scatter(set, root), move |mut all| {
        all.truncate(len);
        all
    }))
}

/// Each image gives each one of the set a part of its `data`, the first to the first, and gets the parts that are for it,
/// in the order of the set. All give the same number of elements.
///
/// # Errors
/// When the elements cannot be dealt equally to the images of the set.
///
/// # Panics
/// When this image is not in the set.
pub fn alltoall<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    mut data: Vec<T>,
) -> Result<Handle<'i, Vec<T>>> {
    let (n, given) = (set.len(), data.len());
    if !given.is_multiple_of(n) {
        return Err(Error::Invalid(format!("alltoall of {given} elements to {n} images")));
    }
    if given == 0 {
        return Ok(on_vector(image, set, data, None, |_| Vec::new()));
    }
    // Behind the parts to give, room for those to get; this image's own is there already.
    data.extend_from_within(..);
    Ok(on_blocks(image, set, data, given / n, steps::alltoall(set), move |mut data| {
        data.split_off(given)
    }))
}

/// An operation on a vector as a whole.
fn on_vector<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    mut data: Vec<T>,
    combine: Option<Combine>,
    steps: impl FnOnce(&Image) -> Vec<steps::Step>,
) -> Handle<'i, Vec<T>> {
    let len = size_of_val(data.as_slice());
    let memory = Memory::Vector(data.as_mut_ptr().cast(), len);
    let program = Program { steps: steps_for(len, || steps(image)), memory, combine };
    // SAFETY: `data` is plain, goes to the operation, and is not touched there before its end.
    unsafe { begin(image, set, program, move || data) }
}

/// An operation on blocks of `len` elements.
fn on_blocks<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    mut data: Vec<T>,
    len: usize,
    steps: Vec<steps::Step>,
    finish: impl FnOnce(Vec<T>) -> Vec<T> + 'static,
) -> Handle<'i, Vec<T>> {
    let memory = Memory::Blocks(data.as_mut_ptr().cast(), len * size_of::<T>());
    let program = Program { steps, memory, combine: None };
    // SAFETY: as in `on_vector`.
    unsafe { begin(image, set, program, move || finish(data)) }
}
