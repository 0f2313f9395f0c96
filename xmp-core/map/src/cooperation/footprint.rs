//! Memory of a server's request buffers.

use super::mode::Policy;
use super::topology::Topology;

/// Buffers of a host's server, in requests and in messages of other servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// Buffers for requests of images.
    pub requests: u64,
    /// Bytes of each.
    pub request_bytes: u64,
    /// Buffers for messages from, and to, the other servers of the group.
    pub batches: u64,
    /// Bytes of each.
    pub batch_bytes: u64,
}

impl Footprint {
    /// The buffers of the server of `host`, with `images_per_host` images on each host.
    pub fn of(topology: Topology, host: u32, images_per_host: u32, policy: &Policy) -> Footprint {
        // Its own images' requests enter there too, if they are for another host of the group.
        let forwarders = topology.forwarders(host).count() as u64;
        let at_home = u64::from(forwarders > 0);
        let hosts = u64::from(topology.sender_count(host)) + at_home;
        let requests = hosts * u64::from(images_per_host) * u64::from(policy.buffers);
        Footprint {
            requests,
            request_bytes: policy.buffer_bytes as u64,
            // In both directions: a forwarded request is copied, so that its buffer is free before it is answered.
            batches: 2 * forwarders * u64::from(policy.batches),
            batch_bytes: policy.batch_bytes as u64,
        }
    }

    /// Bytes of all buffers.
    pub fn bytes(&self) -> u64 {
        self.requests * self.request_bytes + self.batches * self.batch_bytes
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::cooperation::Mode;

    /// The paper's buffers: 4 of 16 KiB for each process, 12 processes a host.
    fn bytes(hosts: u32, group: u32, mode: Mode) -> u64 {
        let topology = Topology::new(hosts, group).unwrap();
        Footprint::of(topology, 0, 12, &Policy::new(mode, 4, 16 << 10)).bytes()
    }

    #[test]
    fn direct_buffers_grow_with_the_job() {
        // Section IV-B of the paper measures 812 MB more on 12,288 processes.
        assert_eq!(bytes(1024, 1, Mode::Direct), 1023 * 12 * 4 * (16 << 10));
    }

    #[test]
    fn groups_of_eight_take_a_seventh_and_larger_ones_less() {
        let direct = bytes(1024, 1, Mode::Direct);
        let ratio = |group| direct as f64 / bytes(1024, group, Mode::Aggregation) as f64;
        assert!(ratio(8) >= 7.0, "{}", ratio(8));
        // Targets are spared, so there are two entries for each host outside.
        assert!(ratio(32) >= 14.0, "{}", ratio(32));
    }
}
