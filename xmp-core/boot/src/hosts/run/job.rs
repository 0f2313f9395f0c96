//! The job that the launcher has its proxies start.

use super::Run;
use crate::error::{Error, Result};
use crate::hosts::children::lock;
use crate::hosts::frame::Job;
use crate::hosts::list::shares;
use crate::launch::JOB_VARIABLE;
use rustix::rand::{GetRandomFlags, getrandom};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

impl Run<'_> {
    /// The job for the hosts that have answered.
    pub(super) fn job(&mut self) -> Result<Job> {
        let hosts = self.request.hosts.iter().zip(&self.hosts);
        let slots: Vec<u32> =
            hosts.map(|(host, its)| host.slots.or(its.cores).unwrap_or(1).max(1)).collect();
        let all: u64 = slots.iter().map(|&slots| u64::from(slots)).sum();
        let images = self.request.images.map_or_else(|| u32::try_from(all), Ok).map_err(|_| {
            Error::Invalid(format!(
                "{all} slots on {} hosts are more than images can be: name fewer slots, or -n",
                slots.len()
            ))
        })?;
        if u64::from(images) > all && !self.launch.quiet {
            let text = format!(
                "warning: {images} images for {all} slots on {} hosts: images share processors and wait for one another. -n {all} \
                 starts one for each slot; the option -q turns this warning off",
                slots.len()
            );
            lock(&self.output).report(&text);
        }
        let mut first = 0;
        for (host, count) in self.hosts.iter_mut().zip(shares(images, &slots)) {
            host.part = (first, count);
            first += count;
        }
        let mut secret = vec![0; 16];
        getrandom(&mut secret[..], GetRandomFlags::empty())
            .map_err(|error| Error::os("no secret for the job", error.into()))?;
        let launch = self.launch;
        let wrapper = launch.wrapper.as_ref();
        let wrapped =
            wrapper.map(|wrapper| wrapper.images.iter().map(|rank| rank.image()).collect());
        Ok(Job {
            images,
            parts: self.hosts.iter().map(|host| host.part).collect(),
            secret,
            directory: directory().into_os_string(),
            command: [&launch.program].into_iter().chain(&launch.args).cloned().collect(),
            environment: environment(launch.timeout),
            wrapper: wrapper.map(|wrapper| wrapper.command.clone()).unwrap_or_default(),
            wrapped: wrapped.unwrap_or_default(),
            binding: self.request.binding.clone(),
            whole_lines: launch.prefix_output,
        })
    }
}

/// The directory of this process by the name that the user has given it: another host may know it by no other.
fn directory() -> PathBuf {
    let current = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let named = std::env::var_os("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
    let is_same = |path: &PathBuf| path.canonicalize().ok() == current.canonicalize().ok();
    named.filter(is_same).unwrap_or(current)
}

/// The environment of the job's images.
fn environment(timeout: Option<Duration>) -> Vec<(OsString, OsString)> {
    let passed = |name: &OsString| name != JOB_VARIABLE && name != "XMP_NUM_IMAGES";
    let mut all: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| passed(name)).collect();
    if let Some(limit) = timeout {
        all.retain(|(name, _)| name != "XMP_TIMEOUT");
        all.push(("XMP_TIMEOUT".into(), limit.as_secs_f64().to_string().into()));
    }
    all
}
