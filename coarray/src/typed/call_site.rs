//! The place where the program has called an operation that failed.

use crate::races::Place;
use std::panic::Location;
use xmp_collectives::nonblocking::Handle;
use xmp_core::image::FailedCall;
use xmp_core::{Image, Result};
use xmp_teams::Team;

/// Executes a public operation. A failure is noted with the name and the place of the program's call, for the message that
/// ends the job.
#[inline(always)]
#[track_caller]
pub fn called<T>(
    operation: &'static str,
    image: &Image,
    attempt: impl FnOnce() -> Result<T>,
) -> Result<T> {
    executes(image);
    called_at(operation, image, |_| attempt())
}

/// From now on the image executes the statement of the program's call, where races are looked for.
#[inline(always)]
#[track_caller]
pub fn executes(image: &Image) {
    if let Some(races) = image.races() {
        races.execute_at(Location::caller());
    }
}

/// The same for an operation that gets the place of the call, and enters its accesses itself where races are looked for.
#[inline(always)]
#[track_caller]
pub fn called_at<T>(
    operation: &'static str,
    image: &Image,
    attempt: impl FnOnce(Place) -> Result<T>,
) -> Result<T> {
    let outcome = attempt(Location::caller());
    if let Err(error) = &outcome {
        let place = Location::caller();
        let note = Team::counted_by(image, error);
        image.note_failed_call(FailedCall { operation, place, error: error.clone(), note });
    }
    outcome
}

/// Begins an operation, as [`called`]. A failure that a wait finds is noted with the place of this call.
#[inline(always)]
#[track_caller]
pub fn begun<'i, T: 'static>(
    operation: &'static str,
    image: &Image,
    attempt: impl FnOnce() -> Result<Handle<'i, T>>,
) -> Result<Handle<'i, T>> {
    let handle = called(operation, image, attempt)?;
    Ok(handle.begun_by(operation, Location::caller()))
}
