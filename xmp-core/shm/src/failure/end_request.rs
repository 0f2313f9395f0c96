//! A request from outside of the program to end the job, under launchers of MPI: these send SIGTERM to the images, and know neither
//! the first image nor the others. An image that has got the signal records that in the job page of its host. The first image, which
//! reads its page, shows what all images do and starts the end of the job. The others end when they learn of that.
//!
//! Launchers send the same signal to the images that are left when an image has died. Nothing is shown then: the process that has
//! noticed the death withdraws the request, also before it is made.

use crate::job::Job;
use crate::sync::{AtomicU32, Ordering};

/// No image has got the signal.
const NONE: u32 = 0;
/// An image has got it.
const MADE: u32 = 1;
/// The job ends for another reason, which is reported.
const WITHDRAWN: u32 = 2;

fn word(job: &Job) -> &AtomicU32 {
    &job.page().status.end_request
}

/// Records the request, unless it was withdrawn. A handler of signals may call this.
pub fn make(job: &Job) {
    // Relaxed, here and below: no other data is read because of the word, and the values of one word are seen in order.
    let _ = word(job).compare_exchange(NONE, MADE, Ordering::Relaxed, Ordering::Relaxed);
}

/// Whether an image of this host has got the signal, and no other reason for the end is known. A handler of signals may call this.
pub fn is_made(job: &Job) -> bool {
    word(job).load(Ordering::Relaxed) == MADE
}

/// The job ends for another reason.
pub fn withdraw(job: &Job) {
    word(job).store(WITHDRAWN, Ordering::Relaxed);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::thread_images::run_with;

    #[test]
    fn a_request_counts_until_another_reason_for_the_end_is_known() {
        run_with(Settings::default(), 1, 1, |image| {
            let job = image.job();
            assert!(!is_made(job));
            make(job);
            make(job);
            assert!(is_made(job));
            withdraw(job);
            assert!(!is_made(job));
            make(job);
            assert!(!is_made(job));
        })
        .unwrap();
    }
}
