//! The non-blocking operations for Rust programs: safe, on vectors that the operation owns until it is complete.
//!
//! Each function calls its counterpart in [`super::raw`] and leaves the vectors to the operation ([`Handle::map`]).

use super::handle::Handle;
use super::program::{Combine, Memory, Program};
use super::raw;
use super::steps::{self, Step};
use crate::leaders::alltoall::Exchange;
use crate::parts::Table;
use crate::reduction::{Number, Op, Reduction};
use crate::two_level::rank_at;
use crate::typed::{Plain, on_elements};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Result};

/// A barrier: complete when all images of the set have begun it.
pub fn barrier<'i>(image: &'i Image, set: &ImageSet) -> Handle<'i, ()> {
    let memory = Memory::Blocks(std::ptr::NonNull::dangling().as_ptr(), 0);
    let program = Program { steps: steps::barrier(image, set), memory, combine: None };
    // SAFETY: an operation without data accesses no memory.
    unsafe { raw::begin(image, set, program, || ()) }
}

/// Broadcasts the `data` of the image at the 0-based position `root` to all images of the set. The `data` of the others
/// has the same length, and is overwritten.
///
/// # Errors
/// When the root is not in the set.
pub fn broadcast<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mut data: Vec<T>,
) -> Result<Handle<'i, Vec<T>>> {
    let (buffer, len) = (data.as_mut_ptr().cast(), size_of_val(data.as_slice()));
    // SAFETY: plain data, which the operation owns from here to its end.
    let handle = unsafe { raw::broadcast(image, set, root, buffer, len)? };
    Ok(handle.map(move |()| data))
}

/// Defines a reduction of numbers by an [`Op`], and the same operation by a function of the program.
macro_rules! reduction {
    ($(#[$of_numbers:meta])* $name:ident, $(#[$by_function:meta])* $name_by:ident) => {
        $(#[$of_numbers])*
        pub fn $name<'i, T: Number>(
            image: &'i Image,
            set: &ImageSet,
            mut data: Vec<T>,
            op: Op,
        ) -> Handle<'i, Vec<T>> {
            let (buffer, count) = (data.as_mut_ptr().cast(), data.len());
            let combine = Combine::By(Reduction::number::<T>(op));
            // SAFETY: numbers, which the operation owns from here to its end.
            let handle = unsafe { raw::$name(image, set, buffer, count, combine) };
            handle.map(move |()| data)
        }

        $(#[$by_function])*
        pub fn $name_by<'i, T: Plain>(
            image: &'i Image,
            set: &ImageSet,
            mut data: Vec<T>,
            operation: impl Fn(T, T) -> T + 'static,
        ) -> Handle<'i, Vec<T>> {
            let (buffer, count) = (data.as_mut_ptr().cast(), data.len());
            let combine = Combine::User(size_of::<T>(), Box::new(on_elements(operation)));
            // SAFETY: plain data, which the operation owns from here to its end.
            let handle = unsafe { raw::$name(image, set, buffer, count, combine) };
            handle.map(move |()| data)
        }
    };
}

reduction! {
    /// Combines the `data` of all images, element by element; all get the result, the same bits everywhere, and the
    /// same as those of the blocking [`crate::allreduce`].
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
    allreduce,
    /// Combines the `data` of all images by an associative `operation`, which need not be commutative. It is called
    /// whenever this image advances its non-blocking operations, and must not use the runtime.
    allreduce_by
}

reduction! {
    /// Combines the `data` of all images up to this one in the order of the set, element by element: the bits of the
    /// blocking
    /// [`fn@crate::scan`].
    ///
    /// ```
    /// use xmp_collectives::{Op, nonblocking};
    /// use xmp_core::transport::threads;
    /// let results = threads::run(3, 1, |image| {
    ///     let (set, mine) = (image.executing(), vec![image.rank().image()]);
    ///     let upto = nonblocking::scan(image, &set, mine.clone(), Op::Sum);
    ///     let before = nonblocking::exscan(image, &set, mine, Op::Sum);
    ///     Ok::<_, xmp_core::Error>((before.wait()?[0], upto.wait()?[0]))
    /// })?;
    /// assert_eq!(results, [Ok((1, 1)), Ok((1, 3)), Ok((3, 6))]);
    /// # Ok::<(), xmp_core::Error>(())
    /// ```
    scan,
    /// Combines the `data` of all images up to this one by an associative `operation`, which need not be commutative
    /// and is called like that of [`allreduce_by`].
    scan_by
}

