//! The beginning of an image: no operation on a coarray is executed before all images have registered the coarrays that
//! are not allocatable, and have given them their initial values.
//!
//! With gfortran the constructors of the program, and of each library that it opens, do both. A constructor stores the
//! initial value after the registration, so the library does not see when the last one is done. Three calls show that
//! the constructors of this image have returned:
//!
//! * `xmprt_constructed`, the constructor of an object that `xmpfc` and `xmpcc` link last;
//! * the first statement of a Fortran `main`, or `MPI_Init`;
//! * otherwise the first operation that is no registration, or the end of the process.
//!
//! The first of these calls waits for the other images, and compares the coarrays
//! ([`xmp_coarray::front_end::static_coarrays`]). Until then
//! [`super::instance::current`] has no instance and the image forbids the fast paths, so that every operation comes
//! here, and none has an instruction more for it.

use super::instance::{Beginning, Instance, begun, current, not_begun};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError, TryLockError};
use xmp_core::{Error, Result};

/// Held by the thread that waits for the other images.
static WAITING: Mutex<()> = Mutex::new(());

/// A coarray that is not allocatable is registered now: the image has to begin, again if it has begun before. The caller
/// is within the lock of the image.
pub(super) fn await_constructors(instance: &Instance) {
    // Relaxed, here and below: the lock of the image orders the accesses.
    instance.beginning.is_awaited.store(true, Ordering::Relaxed);
    instance.image.forbid_fast_paths();
    not_begun();
}

/// A coarray that is not allocatable has been registered, with this many bytes. The caller is within the lock of the image.
pub fn note_static(instance: &Instance, bytes: u64) {
    let mut coarrays = instance.beginning.coarrays.get();
    coarrays.add(bytes);
    instance.beginning.coarrays.set(coarrays);
}

/// Has the image begin: waits for the other images if coarrays have been registered.
///
/// # Errors
/// When the job is ending.
pub(super) fn begin(instance: &'static Instance) -> Result<()> {
    let _waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    match current() {
        Some(_) => Ok(()),
        None => meet(instance, instance.beginning.is_awaited.load(Ordering::Relaxed)),
    }
}

/// The first statement of a Fortran `main`: the images wait for one another, unless they have done so in a constructor.
///
/// # Errors
/// When the job is ending.
pub(super) fn begin_main(instance: &'static Instance) -> Result<()> {
    let _waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let Beginning { is_awaited, have_met, .. } = &instance.beginning;
    let waits = is_awaited.load(Ordering::Relaxed) || !have_met.load(Ordering::Relaxed);
    meet(instance, waits)
}

/// The constructors of the program, or of a library that was opened, have returned.
///
/// # Errors
/// When the job is ending.
pub(super) fn end_of_constructors(instance: &'static Instance) -> Result<()> {
    if instance.beginning.is_awaited.load(Ordering::Relaxed) { begin(instance) } else { Ok(()) }
}

/// The process ends, perhaps before its first operation: other images may wait for it to begin.
pub(super) fn begin_to_end(instance: &'static Instance) {
    // An error of the beginning ends the process within it.
    let _waiting = match WAITING.try_lock() {
        Ok(waiting) => waiting,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    if instance.beginning.is_awaited.load(Ordering::Relaxed) {
        // The end of the process reports what is wrong with the job.
        let _ = meet(instance, true);
    }
}

/// In a process that the image has forked, which is no image: it has nothing to wait for.
pub(super) fn forget(instance: &'static Instance) {
    instance.beginning.is_awaited.store(false, Ordering::Relaxed);
    begun(instance);
}

fn meet(instance: &'static Instance, waits: bool) -> Result<()> {
    let Instance { image, beginning, .. } = instance;
    let _inside = image.threads().enter();
    if waits {
        beginning.is_awaited.store(false, Ordering::Relaxed);
        beginning.have_met.store(true, Ordering::Relaxed);
        match beginning.coarrays.get().begin(image) {
            // An image that ended before its first statement is an error only for operations that need it.
            Ok(()) | Err(Error::StoppedImage(_) | Error::FailedImage(_)) => {}
            Err(error) => return Err(error),
        }
    }
    image.permit_fast_paths();
    begun(instance);
    Ok(())
}
