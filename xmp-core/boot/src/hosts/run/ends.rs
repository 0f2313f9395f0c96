//! The ends of images, of hosts and of the job, as the launcher sees and makes them.

use super::{ENDING, PATIENCE, Run};
use crate::error::{Error, Result};
use crate::failure::{Complainants, ERROR_STATUS};
use crate::hosts::children::lock;
use crate::hosts::frame::Down;
use crate::launch::{End, Outcome, TIMEOUT_STATUS, exit_status};
use crate::rank::Rank;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Instant;

impl Run<'_> {
    pub(super) fn ended(&mut self, rank: u32, status: i32, has_left: bool) {
        let end = End::from(ExitStatus::from_raw(status));
        let is_first = self.ends.iter().flatten().all(|end| *end == End::Exited(0));
        if let Some(its) = self.ends.get_mut(rank as usize) {
            *its = Some(end);
        }
        lock(&self.output).end(Rank::new(rank));
        if is_first && end != End::Exited(0) && self.status.is_none() && self.asked.is_none() {
            self.casualty = matches!(end, End::Killed(_)).then_some(end);
            if !has_left {
                let text =
                    format!("{} on {} {end}", Rank::new(rank), self.name(self.host_of(rank)));
                lock(&self.output).report(&text);
            }
        }
        if self.asked.is_some() && self.kill.is_none() {
            self.kill = Some(Instant::now() + self.launch.settings.kill_grace + PATIENCE);
        }
        self.look_for_absent();
    }

    /// Images that wait for all others wait in vain when one of these has ended.
    pub(super) fn look_for_absent(&mut self) {
        let ended = self.ends.iter().position(Option::is_some);
        let Some(rank) = ended.filter(|_| self.is_meeting && self.status.is_none()) else { return };
        let rank = rank as u32;
        let text = format!(
            "{} on {} has ended before all images have met: the others are ended",
            Rank::new(rank),
            self.name(self.host_of(rank))
        );
        lock(&self.output).report(&text);
        let end = self.ends[rank as usize];
        let status = match end {
            Some(End::Exited(code)) if code != 0 => code,
            Some(End::Killed(signal)) => 128 + signal,
            _ => ERROR_STATUS,
        };
        self.end_with(status);
    }

    /// An image ends the job with this status.
    pub(super) fn aborted(&mut self, rank: u32, status: i32) {
        if self.status.is_some() {
            return;
        }
        let waited = |host: u32| self.hosts.get(host as usize).is_some_and(|host| host.has_met);
        // Where all images of its host waited for the others, these have not come in time. Otherwise there is another reason.
        if self.is_meeting && waited(self.host_of(rank)) {
            self.name_late_images();
        }
        self.end_with(status);
    }

    fn name_late_images(&self) {
        for (number, host) in (0..).zip(&self.hosts) {
            let (first, count) = host.part;
            if host.has_met || count == 0 {
                continue;
            }
            let late: Vec<Rank> = (first..first + count).map(Rank::new).collect();
            let text = format!(
                "{} on {} {} not met the others in time: see whether that host is overloaded, or its processes are stopped",
                Complainants::from(late),
                self.name(number),
                if count == 1 { "has" } else { "have" }
            );
            lock(&self.output).report(&text);
        }
    }

    /// Nothing more comes from a host.
    pub(super) fn closed(&mut self, host: u32, why: &str) -> Result<()> {
        let Some(state) = self.hosts.get(host as usize).filter(|host| !host.is_done) else {
            return Ok(());
        };
        let (name, (first, count)) = (self.name(host), state.part);
        if self.ends.is_empty() {
            return Err(Error::system(format!("cannot start images on {name}"), why));
        }
        let left = (first..first + count).filter(|&rank| self.ends[rank as usize].is_none());
        let left: Vec<Rank> = left.map(Rank::new).collect();
        if self.status.is_none() {
            let text = if left.is_empty() {
                format!("{name}: {why}")
            } else {
                format!("host {name} is lost, with {}: {why}", Complainants::from(left.clone()))
            };
            lock(&self.output).report(&text);
        }
        for rank in left {
            self.ends[rank.index()] = Some(End::Killed(libc::SIGKILL));
        }
        self.casualty.get_or_insert(End::Killed(libc::SIGKILL));
        self.done(host);
        // The images that are left find out the state of the others by themselves.
        let settings = &self.launch.settings;
        let limit = settings.host_timeout + settings.failure_grace + PATIENCE;
        self.kill.get_or_insert(Instant::now() + limit);
        self.look_for_absent();
        Ok(())
    }

    /// Ends all images, with this status of the job.
    pub(super) fn end_with(&mut self, status: i32) {
        self.status = Some(status);
        self.kill_all();
    }

    pub(super) fn kill_all(&mut self) {
        self.kill = None;
        self.children.send(&Down::Kill);
        self.give_up.get_or_insert(Instant::now() + 2 * ENDING);
    }

    /// The time is over. Images end by themselves, and report their statements; other programs, and images that cannot,
    /// are ended.
    pub(super) fn time_out(&mut self) {
        self.timeout = None;
        if self.have_met && self.kill.is_none() {
            self.kill = Some(Instant::now() + self.launch.settings.kill_grace + PATIENCE);
            return;
        }
        let limit = self.launch.timeout.unwrap_or_default();
        lock(&self.output).report(&format!("the job has run for {limit:?}: ending it"));
        self.end_with(TIMEOUT_STATUS);
    }

    pub(super) fn exit_status(&self, output_lost: bool) -> i32 {
        if let Some(status) = self.status {
            return status;
        }
        exit_status(&Outcome {
            casualties: self.casualty.into_iter().collect(),
            ends: self.ends.iter().map(|end| end.unwrap_or(End::Killed(libc::SIGKILL))).collect(),
            output_lost,
            ..Outcome::default()
        })
    }
}
