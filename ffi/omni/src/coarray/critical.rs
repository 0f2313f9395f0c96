//! CRITICAL constructs: a lock on the first image of the program. (Fortran 2018, 11.1.6; the translator does not
//! tell constructs apart, so there is one lock for all.)

use std::cell::Cell;
use xmp_coarray::front_end::lock::{LOCK_LEN, acquire, acquire_by_thread, release};
use xmp_coarray::front_end::{Location, allocation};
use xmp_core::Rank;
use xmp_ffi::process::{Instance, OfImage, instance};
use xmp_ffi::xmp::error::{DirectiveError, Outcome, done};

/// Where the lock is in the segments.
static LOCK: OfImage<Cell<Option<u64>>> = OfImage::new(Cell::new(None));

/// Makes the lock, at the start of the program.
pub fn prepare(instance: &Instance) -> Outcome {
    let block = allocation::make_zeroed(&instance.image, LOCK_LEN as u64, LOCK_LEN)?;
    LOCK.of(instance).set(Some(block.offset));
    Ok(())
}

fn lock(instance: &Instance) -> Outcome<Location> {
    match LOCK.of(instance).get() {
        Some(offset) => Ok(Location { rank: Rank::new(0), offset }),
        None => Err(DirectiveError::because("the program has not made its pool of coarrays")),
    }
}

/// CRITICAL.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_critical_() {
    done("critical", || {
        let instance = instance();
        let (image, at) = (&instance.image, lock(instance)?);
        // SAFETY: a lock that was made as one.
        unsafe {
            if image.threads().is_shared() {
                acquire_by_thread(image, at)?;
            } else {
                acquire(image, at)?;
            }
        };
        Ok(())
    });
}

/// END CRITICAL.
#[unsafe(no_mangle)]
pub extern "C" fn xmpf_end_critical_() {
    done("end critical", || {
        let instance = instance();
        // SAFETY: `prepare` has made a lock there.
        unsafe { release(&instance.image, lock(instance)?)? };
        Ok(())
    });
}
