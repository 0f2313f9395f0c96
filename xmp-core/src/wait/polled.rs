//! Waiting for what nobody rings for: a message that must be asked for again and again.

use super::pace::{Pace, Step};
use crate::error::Result;
use crate::job::page::{Status, Waiting};
use crate::sync::{Ordering, yield_now};
use std::time::Duration;

/// Looks until there is something: at once again while a core is there for it, then between yields, then between naps.
/// An image that waits so cannot be rung for, so it looks at the job's status itself.
///
/// # Errors
/// That of `look`; when the status of the job changes, that of `watch`, unless another look finds something.
pub fn poll<T>(
    status: &Status,
    budget: Waiting,
    nap: Duration,
    watch: impl Fn() -> Result<()>,
    mut look: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    if let Some(found) = look()? {
        return Ok(found);
    }
    let mut pace = Pace::asking(budget);
    let mut seen = 0;
    loop {
        // Acquire: what an image wrote before its end is visible once its end is.
        let epoch = status.epoch.load(Ordering::Acquire);
        if let Some(found) = look()? {
            return Ok(found);
        }
        if epoch != seen {
            if let Err(error) = watch() {
                return look()?.ok_or(error);
            }
            seen = epoch;
        }
        match pace.step() {
            Step::Spin => {}
            Step::Yield => {
                yield_now();
                pace.has_yielded();
            }
            Step::Park => std::thread::sleep(nap),
        }
    }
}
