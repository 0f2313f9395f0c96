//! Runs the images of a Rust program.

use xmp_core::settings::Settings;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Result};

pub use xmp_core::transport::processes::run;

/// Runs `body` on images that are threads of this process, and returns what each returned: for tests of what
/// [`run`] runs as processes.
///
/// # Errors
/// When an image returns an error: the first that is not just about another image that has ended. With `XMP_CHECK=races`: images
/// that are threads report no races.
///
/// # Panics
/// When an image does.
///
/// ```
/// use xmp_coarray::prelude::*;
///
/// let squares = run_on_threads(3, |image| Ok(image.this_image().pow(2)))?;
/// assert_eq!(squares, [1, 4, 9]);
/// # Ok::<(), Error>(())
/// ```
pub fn run_on_threads<T: Send>(
    images: u32,
    body: impl Fn(&Image) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    if Settings::from_env()?.check.races {
        return Err(Error::Invalid(
            "XMP_CHECK=races: images that are threads of one process do not report races; have `run` run them as processes, or \
             unset XMP_CHECK"
                .into(),
        ));
    }
    let outcomes = threads::run(images, 1, body)?;
    let is_consequence = |error: &Error| {
        matches!(error, Error::StoppedImage(_) | Error::FailedImage(_) | Error::JobEnding)
    };
    let cause = outcomes.iter().filter_map(|outcome| outcome.as_ref().err());
    match cause.clone().find(|error| !is_consequence(error)) {
        Some(cause) => Err(cause.clone()),
        None => outcomes.into_iter().collect(),
    }
}
