//! Which server a request is sent to: that of its target, or one that passes it on (`crate::cooperation`).

use super::limits::Limits;
use super::peers::Peers;
use super::wire::REQUEST_HEADER;
use crate::cooperation::{Answers, Mode, Policy, Topology};

/// The ways of requests; the same on all images of a job. Hosts are numbered as in [`Peers`].
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// What servers do with requests for others.
    pub policy: Policy,
    /// Who those are.
    pub topology: Topology,
}

impl Route {
    /// As the settings say, or as the size of the job suggests.
    pub fn new(limits: &Limits, peers: &Peers) -> Route {
        let hosts = peers.leaders().len() as u32;
        let per_host = (peers.images() as u32).div_ceil(hosts);
        let base = Policy::new(Mode::Direct, limits.credits, limits.request());
        // Replies come from the target itself, because an image gets those of one server in their order.
        let base = Policy { answers: Answers::Apart, ..base };
        let (policy, topology) = base
            .choose(limits.cooperation, hosts, per_host)
            .expect("a job has hosts, and settings say no groups of none");
        Route { policy, topology }
    }

    /// Whether every request is sent to its target's server.
    pub fn is_direct(&self) -> bool {
        self.topology.is_direct()
    }

    /// Most bytes of a message between servers.
    pub fn batch(&self) -> usize {
        // A byte in front, and the length of each request, which has a header at least.
        let requests = self.policy.batch_bytes / REQUEST_HEADER + 1;
        1 + self.policy.batch_bytes + requests * size_of::<u32>()
    }
}
