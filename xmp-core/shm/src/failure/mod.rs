//! The end of images and of the job: publishing it, and asking about it. Read `README.md` first. The failure detectors,
//! which notice that an image has died, are in `xmp-core/boot/src`: `launch/watch.rs`, `launch/life.rs`,
//! `process/watch.rs` and `process/keepalive/`.

pub mod arrivals;
pub mod calls;
mod complaint;
pub mod deadlock;
pub mod departure;
pub mod end_request;
mod ending;
mod life;
#[cfg(not(loom))]
pub mod probing;
pub mod refusals;
pub mod revocation;

pub use complaint::{Complainants, Complaint, Turn, end_job_at, replica_complaint};
pub use ending::{ERROR_STATUS, START_STATUS, end_job, ending_code, exit_status};
#[cfg(not(loom))]
pub use life::pass_on_life;
pub use life::{has_died, hold_life, is_orphaned, life_word};

use crate::error::{Error, Result};
use crate::job::Job;
use crate::job::page::{ImageState, Status};
use crate::rank::Rank;
use crate::sync::Ordering;

/// Publishes that `rank` has begun normal termination. (Its code is the exit status of its process.)
pub fn publish_stopped(job: &Job, rank: Rank) {
    publish_state(job, rank, ImageState::Stopped);
}

