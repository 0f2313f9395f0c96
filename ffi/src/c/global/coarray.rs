//! Entry functions of coarrays of translated programs in C: sections that are put and got, words, images.

use super::moves::Memory;
use super::objects::{GlobalObject, ObjectHandle, coarray_of, give, nodes_of};
use super::range::Range;
use crate::c::argument::{List, place};
use crate::c::outcome::functions;
use crate::gfortran_abi::Outcome as Status;
use crate::global::transfer::{self, Local, Remote, strides};
use crate::global::{CoarrayObject, CoarrayTriplet as Triplet, Object, images, lock};
use crate::process::{enter, instance, run_time_error};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use xmp_coarray::front_end::lock::{acquire_or_try, release};
use xmp_core::global::Pick;
use xmp_core::transport::AtomicOp;
use xmp_core::{Error, Result};

/// `XMP_STAT_UNLOCKED`. The other statuses have the values of gfortran, which has the value of success for this one.
const UNLOCKED: c_int = 3;

/// Subscripts of an array with these extents; all of it without them.
fn section(ranges: List<Range>, extents: &[i64]) -> Result<Vec<Triplet>> {
    let picks = super::range::picks(ranges, extents.len())?;
    let triplet = |(pick, &extent): (&Pick, &i64)| match *pick {
        Pick::All => Triplet { start: 0, len: extent, stride: 1 },
        Pick::At(start) => Triplet { start, len: 1, stride: 1 },
        Pick::Row(row) => Triplet { start: row.first, len: row.count, stride: row.step },
    };
    Ok(picks.iter().zip(extents).map(triplet).collect())
}

/// The cosubscripts of an image; none for the calling one.
fn cosubscripts<'a>(coarray: &CoarrayObject, images: List<i64>) -> &'a [i64] {
    images.get(coarray.images.len() + 1).unwrap_or_default()
}

/// Calls `copy` with a section of a coarray on an image and one of memory of the program.
fn transfer(
    coarray: ObjectHandle,
    ranges: List<Range>,
    images: List<i64>,
    memory: Option<&Cell<Memory>>,
    copy: impl FnOnce(Remote<'_>, Local<'_>) -> crate::global::Outcome,
) -> Result<()> {
    let coarray = coarray_of(coarray)?;
    let Memory { start, ndims, extents, ranges: local } = place(memory, "memory")?.get();
    start.not_null("start")?;
    let dims = usize::try_from(ndims).unwrap_or(0);
    let extents = if dims == 0 { &[1] } else { extents.of("extents", dims)? };
    let apart = strides(extents, coarray.element);
    let (local, remote) = (section(local, extents)?, section(ranges, &coarray.extents)?);
    let this = &instance().image;
    let first = this.settings().first_image_in_c;
    let index = coarray.image_index(this, cosubscripts(&coarray, images), first)?;
    let remote = Remote { coarray: &coarray, section: &remote, index };
    Ok(copy(remote, Local { start: start.start(), section: &local, apart: &apart })?)
}