reduction! {
    /// Combines the `data` of all images before this one in the order of the set; the first image keeps its `data`.
    exscan,
    /// Combines the `data` of all images before this one by an associative `operation`; the first image keeps its
    /// `data`.
    exscan_by
}

/// Combines the `data` of all images, element by element, on the image at the 0-based position `root`. The results of
/// the other images are undefined.
///
/// # Errors
/// When the root is not in the set.
pub fn reduce<'i, T: Number>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mut data: Vec<T>,
    op: Op,
) -> Result<Handle<'i, Vec<T>>> {
    let (buffer, count) = (data.as_mut_ptr().cast(), data.len());
    let combine = Combine::By(Reduction::number::<T>(op));
    // SAFETY: numbers, which the operation owns from here to its end.
    let handle = unsafe { raw::reduce(image, set, root, buffer, count, combine)? };
    Ok(handle.map(move |()| data))
}

/// Gathers `mine` of all images, in the order of the set, on all of them; all give the same number of elements.
pub fn allgather<'i, T: Plain>(image: &'i Image, set: &ImageSet, mine: &[T]) -> Handle<'i, Vec<T>> {
    let mut all = Room::new(mine.len() * set.len());
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    // SAFETY: `all` has room for the elements of all images, and the operation owns it from here to its end.
    let handle = unsafe { raw::allgather(image, set, mine, all.start(), len) };
    // SAFETY: an allgather that succeeds has written the elements of all images.
    handle.map(move |()| unsafe { all.filled() })
}

/// Gathers `mine` of all images, in the order of the set, on the image at the 0-based position `root`; the others get
/// an empty vector. All give the same number of elements.
///
/// # Errors
/// When the root is not in the set.
pub fn gather<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    mine: &[T],
) -> Result<Handle<'i, Vec<T>>> {
    let is_root = set.position() == Some(root);
    let mut all = Room::new(if is_root { mine.len() * set.len() } else { 0 });
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    // SAFETY: on the root `all` has room for the elements of all images; the operation owns it from here to its end.
    let handle = unsafe { raw::gather(image, set, root, mine, all.start(), len)? };
    // SAFETY: a gather that succeeds has written the elements of all images on the root.
    Ok(handle.map(move |()| unsafe { all.filled() }))
}

/// Scatters the elements `all` of the image at the 0-based position `root`: each image gets `len` of them, in the order
/// of the set. The `all` of the other images is ignored.
///
/// # Errors
/// When the root is not in the set, or does not give `len` elements for each image. Only the root can find
/// the latter; it has not begun the operation then.
pub fn scatter<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    root: usize,
    all: Vec<T>,
    len: usize,
) -> Result<Handle<'i, Vec<T>>> {
    let (n, given) = (set.len(), all.len());
    if set.position() == Some(root) && len.checked_mul(n) != Some(given) {
        return Err(Error::Invalid(format!(
            "scatter of {given} elements to {n} images that get {len} each"
        )));
    }
    let mut mine = Room::<T>::new(len);
    let bytes = len * size_of::<T>();
    // SAFETY: on the root `all` has `len` elements for each image, and is read during the call only; the operation owns
    // `mine` from here to its end.
    let handle =
        unsafe { raw::scatter(image, set, root, all.as_ptr().cast(), mine.start(), bytes)? };
    // SAFETY: a scatter that succeeds has written the elements of this image.
    Ok(handle.map(move |()| unsafe { mine.filled() }))
}

