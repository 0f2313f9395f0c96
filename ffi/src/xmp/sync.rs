//! Synchronisation of coarrays by name (XcalableMP 1.4, 5.2). Images count from 0; `status` becomes 0, or the
//! number of the error. An error ends the job where there is no `status`. Images are those of the `image` directive
//! before the call, or the executing ones.

use crate::gfortran_abi::Outcome as Status;
use crate::global::images::of_statement;
use crate::global::pending;
use crate::process::{Instance, enter, instance};
use crate::xmp::entry::{List, for_both};
use crate::xmp::error::{DirectiveError, Outcome};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_coarray::front_end::{sync_all, sync_images, sync_images_all, sync_memory};
use xmp_collectives::{BarrierStatement, barrier_of};

/// Executes a statement and gives its outcome to `status`.
fn reported(
    operation: &'static str,
    status: Option<&Cell<c_int>>,
    statement: impl FnOnce(&Instance) -> Outcome,
) {
    let _entered = enter();
    Status::new(operation, status).deliver(statement(instance()).map_err(DirectiveError::error));
}

/// Synchronises with images whose numbers are given.
fn with_images(instance: &Instance, numbers: &[Cell<c_int>]) -> Outcome {
    let Instance { image, .. } = instance;
    let first = image.settings().first_image_in_c;
    let index = |number: &Cell<c_int>| number.get().saturating_add(1 - first);
    let images: Vec<c_int> = numbers.iter().map(index).collect();
    Ok(sync_images(image, &*of_statement(instance)?, &images)?)
}

/// All executing images wait for each other.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_sync_all(status: Option<&Cell<c_int>>) {
    reported("xmp_sync_all", status, |instance| {
        Ok(sync_all(&instance.image, &*of_statement(instance)?)?)
    })
}

/// Completes the puts of this image.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_sync_memory(status: Option<&Cell<c_int>>) {
    reported("xmp_sync_memory", status, |instance| Ok(sync_memory(&instance.image)?))
}

/// Waits for some images, which wait for this one.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_sync_images(count: c_int, images: List<c_int>, status: Option<&Cell<c_int>>) {
    reported("xmp_sync_images", status, |instance| {
        let wrong = |_| DirectiveError::because(format!("{count} images"));
        with_images(instance, images.of(usize::try_from(count).map_err(wrong)?)?)
    })
}

/// Waits for one image, which waits for this one.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_sync_image(index: c_int, status: Option<&Cell<c_int>>) {
    reported("xmp_sync_images", status, |instance| with_images(instance, &[Cell::new(index)]))
}

/// Waits for all executing images, which wait for this one.
#[unsafe(no_mangle)]
pub extern "C" fn xmp_sync_images_all(status: Option<&Cell<c_int>>) {
    reported("xmp_sync_images_all", status, |instance| {
        Ok(sync_images_all(&instance.image, &*of_statement(instance)?)?)
    })
}

for_both! {
    /// `xmp_barrier()`, and the end of a main program in Fortran that Omni has translated. The end of a program meets SYNC ALL, so this
    /// has no number of its own ([`BarrierStatement::BARRIER`]).
    "barrier" fn xmp_barrier, xmp_barrier_() {
        let Instance { image, .. } = instance();
        Ok(barrier_of(image, &image.executing(), BarrierStatement::plain("xmp_barrier"))?)
    }

    /// Whether the operations with this id are complete.
    "xmp_test_async" fn xmp_test_async, xmp_test_async_(id: c_int) -> c_int {
        Ok(pending(instance()).test(id.into())?.into())
    }
}
