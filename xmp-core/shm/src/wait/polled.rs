//! Polling for a message that rings no doorbell.

use super::budget::Waiting;
use super::core_use::SharedCores;
use super::policy::{WaitAction, WaitPolicy};
use super::status::Status;
use crate::error::Result;
use crate::sync::Ordering;
use std::time::Duration;

/// The means by which an image polls.
#[derive(Clone, Copy, Debug)]
pub struct Polling<'a> {
    /// The status of the job, whose changes end a poll.
    pub status: &'a Status,
    /// The budget of the job's waits.
    pub budget: Waiting,
    /// What the image knows of its cores, if it shares them.
    pub cores: Option<&'a dyn SharedCores>,
    /// The length of a nap.
    pub nap: Duration,
}

impl Polling<'_> {
    /// Calls `look` until it returns a value: again at once while the image has a core for it, then between yields, then
    /// between naps. No doorbell ends such a wait, so it reads the job's status itself.
    ///
    /// # Errors
    /// That of `look`. When an image has ended, that of `watch`, unless another look returns a value.
    pub fn until<T>(
        self,
        watch: impl Fn() -> Result<()>,
        mut look: impl FnMut() -> Result<Option<T>>,
    ) -> Result<T> {
        if let Some(found) = look()? {
            return Ok(found);
        }
        let core = self.cores.map(|cores| cores.begin_wait(true));
        let mut policy = WaitPolicy::asking(self.budget.begin(core).0);
        let mut seen = 0;
        loop {
            // Acquire: what an image wrote before its end is visible once its end is.
            let epoch = self.status.epoch.load(Ordering::Acquire);
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
                WaitAction::Yield => policy.yield_core(self.cores),
                WaitAction::Park => std::thread::sleep(self.nap),
            }
        }
    }
}
