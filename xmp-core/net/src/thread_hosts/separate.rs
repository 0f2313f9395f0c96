//! Images that are threads, on hosts that share no memory: each host has a region and a server of its own, and messages
//! are the only connection between them.

use crate::error::Result;
use crate::image::Image;
use crate::job::Job;
use crate::job::Part;
use crate::job::page::Geometry;
use crate::races;
use crate::rank::Rank;
use crate::server::in_process::{Network, Shim};
use crate::server::{Fabric, Hosts, Peers, Port, Progress, Server};
use crate::settings::{Preference, Settings};
use crate::sockets;
use crate::thread_images::{job, run_images};
use crate::transport::{ReadCache, Transport};
use std::sync::{Arc, Mutex, PoisonError};

/// [`crate::thread_images::run_with`] on hosts without common memory; `shim` says how messages between them are
/// delayed. With `XMP_MPI_SOCKETS=always` short ones go by sockets instead.
///
/// # Errors
/// When the job cannot be set up; when a server has no thread; when a connection cannot be made.
pub fn run_on_hosts<T: Send>(
    settings: Settings,
    images: u32,
    hosts: u32,
    shim: Shim,
    body: impl Fn(&Image) -> T + Sync,
) -> Result<Vec<T>> {
    let segment = settings.segment_size.or(Some(1 << 30));
    let whole = Geometry::plan(images, hosts, segment)?.hosts_by_block();
    let jobs: Vec<Arc<Job>> = (0..hosts)
        .map(|host| {
            let count = whole.iter().filter(|&&other| other == host).count() as u32;
            let part = Part { images: count, first_host: host, hosts: 1 };
            let geometry = Geometry::plan_part(images, hosts, part, segment)?;
            let geometry = Geometry { base: 0, ..geometry }.with_shadow(settings.check.races);
            let job = job(&settings, geometry)?;
            races::register(&job)?;
            Ok(Arc::new(job))
        })
        .collect::<Result<_>>()?;
    let leader_of: Vec<Rank> = whole
        .iter()
        .map(|host| Rank::new(whole.iter().position(|other| other == host).expect("itself") as u32))
        .collect();
    let network = Network::new(images, shim);
    let limits = settings.server;
    let fabric = |rank| Box::new(network.fabric(rank)) as Box<dyn Fabric>;
    let ranks = || (0..images).map(Rank::new);
    let fabrics = if settings.sockets == Preference::Always {
        let image = |rank| (Peers::new(rank, &leader_of), fabric(rank));
        sockets::fabrics(ranks().map(image).collect(), &limits)?
    } else {
        ranks().map(fabric).collect()
    };
    let mut threads = Vec::new();
    let mut places = Vec::new();
    for (rank, fabric) in ranks().zip(fabrics) {
        let job = jobs[whole[rank.index()] as usize].clone();
        let peers = Arc::new(Peers::new(rank, &leader_of));
        let server = peers.leads().then(|| Server::new(job.clone(), peers.clone(), limits));
        let port = Port::new(fabric, server, limits.nap);
        if port.leads() {
            threads.push(Progress::start(port.clone(), limits.nap)?);
        }
        places.push((job, peers, port));
    }
    let ports: Vec<Arc<Port>> = places.iter().map(|(_, _, port)| port.clone()).collect();
    // A transport is used by its image's thread, which makes it.
    let places: Vec<_> = places.into_iter().map(|place| Mutex::new(Some(place))).collect();
    let outcome = run_images(&settings, images, body, |rank| {
        let place = places[rank.index()].lock().unwrap_or_else(PoisonError::into_inner).take();
        let (job, peers, port) = place.expect("an image has one place");
        let transport = Hosts::new(job.clone(), peers, port, limits);
        let transport: Box<dyn Transport> = match settings.read_cache {
            // Where races are looked for each access counts.
            _ if settings.check.races => Box::new(transport),
            Preference::Never => Box::new(transport),
            _ => Box::new(ReadCache::new(transport, job.clone())),
        };
        (job, transport)
    });
    // All images have ended, so no more requests arrive.
    threads.into_iter().for_each(Progress::stop);
    ports.iter().try_for_each(|port| port.close())?;
    outcome
}

#[cfg(test)]
mod cooperation;
#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod volume;
