//! Errors of files. Those of collective operations are the same on all images.

use crate::allgather;
use std::io;
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image};

/// Why an operation on a file has failed.
#[derive(Debug)]
pub enum Failure {
    /// The error number of the system.
    System(i32),
    /// An error of the runtime: an image has ended, for instance.
    Runtime(Error),
}

/// The result of an operation on a file.
pub type Outcome<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Runtime(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::System(error.raw_os_error().unwrap_or(libc::EIO))
    }
}

/// Tells all images of the set how this one has fared. All of them get the error of the first image, in the order of
/// the set, that has one. Returns when all images have called it.
///
/// # Errors
/// That error; and [`Failure::Runtime`] when an image of the set has ended.
pub fn agree(image: &Image, set: &ImageSet, mine: Outcome) -> Outcome {
    let number = match mine {
        Ok(()) => 0,
        Err(Failure::System(number)) => i64::from(number),
        Err(Failure::Runtime(error)) => return Err(error.into()),
    };
    let mut all = vec![0; set.len()];
    allgather(image, set, &[number], &mut all)?;
    match all.into_iter().find(|number| *number != 0) {
        Some(number) => Err(Failure::System(number as i32)),
        None => Ok(()),
    }
}
