//! The non-blocking operations for Rust programs: safe functions on vectors that the operation owns until it is complete.
//!
//! Each function calls its counterpart in [`super::raw`] and gives the vectors to the operation ([`Handle::map`]).

mod parts;

pub use parts::{
    alltoall, alltoallv, exchange, gather, gatherv, reduce_scatter, scatter, scatterv,
};

use super::handle::Handle;
use super::program::{Combine, Memory, Program};
use super::{raw, steps};
use crate::reduction::{Located, Number, Op, Reduction};
use crate::values::{check_located, number_of, on_elements};
use bytemuck::Pod;
use std::cell::Cell;
use std::rc::Rc;
use xmp_core::image_set::ImageSet;
use xmp_core::races::Races;
use xmp_core::{Image, Result};

/// Begins a barrier, which is complete when all images of the set have begun it.
pub fn barrier<'i>(image: &'i Image, set: &ImageSet) -> Handle<'i, ()> {
    if let Some(races) = image.races() {
        return barrier_with_clocks(image, set, races);
    }
    let memory = Memory::Blocks(std::ptr::NonNull::dangling().as_ptr(), 0);
    let steps = steps::barrier(image, set);
    let program = Program { steps, memory, combine: None, signature: None };
    // SAFETY: an operation without data accesses no memory.
    unsafe { raw::begin(image, set, program, || ()) }
}

/// The same where races are looked for. The images reduce the clocks at which they begin the barrier to the greatest one: so each
/// barrier orders what its own images have done before it, and nothing else.
#[cold]
fn barrier_with_clocks<'i>(image: &'i Image, set: &ImageSet, races: Races<'_>) -> Handle<'i, ()> {
    let clock: Rc<[Cell<u64>]> = races.end_segment().map(Cell::new).collect();
    // Cells may be written through the address of one that is shared.
    let memory = Memory::Vector(clock.as_ptr().cast_mut().cast(), size_of_val(&*clock));
    let steps = steps::allreduce(image, set);
    let combine = Some(Combine::By(Reduction::number::<u64>(Op::Max)));
    // No signature, as without races: other operations of the images are told from it in the same way.
    let program = Program { steps, memory, combine, signature: None };
    let owned = clock.clone();
    // SAFETY: the operation owns the clock to its end. The handle reads it when the operation is complete.
    unsafe { raw::begin(image, set, program, move || drop(owned)) }.orders(clock)
}

/// Broadcasts the `data` of the image at the 0-based position `root` to all images of the set. The `data` of the others
/// has the same length, and is overwritten.
pub fn broadcast<'i, T: Pod>(
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
        pub fn $name_by<'i, T: Pod>(
            image: &'i Image,
            set: &ImageSet,
            mut data: Vec<T>,
            operation: impl Fn(T, T) -> T + 'static,
        ) -> Handle<'i, Vec<T>> {
            let (buffer, count) = (data.as_mut_ptr().cast(), data.len());
            let (element, procedure) = (size_of::<T>(), number_of(image, &operation));
            let operation = Box::new(on_elements(operation));
            let combine = Combine::User { element, procedure, operation };
            // SAFETY: plain data, which the operation owns from here to its end.
            let handle = unsafe { raw::$name(image, set, buffer, count, combine) };
            handle.map(move |()| data)
        }
    };
}

reduction! {
    /// Combines the `data` of all images, element by element; all images get the result, with the bits of the blocking
    /// [`crate::allreduce`].
    ///
    /// ```
    /// use xmp_collectives::{Op, nonblocking};
    /// use xmp_core::transport::threads;
    /// let results = threads::run(4, 1, |image| {
    ///     let set = image.executing();
    ///     let sum = nonblocking::allreduce(image, &set, vec![1.0, 2.0], Op::Sum);
    ///     let most = nonblocking::allreduce(image, &set, vec![image.rank().get()], Op::Max);
    ///     // Both go on while this image computes and tests them from time to time.
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
    /// whenever this image advances its non-blocking operations, and must not use the runtime. All images give the same function or
    /// closure of the source.
    allreduce_by
}

reduction! {
    /// Combines the `data` of all images up to this one, in the order of the set, element by element. The result has the
    /// bits of the blocking [`fn@crate::scan`].
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

/// Finds the least or the greatest of the `values` of all images and the location of each ([`crate::locate`]), for all of them.
///
/// # Errors
/// When there is not a location for each value, or `located` is of another type.
pub fn locate<'i, T: Number>(
    image: &'i Image,
    set: &ImageSet,
    mut values: Vec<T>,
    mut locations: Vec<i64>,
    located: Located,
) -> Result<Handle<'i, (Vec<T>, Vec<i64>)>> {
    let count = check_located(&values, &locations, located)?;
    let (start, places) = (values.as_mut_ptr().cast(), locations.as_mut_ptr());
    // SAFETY: as many numbers, which the operation owns from here to its end.
    let handle = unsafe { raw::locate(image, set, start, places, count, located) };
    Ok(handle.map(move |()| (values, locations)))
}

/// Combines the `data` of all images, element by element, on the image at the 0-based position `root`. The results of
/// the other images are undefined.
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
pub fn allgather<'i, T: Pod>(image: &'i Image, set: &ImageSet, mine: &[T]) -> Handle<'i, Vec<T>> {
    let mut all = ResultBuffer::new(mine.len() * set.len());
    let (mine, len) = (mine.as_ptr().cast(), size_of_val(mine));
    // SAFETY: `all` has room for the elements of all images, which the allgather writes. The operation owns it to its end.
    let handle = unsafe { raw::allgather(image, set, mine, all.start(), len) };
    all.filled_by(handle)
}

/// Elements that an operation writes. They are zeros before, so that no fault of another image makes them undefined.
struct ResultBuffer<T>(Vec<T>);

impl<T: Pod> ResultBuffer<T> {
    fn new(len: usize) -> ResultBuffer<T> {
        ResultBuffer(bytemuck::zeroed_vec(len))
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }

    /// The handle of an operation, with the elements as its result.
    fn filled_by<'i>(self, handle: Handle<'i, ()>) -> Handle<'i, Vec<T>> {
        handle.map(move |()| self.0)
    }
}
