//! Image control statements. Arguments without a meaning keep compilers from moving code across them.

use super::arrays::integers;
use super::images;
use std::cell::Cell;
use std::ffi::{c_char, c_int};
use xmp_coarray::front_end::{
    sync_all, sync_all_active, sync_images, sync_images_all, sync_memory,
};
use xmp_ffi::entry::{decode, entries};
use xmp_ffi::gfortran_abi::{Descriptor, Outcome as Status};
use xmp_ffi::process::{self, enter, instance};
use xmp_ffi::xmp::entry::{List, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

for_fortran! {
    /// SYNC ALL.
    "sync all" fn xmpf_sync_all_() {
        all()
    }

    /// SYNC ALL where the language has one without saying so.
    "sync all" fn xmpf_sync_all_auto_() {
        all()
    }

    /// SYNC MEMORY.
    "sync memory" fn xmpf_sync_memory_() {
        Ok(sync_memory(&instance().image)?)
    }

    /// SYNC IMAGES with some images, or with all if the number is 0.
    "sync images" fn xmpf_sync_images_(count: c_int, indices: List<c_int>) {
        match usize::try_from(count) {
            Ok(0) => with_all(),
            Ok(count) => with(indices.of(count)?.iter().map(Cell::get).collect()),
            Err(_) => Err(DirectiveError::because("a negative number of images")),
        }
    }
}

/// All images of the statement wait for each other.
///
/// # Errors
/// When an image of the statement has stopped or failed.
pub fn all() -> Outcome {
    let instance = instance();
    let set = images::of_statement(instance)?;
    Ok(sync_all(&instance.image, &set)?)
}

fn with(indices: Vec<c_int>) -> Outcome {
    let instance = instance();
    let set = images::of_statement(instance)?;
    Ok(sync_images(&instance.image, &set, &indices)?)
}

fn with_all() -> Outcome {
    let instance = instance();
    let set = images::of_statement(instance)?;
    Ok(sync_images_all(&instance.image, &set)?)
}

/// Executes a statement and gives its outcome to STAT= and ERRMSG=.
fn reported(
    operation: &'static str,
    stat: Option<&Cell<c_int>>,
    errmsg: &[Cell<u8>],
    statement: impl FnOnce() -> Outcome,
) {
    let _entered = enter();
    let outcome = statement().map_err(DirectiveError::error);
    Status::new(operation, stat).with_errmsg(errmsg).deliver(outcome);
}

entries! {
    /// SYNC ALL with STAT=: the images that are left synchronise also when others have failed.
    pub fn xmpf_sync_all_stat_(stat: Option<&Cell<c_int>>, errmsg: *mut c_char, len: usize)
    where errmsg = decode::cells(errmsg, len)
    {
        reported("sync all", stat, errmsg, || {
            let instance = instance();
            Ok(sync_all_active(&instance.image, &*images::of_statement(instance)?)?)
        });
    }

    /// SYNC MEMORY with STAT=.
    pub fn xmpf_sync_memory_stat_wrap_(stat: Option<&Cell<c_int>>, errmsg: *mut c_char, len: usize)
    where errmsg = decode::cells(errmsg, len)
    {
        reported("sync memory", stat, errmsg, || Ok(sync_memory(&instance().image)?));
    }

    /// SYNC IMAGES with one image and STAT=.
    pub fn xmpf_sync_image_stat_wrap_(
        index: &c_int, stat: Option<&Cell<c_int>>, errmsg: *mut c_char, len: usize,
    )
    where errmsg = decode::cells(errmsg, len)
    {
        reported("sync images", stat, errmsg, || with(vec![*index]));
    }

    /// SYNC IMAGES with some images and STAT=.
    pub fn xmpf_sync_images_stat_wrap_(
        indices: &Descriptor, stat: Option<&Cell<c_int>>, errmsg: *mut c_char, len: usize,
    )
    where errmsg = decode::cells(errmsg, len)
    {
        reported("sync images", stat, errmsg, || with(integers(indices).map(Cell::get).collect()));
    }

    /// SYNC IMAGES (*) with STAT=. (The length of the asterisk comes before that of the message.)
    pub fn xmpf_sync_allimages_stat_wrap_(
        _asterisk: *const c_char, stat: Option<&Cell<c_int>>, errmsg: *mut c_char, _asterisk_len: usize, len: usize,
    )
    where errmsg = decode::cells(errmsg, len)
    {
        reported("sync images", stat, errmsg, with_all);
    }
}

/// ERROR STOP.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_error_stop_() {
    process::error_stop(1, Some(Vec::new()))
}
