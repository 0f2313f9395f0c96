//! The report of a race as a whole: the end of the process waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held while a race is reported.
static REPORTING: Mutex<()> = Mutex::new(());

/// A report begins, which is complete when the value is dropped.
pub(super) fn begin() -> MutexGuard<'static, ()> {
    REPORTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until the race that another thread reports is reported.
pub(super) fn until_complete() {
    drop(begin());
}