/// Publishes that `rank` has failed, if it has not stopped before.
pub fn publish_failed(job: &Job, rank: Rank) {
    if job.state(rank) == ImageState::Running {
        let number = job.page().status.failures.fetch_add(1, Ordering::Relaxed) + 1;
        // The launcher and the image itself may both be here: the first number stays. Release by the state below.
        let _ = job.entry(rank).failure.compare_exchange(
            0,
            number,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
    }
    publish_state(job, rank, ImageState::Failed);
}

/// The images among these that have failed, in the order of their failures. An image that sees the failure of one
/// of them sees all failures of which that one may have known.
pub fn failed_in_order(job: &Job, ranks: impl IntoIterator<Item = Rank>) -> Vec<Rank> {
    let mut failed: Vec<Rank> =
        ranks.into_iter().filter(|&rank| job.state(rank) == ImageState::Failed).collect();
    failed.sort_by_key(|&rank| job.entry(rank).failure.load(Ordering::Relaxed));
    failed
}

/// Publishes that the image waits, at the synchronisation of all images of the job at which it arrived last, for the
/// other survivors. Until all have arrived it does nothing else.
pub fn wait_for_all(job: &Job, rank: Rank) {
    let entry = job.entry(rank);
    // Release: what it did before is visible to an image that sees that it does nothing more.
    entry.survivor_syncs.store(entry.arrivals.load(Ordering::Relaxed), Ordering::Release);
    announce(job);
}

/// Records that `rank`, an image of another host, waits at survivor synchronisation number `count`.
pub fn replica_survivor_syncs(job: &Job, rank: Rank, count: u32) {
    // Release: what the image did before it waited is visible with the count. The servers propagate the states of one
    // image in order, so the count only grows.
    job.entry(rank).survivor_syncs.store(count, Ordering::Release);
    announce(job);
}

/// Whether the image `other` is in a survivor synchronisation that waits for the image `rank` of this host, which has
/// not arrived.
pub fn waits_at_survivor_sync(job: &Job, other: Rank, rank: Rank) -> bool {
    let came = job.entry(rank).arrivals.load(Ordering::Acquire);
    is_ahead(job.entry(other).survivor_syncs.load(Ordering::Acquire), came)
}

/// Whether survivor synchronisation `survivor_sync` (0: none) is ahead of an image that has arrived at `came`
/// synchronisations. The counts wrap; after a failure every synchronisation is one of survivors, so they are near to
/// one another.
fn is_ahead(survivor_sync: u32, came: u32) -> bool {
    survivor_sync != 0 && (1..=u32::MAX / 2).contains(&survivor_sync.wrapping_sub(came))
}

fn publish_state(job: &Job, rank: Rank, state: ImageState) {
    // Release on success: what the image did before it ended is visible to an image that sees that it has.
    let changed = job.entry(rank).state.compare_exchange(
        ImageState::Running as u32,
        state as u32,
        Ordering::Release,
        Ordering::Relaxed,
    );
    // Also when it had ended before: an image that was killed between the two lines of this function has not announced
    // its end. The launcher, which publishes every death, does it then.
    if changed.is_ok() || state == ImageState::Failed {
        announce(job);
    }
}

/// Starts error termination of the job with this exit code, because of what image `by` did or, for `None`, what the
/// launcher decided. Only the first call takes effect; returns whether this was it.
pub fn start_ending(job: &Job, by: impl Into<Option<Rank>>, code: i32) -> bool {
    let by = by.into().map_or(Status::BY_LAUNCHER, |rank| rank.image());
    let ending = u64::from(by) << 32 | u64::from(code as u32);
    // Release: what the image did before is visible to an image that sees that the job is ending.
    let outcome =
        job.page().status.ending.compare_exchange(0, ending, Ordering::Release, Ordering::Relaxed);
    announce(job);
    outcome.is_ok()
}

/// The image that started error termination (`None`: the launcher did), and the exit code.
pub fn ending(job: &Job) -> Option<(Option<Rank>, i32)> {
    let ending = job.page().status.ending.load(Ordering::Acquire);
    let by = match (ending >> 32) as u32 {
        0 => return None,
        Status::BY_LAUNCHER => None,
        image => Some(Rank::new(image - 1)),
    };
    Some((by, ending as u32 as i32))
}

fn announce(job: &Job) {
    // Release: the state above is visible to an image that sees the new epoch.
    job.page().status.epoch.fetch_add(1, Ordering::Release);
    for &rank in job.region_ranks() {
        let entry = job.entry(rank);
        // The doorbell of an image that died in its sleep counts it as a sleeper for ever. Where thousands die, a system call for
        // each of them at each death takes seconds.
        if !has_died(entry) {
            entry.doorbell.ring();
        }
    }
}

/// Whether no image has ended and the job is not ending: then no other check is needed.
#[inline(always)]
pub fn all_running(job: &Job) -> bool {
    job.page().status.epoch.load(Ordering::Relaxed) == 0
}

/// Checks that all these images can still take part in an operation.
///
/// # Errors
/// [`Error::JobEnding`], or that of the first of them that has ended; a stopped image has precedence over a failed one
/// (Fortran 2018, 11.6.11: STAT_FAILED_IMAGE only if none has stopped).
pub fn check(job: &Job, ranks: impl IntoIterator<Item = Rank>) -> Result<()> {
    if all_running(job) {
        return Ok(());
    }
    if ending(job).is_some() {
        return Err(Error::JobEnding);
    }
    let mut failed = None;
    for rank in ranks {
        match job.state(rank) {
            ImageState::Running => {}
            ImageState::Stopped => return Err(Error::StoppedImage(rank)),
            ImageState::Failed => failed = failed.or(Some(rank)),
        }
    }
    failed.map_or(Ok(()), |rank| Err(Error::FailedImage(rank)))
}

/// Checks that an image can still be put to or got from. The memory of a stopped image remains, but the data of a
/// failed image are lost to the program (Fortran 2018, 5.3.6).
///
/// # Errors
/// [`Error::FailedImage`].
#[inline(always)]
pub fn check_failed(job: &Job, rank: Rank) -> Result<()> {
    if all_running(job) || job.state(rank) != ImageState::Failed {
        return Ok(());
    }
    Err(Error::FailedImage(rank))
}

/// Records that the program has been notified of a failed image and so deals with failures itself.
pub fn acknowledge(job: &Job) {
    job.page().status.acknowledged.store(1, Ordering::Relaxed);
}

/// Whether [`acknowledge`] was called.
pub fn is_acknowledged(job: &Job) -> bool {
    job.page().status.acknowledged.load(Ordering::Relaxed) != 0
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::is_ahead;

    #[test]
    fn survivor_syncs_are_ahead_also_where_counts_wrap() {
        for (survivor_sync, came, expected) in [
            (0, 0, false),
            (0, u32::MAX, false),
            (5, 4, true),
            (5, 5, false),
            (5, 6, false),
            (1, u32::MAX, true),
            (u32::MAX, 1, false),
        ] {
            assert_eq!(is_ahead(survivor_sync, came), expected, "{survivor_sync} {came}");
        }
    }
}
