//! The replica of image states: each host's page has the states of the images of all hosts.
//!
//! Each host's job page and entries are the only state that its images read and watch. When the states of its own
//! images have changed, a server compares them with those that it has propagated, and sends the difference to the
//! servers of all other hosts, which write it into theirs. What an image has sent before it stopped, or executed FAIL IMAGE, has arrived
//! everywhere by then: it waits for that ([`crate::transport::FlushScope::Everything`]) before it publishes that it has
//! stopped.

use super::peers::Peers;
use super::wire::Change;
use crate::failure;
use crate::job::Job;
use crate::job::page::ImageState;
use crate::rank::Rank;
use crate::sync::Ordering;

/// The states that were propagated.
#[derive(Debug)]
pub struct Replica {
    /// The epoch of the job's status at the last comparison.
    epoch: u32,
    images: Vec<RemoteState>,
    /// Whether all hosts know of the end of the job, from this host or from another.
    ending: bool,
    acknowledged: bool,
    /// Images that were at their ends at the last comparison, and how many of them are on other hosts.
    at_end: u32,
    at_end_elsewhere: u32,
    has_told_ends: bool,
}

#[derive(Debug)]
struct RemoteState {
    image: Rank,
    state: ImageState,
    survivor_syncs: u32,
    complaint: u32,
}

impl Replica {
    /// No state was propagated: all images are running.
    pub fn new(peers: &Peers) -> Replica {
        let running = |image| RemoteState {
            image,
            state: ImageState::Running,
            survivor_syncs: 0,
            complaint: 0,
        };
        let images = peers.here().map(running).collect();
        Replica {
            epoch: 0,
            images,
            ending: false,
            acknowledged: false,
            at_end: 0,
            at_end_elsewhere: 0,
            has_told_ends: false,
        }
    }

    /// Calls `tell` for each change since the last call.
    pub fn compare(&mut self, job: &Job, mut tell: impl FnMut(Rank, Change)) {
        let status = &job.page().status;
        // Acquire: the states of that epoch.
        let epoch = status.epoch.load(Ordering::Acquire);
        let acknowledged = status.acknowledged.load(Ordering::Relaxed) != 0;
        // Relaxed: a count only; no other data is read because of it.
        let at_end = status.at_end.load(Ordering::Relaxed);
        let is_known = at_end == self.at_end && acknowledged == self.acknowledged;
        if is_known && epoch == self.epoch {
            return;
        }
        self.at_end = at_end;
        self.epoch = epoch;
        let me = self.images[0].image;
        if !std::mem::replace(&mut self.acknowledged, acknowledged) && acknowledged {
            tell(me, Change::Acknowledged);
        }
        for told in &mut self.images {
            let survivor_syncs = job.entry(told.image).survivor_syncs.load(Ordering::Acquire);
            if std::mem::replace(&mut told.survivor_syncs, survivor_syncs) != survivor_syncs {
                tell(told.image, Change::SurvivorSync(survivor_syncs));
            }
            let complaint = job.entry(told.image).complaint.load(Ordering::Acquire);
            if std::mem::replace(&mut told.complaint, complaint) != complaint {
                tell(told.image, Change::Complaint(complaint));
            }
            let state = job.state(told.image);
            if std::mem::replace(&mut told.state, state) != state {
                tell(
                    told.image,
                    match state {
                        ImageState::Stopped => Change::Stopped,
                        _ => Change::Failed,
                    },
                );
            }
        }
        let here = at_end.wrapping_sub(self.at_end_elsewhere);
        let failed = |told: &&RemoteState| told.state == ImageState::Failed;
        let have_ended = here as usize + self.images.iter().filter(failed).count();
        if here > 0 && have_ended >= self.images.len() && !self.has_told_ends {
            self.has_told_ends = true;
            tell(me, Change::AtEnd(here));
        }
        if !self.ending
            && let Some((by, code)) = failure::ending(job)
        {
            self.ending = true;
            match by {
                Some(image) => tell(image, Change::Ending(code)),
                None => tell(me, Change::EndingByLauncher(code)),
            }
        }
    }

    /// Writes a change of `image` that another host has sent into this host's job.
    pub fn apply(&mut self, job: &Job, image: Rank, change: Change) {
        match change {
            Change::Stopped => failure::publish_stopped(job, image),
            Change::Failed => failure::publish_failed(job, image),
            Change::SurvivorSync(count) => failure::replica_survivor_syncs(job, image, count),
            Change::Ending(code) => {
                self.ending = true;
                failure::start_ending(job, image, code);
            }
            Change::EndingByLauncher(code) => {
                self.ending = true;
                failure::start_ending(job, None, code);
            }
            Change::Complaint(digest) => failure::replica_complaint(job, image, digest),
            Change::Acknowledged => {
                self.acknowledged = true;
                failure::acknowledge(job);
            }
            Change::AtEnd(images) => {
                self.at_end_elsewhere = self.at_end_elsewhere.wrapping_add(images);
                // Relaxed: a count only; no other data is read because of it.
                job.page().status.at_end.fetch_add(images, Ordering::Relaxed);
            }
        }
    }
}
