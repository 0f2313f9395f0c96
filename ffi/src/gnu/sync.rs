//! SYNC ALL, SYNC IMAGES, SYNC MEMORY. (GNU-LIBCAF section 4)

use super::version::errmsg_since_16;
use super::{shape, stack};
use crate::entry::{decode, entries};
use crate::gfortran_abi::{Outcome, set_ok};
use crate::process::{Instance, OfImage, current, enter, instance};
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use std::ptr;
use xmp_coarray::front_end::same_statement::{self, Statement};
use xmp_coarray::front_end::{
    sync_all, sync_all_active, sync_image, sync_images, sync_images_all, sync_memory, sync_stores,
};
use xmp_core::{Error, Image, Result};

/// `stat=` of an ALLOCATE whose synchronisation is still to come, or null.
static ALLOCATE_STAT: OfImage<Cell<*const Cell<c_int>>> = OfImage::new(Cell::new(ptr::null()));

/// An ALLOCATE has this `stat=`; the next SYNC ALL belongs to it.
pub fn note_allocate_stat(instance: &Instance, stat: Option<&Cell<c_int>>) {
    ALLOCATE_STAT.of(instance).set(stat.map_or(ptr::null(), ptr::from_ref));
}

/// Does what is due before the first SYNC ALL and before that of an ALLOCATE. Returns what the ALLOCATE has allocated.
#[cold]
fn prepare(instance: &Instance) -> Option<Statement> {
    let allocation = shape::note_all(instance);
    stack::watch();
    allocation.map(Statement::Allocate)
}

/// SYNC ALL; with `stat=` the images that are active synchronise where others have ended.
#[inline(always)]
fn synchronise(image: &Image, has_stat: bool) -> Result<()> {
    let set = image.executing();
    if has_stat { sync_all_active(image, &set) } else { sync_all(image, &set) }
}

/// The first SYNC ALL, or that of an ALLOCATE: with what is due before it.
#[inline(never)]
fn after_allocate<'a>(
    instance: &'a Instance,
    stat: Option<&'a Cell<c_int>>,
    allocate_stat: Option<&'a Cell<c_int>>,
) -> (Outcome<'a>, Result<()>) {
    let statement = if shape::is_pending(instance) { prepare(instance) } else { None };
    if statement.is_none() && allocate_stat.is_none() {
        let result = synchronise(&instance.image, stat.is_some());
        return (Outcome::new("sync all", stat), result);
    }
    complete_allocate(instance, statement, stat, allocate_stat)
}

/// The SYNC ALL of an ALLOCATE. Reports of images that wait recognise the statement by the name of this function.
#[inline(never)]
fn complete_allocate<'a>(
    instance: &'a Instance,
    statement: Option<Statement>,
    stat: Option<&'a Cell<c_int>>,
    allocate_stat: Option<&'a Cell<c_int>>,
) -> (Outcome<'a>, Result<()>) {
    let has_stat = stat.is_some() || allocate_stat.is_some();
    let result = match &statement {
        Some(statement) => same_statement::synchronise(&instance.image, statement, has_stat),
        None => synchronise(&instance.image, has_stat),
    };
    // The compiler passes no `stat=` to the SYNC ALL of an ALLOCATE, and has read that of the statement before. So the images
    // that do not allocate the same end the job; otherwise none would know.
    let differs = matches!(result, Err(Error::Invalid(_)));
    if stat.is_none() && (statement.is_some() || result.is_err()) {
        (Outcome::new("allocate", allocate_stat.filter(|_| !differs)), result)
    } else {
        (Outcome::new("sync all", stat), result)
    }
}

/// SYNC MEMORY where more than loads and stores is to be ordered. It does not unwind, so that the entry jumps to it and
/// needs no stack.
#[cold]
#[inline(never)]
extern "C" fn sync_memory_in_general(stat: Option<&Cell<c_int>>, errmsg: *mut c_char, len: usize) {
    let _entered = enter();
    // SAFETY: the contract of entries: what the compiler passes as `errmsg=`.
    let errmsg = unsafe { errmsg_since_16(errmsg, len) };
    let result = sync_memory(&instance().image);
    Outcome::new("sync memory", stat).with_errmsg(errmsg).deliver(result);
}

/// SYNC IMAGES with a list of `count` images, -1 for all, that takes longer than that with one image of this host.
#[inline(never)]
fn sync_images_in_general(image: &Image, count: c_int, images: &[c_int]) -> Result<()> {
    let set = image.executing();
    match count {
        ..0 => sync_images_all(image, &set),
        0 => sync_memory(image),
        _ => sync_images(image, &set, images),
    }
}

entries! {
    /// SYNC ALL.
    fn _gfortran_caf_sync_all(stat: Option<&Cell<c_int>>, errmsg: *mut c_char, errmsg_len: usize)
    where errmsg = errmsg_since_16(errmsg, errmsg_len)
    {
        let _entered = enter();
        let instance = instance();
        let image = &instance.image;
        // Taken even if it is not used: it is good for the next SYNC ALL only.
        let allocate_stat = ALLOCATE_STAT.of(instance).replace(ptr::null());
        if allocate_stat.is_null() && !shape::is_pending(instance) {
            let result = synchronise(image, stat.is_some());
            Outcome::new("sync all", stat).with_errmsg(errmsg).deliver(result);
        } else {
            // SAFETY: the `stat=` of an ALLOCATE is valid until that statement is complete, which this call is a part of.
            let allocate_stat = unsafe { allocate_stat.as_ref() };
            let (outcome, result) = after_allocate(instance, stat, allocate_stat);
            outcome.with_errmsg(errmsg).deliver(result);
        }
    }

    /// SYNC MEMORY.
    fn _gfortran_caf_sync_memory(stat: Option<&Cell<c_int>>, errmsg: *mut c_char, errmsg_len: usize) {
        if current().is_some_and(|instance| sync_stores(&instance.image)) {
            set_ok(stat);
        } else {
            sync_memory_in_general(stat, errmsg, errmsg_len);
        }
    }

    /// SYNC IMAGES; `count` -1 means all images.
    fn _gfortran_caf_sync_images(
        count: c_int,
        images: *const c_int,
        stat: Option<&Cell<c_int>>,
        errmsg: *mut c_char,
        errmsg_len: usize,
    )
    where
        images = decode::list(images, count),
        errmsg = errmsg_since_16(errmsg, errmsg_len),
    {
        let entered = enter();
        let image = &entered.image;
        let with_one = match *images {
            [index] => sync_image(image, index),
            _ => None,
        };
        let result = with_one.unwrap_or_else(|| sync_images_in_general(image, count, images));
        Outcome::new("sync images", stat).with_errmsg(errmsg).deliver(result);
    }
}
