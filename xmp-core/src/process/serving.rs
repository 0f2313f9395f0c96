//! How an image of several hosts reaches the others: its transport and, if it is the leader of its host, the communication
//! server.

use crate::error::Result;
use crate::job::Job;
use crate::plugin::Plugin;
use crate::rank::Rank;
use crate::server::{Peers, Port, Progress, Server};
use crate::settings::Settings;
use crate::transport::{Hosts, Local, ProgramOrder, Transport};
use std::sync::Arc;

/// What this process does for other hosts, until it is closed.
#[derive(Debug)]
pub(super) struct Serving {
    port: Arc<Port>,
    thread: Option<Progress>,
}

/// The transport of an image; and what it serves with, if its job is on several hosts.
///
/// # Errors
/// When MPI does not let two threads call it, or the system has no thread for the server.
pub(super) fn reach(
    job: &Arc<Job>,
    rank: Rank,
    plugin: Option<&Plugin>,
    settings: &Settings,
) -> Result<(Box<dyn Transport>, Option<Serving>)> {
    let all_are_here = job.geometry().hosts_here == job.geometry().hosts;
    let Some(plugin) = plugin.filter(|_| !all_are_here) else {
        return Ok((Box::new(Local::new(job.clone(), rank)), None));
    };
    plugin.require_threads()?;
    let limits = settings.server;
    let peers = Arc::new(Peers::new(rank, &leaders(job)));
    let server = peers.leads().then(|| Server::new(job.clone(), peers.clone(), limits));
    let port = Port::new(Box::new(plugin.carrier()), server, limits.nap);
    let thread = match port.leads() {
        true => Some(Progress::start(port.clone(), limits.nap)?),
        false => None,
    };
    let hosts = Hosts::new(job.clone(), peers, port.clone(), limits);
    let transport = Box::new(ProgramOrder::new(hosts, job.images()));
    Ok((transport, Some(Serving { port, thread })))
}

/// The leader of each image's host: its lowest rank.
fn leaders(job: &Job) -> Vec<Rank> {
    let mut first = vec![None; job.geometry().hosts as usize];
    let leader = |rank| *first[job.entry(rank).host as usize].get_or_insert(rank);
    job.ranks().map(leader).collect()
}

impl Serving {
    /// Ends it. All images of the job have ended, so that nobody asks for anything any more; but other hosts may not have
    /// been told yet.
    ///
    /// # Errors
    /// When the carrier fails.
    pub(super) fn close(self) -> Result<()> {
        if let Some(thread) = self.thread {
            thread.stop();
        }
        while !tell(&self.port)? {
            std::thread::yield_now();
        }
        self.port.close()
    }

    /// Whether other hosts have been told all that this host's job page says, which is done now if it can be. Nobody is
    /// left to be told if the carrier fails.
    pub(super) fn has_told(&self) -> bool {
        tell(&self.port).unwrap_or(true)
    }
}

/// Serves once at least, because what has changed last may not have been told; whether all is sent then.
fn tell(port: &Port) -> Result<bool> {
    match port.serve_if_idle() {
        Some(served) => served.map(|_| port.is_quiet()),
        None => Ok(!port.leads()),
    }
}
