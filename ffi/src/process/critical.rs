//! CRITICAL constructs: locks, which in an image of several threads each thread holds for itself.

use super::instance::{Instance, OfImage};
use std::cell::RefCell;
use std::thread::{self, ThreadId};
use xmp_coarray::front_end::Location;
use xmp_coarray::front_end::lock::{self, Acquired};
use xmp_core::wait::{WaitKind, unnamed};
use xmp_core::{Error, Result};

/// The locks of CRITICAL constructs that threads of this image hold, if it has several threads.
static HELD: OfImage<RefCell<Vec<(Location, ThreadId)>>> = OfImage::new(RefCell::new(Vec::new()));

/// Enters the construct of a lock. In an image of several threads each waits for the others, as for other images.
///
/// # Errors
/// When this thread executes the construct already; as [`lock::acquire`].
///
/// # Safety
/// The conditions of [`lock::acquire`].
pub unsafe fn enter_critical(instance: &Instance, at: Location) -> Result<Acquired> {
    let image = &instance.image;
    if !image.threads().is_shared() {
        // SAFETY: a lock (contract above).
        return unsafe { lock::acquire_for(image, at, WaitKind::Critical, &unnamed) };
    }
    let held = HELD.of(instance);
    let mine = (at, thread::current().id());
    if held.borrow().contains(&mine) {
        return Err(Error::Locked);
    }
    // SAFETY: a lock (contract above).
    let acquired = unsafe { lock::acquire_by_thread(image, at)? };
    held.borrow_mut().push(mine);
    Ok(acquired)
}

/// Leaves the construct of a lock.
///
/// # Safety
/// The conditions of [`lock::release`].
pub unsafe fn leave_critical(instance: &Instance, at: Location) -> Result<()> {
    HELD.of(instance).borrow_mut().retain(|(held, _)| *held != at);
    // SAFETY: a lock (contract above).
    unsafe { lock::release(&instance.image, at) }
}
