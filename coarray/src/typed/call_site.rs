//! Where the program has called an operation that failed.

use std::panic::Location;
use xmp_core::image::FailedCall;
use xmp_core::{Image, Result};

/// Outcomes of public functions.
pub trait CallSite {
    /// Notes a failure with the operation and the place of the program's call, for the message that ends the job.
    #[track_caller]
    fn with_call_site<'i>(self, operation: &'static str, image: impl FnOnce() -> &'i Image)
    -> Self;
}

impl<T> CallSite for Result<T> {
    #[inline(always)]
    #[track_caller]
    fn with_call_site<'i>(
        self,
        operation: &'static str,
        image: impl FnOnce() -> &'i Image,
    ) -> Result<T> {
        if let Err(error) = &self {
            image().note_failed_call(FailedCall {
                operation,
                place: Location::caller(),
                error: error.clone(),
            });
        }
        self
    }
}