/// Sends part i of `data` to the image at position i, and returns the parts received, in the order of the sender. All
/// parts of all images have the same length.
///
/// # Errors
/// When the elements cannot be dealt equally to the images of the set.
pub fn alltoall<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
) -> Result<Handle<'i, Vec<T>>> {
    let (n, given) = (set.len(), data.len());
    if !given.is_multiple_of(n) {
        return Err(Error::Invalid(format!("alltoall of {given} elements to {n} images")));
    }
    let mut receive = Room::<T>::new(given);
    let (send, len) = (data.as_ptr().cast(), given / n * size_of::<T>());
    // SAFETY: both have `len` bytes for each image, and the operation owns them from here to its end.
    let handle = unsafe { raw::alltoall(image, set, send, receive.start(), len) };
    Ok(handle.map(move |()| {
        drop(data);
        // SAFETY: an alltoall that succeeds has written the parts of all images.
        unsafe { receive.filled() }
    }))
}

/// Gathers `mine` of all images, one behind the other in the order of the set, on the image at the 0-based position
/// `root`; the others get an empty vector. Only the root reads `lens`: how many elements it expects of
/// each image. (MPI_IGATHERV: MPI 4.1, 6.12.)
///
/// # Errors
/// When the root is not in the set, or does not say the length of each part, with its own as it is. Only the root
/// can find the latter; it has not begun the operation then.
pub fn gatherv<'i, T: Plain>(
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

/// Scatters parts of different lengths from the image at the 0-based position `root`; this image gets `len` elements.
/// Only the root reads `all` and `lens`: the parts follow one another in `all`, in the order of the set, with these
/// lengths. (MPI_ISCATTERV: MPI 4.1, 6.12.)
///
/// # Errors
/// When the root is not in the set, or does not say the length of each part, with its own as it is. Only the root
/// can find the latter; it has not begun the operation then.
pub fn scatterv<'i, T: Plain>(
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
    Ok(deal(image, set, all, &lens, steps::scatterv(set, root)))
}

/// Sends part i of `data` to the image at position i, and returns the parts received, in the order of the sender. The
/// parts follow one another and have the lengths `give` and `get`. (MPI_IALLTOALLV:
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
pub fn alltoallv<'i, T: Plain>(
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

/// Sends part i of `data` to the image at position i, and returns the parts received, in the order of the sender. The
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
            "exchange: {} and {} elements from this image to itself",
            give[me], get[me]
        )));
    }
    let len = |block: usize| *give.get(block).unwrap_or_else(|| &get[block - give.len()]);
    let steps = steps::some_of_alltoall(set, |block| len(block) > 0);
    Ok(deal(image, set, data, &lens, steps))
}

/// Room for elements that an operation writes.
struct Room<T> {
    elements: Vec<T>,
    len: usize,
}

impl<T: Plain> Room<T> {
    fn new(len: usize) -> Room<T> {
        Room { elements: Vec::with_capacity(len), len }
    }

    fn start(&mut self) -> *mut u8 {
        self.elements.as_mut_ptr().cast()
    }

    /// # Safety
    /// All elements have been written.
    unsafe fn filled(mut self) -> Vec<T> {
        // SAFETY: there is capacity for `len` elements (`new`), which are initialised (contract above).
        unsafe { self.elements.set_len(self.len) };
        self.elements
    }
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

/// Begins an operation with the blocks of an alltoall, which have these lengths and follow one another.
fn deal<'i, T: Plain>(
    image: &'i Image,
    set: &ImageSet,
    data: Vec<T>,
    lens: &Lens<'_>,
    steps: Vec<Step>,
) -> Handle<'i, Vec<T>> {
    let mut room = Room::<T>::new(lens.get.iter().sum());
    let in_bytes = |lens: &[usize]| Table::packed(lens.iter().map(|len| len * size_of::<T>())).0;
    let (give, get) = (in_bytes(lens.give), in_bytes(lens.get));
    let exchange = Exchange {
        send: data.as_ptr().cast(),
        send_parts: give.parts(),
        receive: room.start(),
        receive_parts: get.parts(),
    };
    // SAFETY: both hold their parts, and the operation owns them from here to its end.
    let handle = unsafe { raw::deal(image, set, &exchange, steps) };
    handle.map(move |()| {
        drop(data);
        // SAFETY: an operation that succeeds has written all parts that this image gets.
        unsafe { room.filled() }
    })
}
