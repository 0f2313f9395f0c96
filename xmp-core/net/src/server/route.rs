//! The route of a request: to the server of its target, or to one that forwards it (`crate::cooperation`).

use super::bundle;
use super::limits::request_len;
use super::peers::Peers;
use super::wire::REQUEST_HEADER;
use crate::cooperation::{Mode, Policy, Topology};
use crate::settings::Limits;

/// The routes of requests, the same on all images of a job. Hosts are numbered as in [`Peers`].
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// What servers do with requests for others.
    pub policy: Policy,
    /// The forwarding servers.
    pub topology: Topology,
}

impl Route {
    /// The route that the settings request, or that the size of the job suggests.
    pub fn new(limits: &Limits, peers: &Peers) -> Route {
        let hosts = peers.leaders().len() as u32;
        let per_host = (peers.images() as u32).div_ceil(hosts);
        let (policy, topology) = Policy::new(Mode::Direct, limits.credits, request_len(limits))
            .choose(limits.cooperation, hosts, per_host)
            .expect("a job has hosts, and settings say no groups of none");
        Route { policy, topology }
    }

    /// Whether every request is sent to its target's server.
    pub fn is_direct(&self) -> bool {
        self.topology.is_direct()
    }

    /// Most bytes of a message between servers.
    pub fn message(&self) -> usize {
        // One byte in front, and a few before each request, which has a header at least.
        let requests = self.policy.batch_bytes / REQUEST_HEADER + 1;
        1 + self.policy.batch_bytes + requests * bundle::HEADER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::Rank;

    /// The route of a job with `hosts` hosts and `per_host` images on each, with the default buffers.
    fn way(hosts: u32, per_host: u32) -> Route {
        let leader = |image: u32| Rank::new(image / per_host * per_host);
        let leaders: Vec<Rank> = (0..hosts * per_host).map(leader).collect();
        Route::new(&Limits::default(), &Peers::new(Rank::new(0), &leaders))
    }

    #[test]
    fn the_size_of_the_job_decides_without_a_setting() {
        for (hosts, per_host) in [(2, 1), (2, 64), (16, 4), (100, 1)] {
            let route = way(hosts, per_host);
            assert!(route.is_direct() && route.policy.mode == Mode::Direct, "{hosts} x {per_host}");
        }
        for (hosts, per_host, groups) in [(64, 4, 8), (256, 4, 16), (1024, 12, 32)] {
            let route = way(hosts, per_host);
            let chosen = (route.policy.mode, route.topology.groups());
            assert_eq!(chosen, (Mode::Aggregation, groups), "{hosts} x {per_host}");
        }
    }
}
