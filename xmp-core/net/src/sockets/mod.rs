//! Messages between hosts by TCP connections of the images, unless MPI is faster: `XMP_MPI_SOCKETS`. Read
//! `README.md` beside this file first.

pub mod addresses;
mod agree;
mod arrivals;
mod connect;
mod fabric;
mod handshake;
mod in_threads;
mod input;
mod keepalive;
mod keyed;
mod measure;
mod operations;
mod output;
mod stream;
mod streams;
#[cfg(test)]
mod tests;
mod unconnected;

pub(crate) use agree::Exchange;
pub(crate) use arrivals::{Arrivals, left};
pub use connect::listen;
pub(crate) use connect::{accept_all, answered, call, enough_room};
pub use fabric::SocketFabric;
pub use handshake::{ANSWER, CONFIRMATION, Card, GREETING, Nonce, nonce};
pub use in_threads::fabrics;
pub(crate) use keepalive::ask;
pub use keyed::Secret;
pub(crate) use keyed::secret_of;

use crate::error::Result;
use crate::plugin::Plugin;
use crate::rank::Rank;
use crate::server::{Fabric, Peers, Route};
use crate::settings::{Limits, Preference};
use agree::Refusal;
use connect::connect;
use measure::Times;
use std::result;
use std::time::Duration;
use unconnected::Unconnected;

/// The time in which all connections of a process must be made, and then answered, where the job can do without.
const OPTIONAL_CONNECT_TIME: Duration = Duration::from_millis(300);
/// And where it cannot: hosts may be busy.
const REQUIRED_CONNECT_TIME: Duration = Duration::from_secs(30);

/// The fabric of this process: `mpi`, or one with sockets above it, whose connections end when a host has not answered for
/// `timeout`. The same on all images. Where sockets are required and not all connections can be made, all images get the same
/// text, which says why. Collective over the job, before there are servers.
///
/// # Errors
/// When MPI fails.
pub fn choose(
    plugin: &Plugin,
    mpi: Box<dyn Fabric>,
    wanted: Preference,
    peers: &Peers,
    limits: &Limits,
    (timeout, interfaces): (Duration, Option<&str>),
) -> Result<result::Result<Box<dyn Fabric>, String>> {
    if wanted == Preference::Never {
        return Ok(Ok(mpi));
    }
    let at_home = !Route::new(limits, peers).is_direct();
    let patience =
        if wanted == Preference::Always { REQUIRED_CONNECT_TIME } else { OPTIONAL_CONNECT_TIME };
    let streams = match connect(plugin, peers, at_home, patience, timeout, interfaces) {
        Ok(streams) => streams,
        Err(Refusal::Exchange(error)) => return Err(error),
        Err(Refusal::Reason(why)) if wanted == Preference::Always => {
            return Ok(Err(format!("setting XMP_MPI_SOCKETS=always: {why}")));
        }
        Err(Refusal::Reason(why)) => {
            if plugin.rank() == Rank::new(0) {
                tracing::info!("XMP_MPI_SOCKETS=auto: messages between hosts by MPI: {why}");
            }
            return Ok(Ok(mpi));
        }
    };
    let mut fabric = SocketFabric::new(mpi, peers, streams, !at_home)?;
    if wanted == Preference::Always {
        return Ok(Ok(Box::new(fabric)));
    }
    let times = measure_in_pairs(&mut fabric, peers)?;
    let favour = times.is_none_or(Times::favour_sockets);
    // Every pair of hosts must agree.
    let all_favour =
        Exchange::allgather(plugin, &[favour.into()])?.iter().all(|&favours| favours != 0);
    let by = if all_favour { "sockets" } else { "MPI" };
    if let Some(Times { mpi, sockets }) = times.filter(|_| plugin.rank() == Rank::new(0)) {
        tracing::info!(
            "XMP_MPI_SOCKETS=auto: messages between hosts by {by}: a round trip takes {sockets:.1?} by sockets and \
             {mpi:.1?} by MPI"
        );
    }
    Ok(Ok(if all_favour { Box::new(fabric) } else { fabric.into_mpi()? }))
}

/// The fabric of this process where there is no MPI: all messages go by sockets. Otherwise as [`choose`].
///
/// # Errors
/// When the exchange fails.
pub(crate) fn alone(
    exchange: &dyn Exchange,
    peers: &Peers,
    limits: &Limits,
    (timeout, interfaces): (Duration, Option<&str>),
) -> Result<result::Result<Box<dyn Fabric>, String>> {
    if !Route::new(limits, peers).is_direct() {
        // Bytes after forwarded requests would need a second connection.
        return Ok(Err("setting XMP_COOPERATION: without MPI requests are not forwarded".into()));
    }
    match connect(exchange, peers, false, REQUIRED_CONNECT_TIME, timeout, interfaces) {
        Ok(streams) => {
            let below = Box::new(Unconnected(peers.me()));
            Ok(Ok(Box::new(SocketFabric::new(below, peers, streams, true)?)))
        }
        Err(Refusal::Exchange(error)) => Err(error),
        Err(Refusal::Reason(why)) => Ok(Err(why)),
    }
}

/// Hosts form pairs, which measure; returns what the first of a pair has found.
fn measure_in_pairs(fabric: &mut SocketFabric, peers: &Peers) -> Result<Option<Times>> {
    let host = peers.number() as usize;
    let first = host.is_multiple_of(2);
    let partner = if first { peers.leaders().get(host + 1) } else { peers.leaders().get(host - 1) };
    let Some(&partner) = partner.filter(|_| peers.leads()) else { return Ok(None) };
    let times = measure::measure(fabric, partner, first)?;
    Ok(first.then_some(times))
}