functions! {
    /// Allocates a coarray, all zeros, with all executing images. `cosizes` are the sizes of all codimensions but the
    /// last one.
    fn xmprt_coarray_create(
        element: usize, ndims: c_int, extents: List<i64>, codims: c_int, cosizes: List<i64>,
        start: Option<&Cell<*mut c_void>>, coarray: Option<&Cell<ObjectHandle>>,
    ) {
        let start = place(start, "start")?;
        give(coarray, "coarray", || {
            let ndims = usize::try_from(ndims).unwrap_or(0);
            let codims = usize::try_from(codims).unwrap_or(0);
            let extents = if ndims == 0 { vec![1] } else { extents.of("extents", ndims)?.to_vec() };
            let cosizes = cosizes.get(codims).unwrap_or_default().to_vec();
            let image = &instance().image;
            let coarray = CoarrayObject::allocate(image, element, extents, cosizes)?;
            start.set(coarray.block.local(image).cast());
            Ok(GlobalObject::Coarray(Object::new(coarray)))
        })
    }

    /// `x[..]:[image] = local[..]`
    fn xmprt_coarray_put(
        coarray: ObjectHandle, ranges: List<Range>, images: List<i64>, from: Option<&Cell<Memory>>,
    ) {
        // SAFETY: the contract of entries: the local section is there.
        transfer(coarray, ranges, images, from, |to, from| unsafe {
            transfer::put(&instance().image, to, from)
        })
    }

    /// `local[..] = x[..]:[image]`
    fn xmprt_coarray_get(
        coarray: ObjectHandle, ranges: List<Range>, images: List<i64>, to: Option<&Cell<Memory>>,
    ) {
        // SAFETY: the contract of entries: the local section is there.
        transfer(coarray, ranges, images, to, |from, to| unsafe {
            transfer::get(&instance().image, to, from)
        })
    }

    /// Stores a value in an integer of an image, or of this one without cosubscripts.
    fn xmprt_coarray_define(coarray: ObjectHandle, offset: i64, images: List<i64>, value: c_int) {
        let coarray = coarray_of(coarray)?;
        let images = cosubscripts(&coarray, images);
        lock::word(&coarray, offset, images, AtomicOp::Swap, value)?;
        Ok(())
    }

    /// Loads the value of an integer.
    fn xmprt_coarray_ref(coarray: ObjectHandle, offset: i64, images: List<i64>, value: Option<&Cell<c_int>>) {
        let coarray = coarray_of(coarray)?;
        let images = cosubscripts(&coarray, images);
        let value = place(value, "value")?;
        value.set(lock::word(&coarray, offset, images, AtomicOp::Load, 0)?);
        // Programs ask in loops.
        instance().image.polled();
        Ok(())
    }

    /// `lock`: with `acquired` it does not wait, with `status` an error goes there.
    fn xmprt_coarray_lock(
        coarray: ObjectHandle, offset: i64, images: List<i64>, acquired: Option<&Cell<c_int>>,
        status: Option<&Cell<c_int>>,
    ) {
        let attempt = || -> Result<()> {
            let coarray = coarray_of(coarray)?;
            let at = lock::lock(&coarray, offset, cosubscripts(&coarray, images))?;
            let image = &instance().image;
            let variable = || {
                let other = if at.rank == image.rank() { String::new() } else { format!(" on {}", at.rank) };
                Some(format!("element {offset}{other}"))
            };
            // SAFETY: an aligned variable of a coarray of locks, which starts as zeros.
            unsafe { acquire_or_try(image, at, acquired, &variable) }
        };
        deliver("lock", status, attempt())
    }

    /// `unlock`
    fn xmprt_coarray_unlock(
        coarray: ObjectHandle, offset: i64, images: List<i64>, status: Option<&Cell<c_int>>,
    ) {
        let attempt = || -> Result<()> {
            let coarray = coarray_of(coarray)?;
            let at = lock::lock(&coarray, offset, cosubscripts(&coarray, images))?;
            // SAFETY: an aligned word of a coarray; the contract of entries: a lock.
            unsafe { release(&instance().image, at) }
        };
        deliver("unlock", status, attempt())
    }

    /// The nodes that the next statement means by images.
    fn xmprt_image(nodes: ObjectHandle) {
        images::name(instance(), nodes_of(nodes)?);
        Ok(())
    }
}

/// Gives the outcome of a directive to `status`, if that is there.
fn deliver(
    operation: &'static str,
    status: Option<&Cell<c_int>>,
    outcome: Result<()>,
) -> Result<()> {
    match (outcome, status) {
        (outcome, None) => return outcome,
        (Err(Error::Unlocked), Some(status)) => status.set(UNLOCKED),
        (outcome, status) => {
            Status::new(operation, status).deliver(outcome);
        }
    }
    Ok(())
}

/// The number of the image, as one of those that execute, of a node of a coarray that is `on` nodes.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_image_of(nodes: ObjectHandle, cosubscript: i64) -> i64 {
    let _entered = enter();
    let image = &instance().image;
    let first = i64::from(image.settings().first_image_in_c);
    let find = || -> Result<i64> {
        let nodes = nodes_of(nodes)?;
        let position = usize::try_from(cosubscript.saturating_sub(first)).ok();
        let rank = position.and_then(|position| nodes.nodes.members().rank(position));
        let found = rank.and_then(|rank| image.executing().position_of(rank));
        found.map(|position| position as i64 + first).ok_or_else(|| {
            let why =
                format!("image index {cosubscript} of a coarray on nodes: no such node executes");
            Error::Invalid(why)
        })
    };
    find().unwrap_or_else(|error| run_time_error("coarray", &error))
}
