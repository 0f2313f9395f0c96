//! The connection of an image to the others where the job has several hosts: its transport and, if it is the leader of
//! its host, the communication server.

use super::{cluster, memory};
use crate::cooperation::Mode;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::plugin::Plugin;
use crate::races;
use crate::rank::Rank;
use crate::server::{Fabric, Hosts, Peers, Port, Progress, Server, exact_naps};
use crate::settings::{Preference, Settings};
use crate::sockets;
use crate::transport::{Local, ReadCache, Transport};
use crate::world::World;
use std::sync::Arc;

/// The services of this process for other hosts, until it is closed.
#[derive(Debug)]
pub(super) struct Serving {
    port: Arc<Port>,
    thread: Option<Progress>,
}

/// The transport of an image; and its server, if its job is on several hosts.
///
/// # Errors
/// When MPI does not let two threads call it, or has no window where one is requested, or the system has no thread for
/// the server. [`Error::JobEnding`] where sockets are requested and cannot be: one of the images has reported why.
pub(super) fn reach(
    job: &Arc<Job>,
    rank: Rank,
    world: Option<&World>,
    settings: &Settings,
) -> Result<(Box<dyn Transport>, Option<Serving>)> {
    let all_are_here = job.geometry().region_hosts == job.geometry().hosts;
    let Some(world) = world.filter(|_| !all_are_here) else {
        return Ok((Box::new(Local::new(job.clone(), rank)), None));
    };
    memory::register(job)?;
    if settings.check.races {
        races::register(job)?;
    }
    let mut limits = settings.server;
    if world.plugin().is_none() {
        // All images are connected to all leaders, so forwarding would save nothing.
        limits.cooperation.mode.get_or_insert(Mode::Direct);
    }
    let peers = Arc::new(Peers::new(rank, &leaders(job)));
    let server = peers.leads().then(|| Server::new(job.clone(), peers.clone(), limits));
    let interfaces = settings.net_interface.as_deref();
    let fabric = match world {
        World::Mpi(plugin) => by_mpi(plugin, job, &peers, settings)?,
        World::Manager(meeting) => {
            meeting.fabric(&peers, &limits, (settings.host_timeout, interfaces))?
        }
    };
    let fabric = fabric.map_err(|why| cluster::refuse(world, &Error::Invalid(why)))?;
    let port = Port::new(fabric, server, limits.nap);
    exact_naps();
    let thread = if port.leads() { Some(Progress::start(port.clone(), limits.nap)?) } else { None };
    let hosts = Hosts::new(job.clone(), peers, port.clone(), limits);
    // Not where races are looked for: there each access counts.
    let serves_lines = settings.read_cache != Preference::Never && !settings.check.races;
    let transport: Box<dyn Transport> =
        if serves_lines { Box::new(ReadCache::new(hosts, job.clone())) } else { Box::new(hosts) };
    Ok((transport, Some(Serving { port, thread })))
}

/// The fabric of a process under MPI; the text says why there is none.
fn by_mpi(
    plugin: &Plugin,
    job: &Job,
    peers: &Peers,
    settings: &Settings,
) -> Result<std::result::Result<Box<dyn Fabric>, String>> {
    plugin.require_threads()?;
    let fabric = if has_window(plugin, settings)? {
        // SAFETY: the region outlives MPI, because its processes end with it. Other images write to segments anyway.
        unsafe { plugin.fabric_with_window(segments(job).filter(|_| peers.leads())) }?
    } else {
        plugin.fabric()
    };
    let wanted = match settings.sockets {
        // They are on one machine, where MPI has its memory: a measurement would only err.
        Preference::Auto if settings.virtual_hosts > 1 => Preference::Never,
        wanted => wanted,
    };
    let limits = &settings.server;
    let reach = (settings.host_timeout, settings.net_interface.as_deref());
    sockets::choose(plugin, Box::new(fabric), wanted, peers, limits, reach)
}

/// The setting of the read cache in this process: images may synchronise by a program's own calls of MPI, of which the runtime does
/// not know.
pub fn read_cache(world: Option<&World>, settings: &Settings) -> Preference {
    let plugin = world.and_then(World::plugin);
    match settings.read_cache {
        Preference::Auto if plugin.is_some_and(Plugin::program_has_mpi) => Preference::Never,
        wanted => wanted,
    }
}

/// Whether long transfers use a window. The same on all images.
fn has_window(plugin: &Plugin, settings: &Settings) -> Result<bool> {
    match settings.one_sided {
        Preference::Never => Ok(false),
        Preference::Always if plugin.some_window_arrives_late()? => {
            Err(cluster::refuse(&World::Mpi(plugin.clone()), &plugin.with_late_window()))
        }
        Preference::Always => Ok(true),
        Preference::Auto => {
            let found = plugin.measure_one_sided()?;
            if plugin.rank() == Rank::new(0) {
                tracing::info!("XMP_MPI_RMA=auto: long transfers between hosts by {found}");
            }
            Ok(found.pays())
        }
    }
}

/// The segments of this host, one after the other.
fn segments(job: &Job) -> Option<*mut [u8]> {
    let first = job.segment(*job.region_ranks().first()?)?;
    let len = job.geometry().stride as usize * job.region_ranks().len();
    Some(std::ptr::slice_from_raw_parts_mut(first, len))
}

/// The leader of each image's host: its lowest rank.
pub(super) fn leaders(job: &Job) -> Vec<Rank> {
    let mut first = vec![None; job.geometry().hosts as usize];
    let leader = |rank| *first[job.entry(rank).host as usize].get_or_insert(rank);
    job.ranks().map(leader).collect()
}

impl Serving {
    /// The port of this image.
    pub(super) fn port(&self) -> &Arc<Port> {
        &self.port
    }

    /// Ends the serving. All images of the job have ended, so that no more requests come; but other hosts may not know
    /// yet.
    ///
    /// # Errors
    /// When the fabric fails.
    pub(super) fn close(self) -> Result<()> {
        if let Some(thread) = self.thread {
            thread.stop();
        }
        // Once at least: the last changes may not have been propagated.
        loop {
            if let Some(served) = self.port.serve_if_idle() {
                served?;
            }
            if self.port.is_quiet() {
                return self.port.close();
            }
            std::thread::yield_now();
        }
    }
}
