//! Polling for a message that rings no doorbell.

use super::budget::Waiting;
use super::policy::{WaitAction, WaitPolicy};
use super::status::Status;
use crate::error::Result;
use crate::sync::{Ordering, yield_now};
use std::time::Duration;

/// Calls `look` until it returns a value: again at once while the image has a core for it, then between yields, then
/// between naps of length `nap`. No doorbell ends such a wait, so it reads the job's status itself.
///
/// # Errors
/// That of `look`. When an image has ended, that of `watch`, unless another look returns a value.
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
    let mut policy = WaitPolicy::asking(budget);
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
        match policy.step() {
            WaitAction::Spin => {}
            WaitAction::Yield => {
                yield_now();
                policy.has_yielded();
            }
            WaitAction::Park => std::thread::sleep(nap),
        }
    }
}
