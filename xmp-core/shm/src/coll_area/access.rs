//! Access epochs, in the sense of MPI's one-sided communication (MPI 4.1, 12.5.2): between two barriers the members access
//! memory of one another, not only the buffers of the area.
//!
//! A barrier returns an error as soon as a member has ended that has not made it. Other members may still be on their way
//! to it then, and so access memory of this one, which its program uses again after the error.

use super::CollArea;
use crate::endpoint::Endpoint;
use crate::error::{BoxedResult, Error};
use crate::failure;
use crate::job::page::ImageState;
use crate::sync::Ordering;
use std::time::Duration;

/// Time between two looks at the others after an error.
const PERIOD: Duration = Duration::from_micros(50);

impl CollArea {
    /// Executes `body`, in which the members access memory of one another, and returns when none accesses that of this
    /// member any more, whatever `body` returns. All members call it after the same barrier. `body` waits for members in
    /// barriers of this area only. No member writes to memory of others as long as another one may leave that barrier with
    /// an error: where barriers are not [all or none](CollArea::all_or_none), `body` makes one before.
    ///
    /// # Errors
    /// Those of `body`.
    pub fn access_epoch<T>(
        &self,
        image: &Endpoint,
        body: impl FnOnce() -> BoxedResult<T>,
    ) -> BoxedResult<T> {
        let number = self.epochs.get();
        let outcome = body();
        // Release: this member's accesses. An error of a barrier in `body` has published a greater number.
        self.members()[self.me].accessed.fetch_max(number, Ordering::Release);
        if let Err(error) = &outcome
            && let Error::FailedImage(_) | Error::StoppedImage(_) = **error
        {
            self.wait_for_accesses(image, number);
        }
        outcome
    }

    /// Publishes that this member accesses no memory of others any more: a barrier has returned an error on it, so it makes none
    /// again. Where barriers are not [all or none](CollArea::all_or_none), others may have made that barrier, begun the access
    /// epoch after it, and wait for this member in that epoch.
    #[cold]
    pub(super) fn begin_no_access_epoch(&self) {
        // Release: this member's accesses.
        self.members()[self.me].accessed.store(u64::MAX, Ordering::Release);
    }

    /// Returns when each other member has ended its access epoch of this number, or begins none any more, or has ended itself,
    /// or the job ends. So none of them waits for what this image does later.
    #[cold]
    fn wait_for_accesses(&self, image: &Endpoint, number: u64) {
        for (member, &rank) in self.members().iter().zip(&self.ranks) {
            // Acquire: the member's accesses.
            while member.accessed.load(Ordering::Acquire) < number
                && image.job().state(rank) == ImageState::Running
                && failure::ending(image.job()).is_none()
            {
                std::thread::sleep(PERIOD);
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Error;
    use super::failure::publish_failed;
    use crate::coll_area::layout::announcement;
    use crate::rank::Rank;
    use crate::settings::Settings;
    use crate::thread_images as threads;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    #[test]
    fn an_error_comes_when_no_other_member_accesses_memory_any_more() {
        let (has_failed, accesses) = (AtomicBool::new(false), AtomicBool::new(true));
        let failed = Rank::new(2);
        threads::run_with(Settings::default(), 3, 1, |image| {
            let set = image.executing();
            let area = set.levels(image).unwrap().area().unwrap();
            area.barrier(image).unwrap();
            let end = || area.barrier(image);
            match image.rank().get() {
                0 => {
                    while !has_failed.load(Ordering::Acquire) {
                        std::thread::yield_now();
                    }
                    assert_eq!(
                        area.access_epoch(image, end),
                        Err(Error::FailedImage(failed).into())
                    );
                    assert!(!accesses.load(Ordering::Acquire), "the other member is still at it");
                }
                1 => {
                    let slow = || {
                        std::thread::sleep(Duration::from_millis(50));
                        accesses.store(false, Ordering::Release);
                        end()
                    };
                    assert_eq!(
                        area.access_epoch(image, slow),
                        Err(Error::FailedImage(failed).into())
                    );
                }
                _ => {
                    publish_failed(image.job(), failed);
                    has_failed.store(true, Ordering::Release);
                }
            }
        })
        .unwrap();
    }

    /// Dissemination: the failed member has sent its flag of the first round, which is all that the first member needs of it.
    #[test]
    fn an_error_does_not_wait_for_a_member_that_left_the_barrier_before_the_access_epoch() {
        const LIMIT: Duration = Duration::from_secs(20);
        let (has_made_it, has_returned) = (AtomicBool::new(false), AtomicBool::new(false));
        let failed = Rank::new(2);
        let settings = Settings::from_pairs(&[("XMP_COLL", "barrier:dissemination")]).unwrap();
        threads::run_with(settings, 3, 1, |image| {
            let set = image.executing();
            let area = set.levels(image).unwrap().area().unwrap();
            let error = Err(Error::FailedImage(failed).into());
            match image.rank().get() {
                0 => {
                    area.barrier(image).unwrap();
                    has_made_it.store(true, Ordering::Release);
                    let end = || area.barrier(image);
                    assert_eq!(area.access_epoch(image, end), error);
                    has_returned.store(true, Ordering::Release);
                }
                1 => {
                    assert_eq!(area.barrier(image), error);
                    let start = Instant::now();
                    while !has_returned.load(Ordering::Acquire) {
                        assert!(start.elapsed() < LIMIT, "the first member still waits");
                        std::thread::yield_now();
                    }
                }
                _ => {
                    area.members()[0].flags[1][0].store(announcement(1, 0), Ordering::Release);
                    // The first member may sleep.
                    image.job().entry(Rank::new(0)).doorbell.ring();
                    while !has_made_it.load(Ordering::Acquire) {
                        std::thread::yield_now();
                    }
                    publish_failed(image.job(), failed);
                }
            }
        })
        .unwrap();
    }
}
