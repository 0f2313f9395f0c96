//! The route of requests and the number of buffers: as the settings request, or by the size of the job.

use super::footprint::Footprint;
use super::topology::Topology;
use crate::error::Result;
use std::time::Duration;

/// What happens to a request for an image of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is sent to its target's server.
    Direct,
    /// It is sent to a member of the target's group, which forwards it.
    Forwarding,
    /// That member merges it with others for the same host.
    Aggregation,
}

impl Mode {
    /// All modes, with their names in settings.
    pub const ALL: [(&'static str, Mode); 3] = [
        ("direct", Mode::Direct),
        ("forwarding", Mode::Forwarding),
        ("aggregation", Mode::Aggregation),
    ];
}

/// The values of the settings; the size of the job decides what is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// `XMP_COOPERATION`.
    pub mode: Option<Mode>,
    /// `XMP_COOPERATION_GROUP`, hosts.
    pub group: Option<u32>,
    /// `XMP_COOPERATION_WINDOW`.
    pub window: Option<Duration>,
}

/// How answers to merged requests return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// From the target to each origin, besides the acknowledgement to the forwarding host: as in the paper.
    Apart,
    /// With the acknowledgement to the forwarding host, which distributes them, if requests of several hosts meet at
    /// the target and there are several answers, or one for an image of that host; otherwise as [`Answers::Apart`].
    Together,
}

/// How a host's server handles requests; the same on all hosts of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// What happens to a request.
    pub mode: Mode,
    /// The longest time that a request is held to be merged, nanoseconds.
    pub window: u64,
    /// Whether a request is held even if no message is in transit to its target, as in the paper. Otherwise it goes at
    /// once, and requests that arrive until that is acknowledged are merged.
    pub holds_first: bool,
    /// How answers to merged requests return.
    pub answers: Answers,
    /// Whether read-modify-writes of one word that are sent together take effect as one (`combine.rs`).
    pub combines: bool,
    /// Requests that an image may have at a server.
    pub buffers: u32,
    /// Bytes of the largest such request.
    pub buffer_bytes: usize,
    /// Messages that a server may have at another one of its group.
    pub batches: u32,
    /// Bytes of the largest such message.
    pub batch_bytes: usize,
}

/// Bytes of buffers at a host up to which requests go directly.
pub const DIRECT_BYTES: u64 = 256 << 20;
/// The window without a setting: long, because acknowledgements end the window of a server that works. It must not be a
/// reason to send when the target has much to do.
pub const WINDOW: Duration = Duration::from_millis(2);
/// The largest group that is chosen by the size of the job.
const LARGEST_GROUP: u32 = 64;

impl Policy {
    /// A policy with these buffers of an image at a server, and the defaults for all else.
    pub const fn new(mode: Mode, buffers: u32, buffer_bytes: usize) -> Policy {
        Policy {
            mode,
            window: WINDOW.as_nanos() as u64,
            holds_first: false,
            answers: Answers::Together,
            combines: true,
            buffers,
            buffer_bytes,
            batches: 4,
            batch_bytes: buffer_bytes,
        }
    }

    /// This policy and the groups of hosts, as the settings request, for a job of `images_per_host` images on each of `hosts` hosts.
    /// Without a request: directly while that takes little memory ([`DIRECT_BYTES`]), then merged, in groups that take
    /// the least memory.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] when there are no hosts or the group is 0.
    pub fn choose(
        self,
        wish: Wish,
        hosts: u32,
        images_per_host: u32,
    ) -> Result<(Policy, Topology)> {
        let direct = Topology::new(hosts, 1)?;
        let needed = Footprint::of(direct, 0, images_per_host, &self).bytes();
        let mode = wish.mode.unwrap_or(match needed > DIRECT_BYTES {
            true => Mode::Aggregation,
            false => Mode::Direct,
        });
        let window = wish.window.map_or(self.window, |window| window.as_nanos() as u64);
        let policy = Policy { mode, window, ..self };
        let topology = match mode {
            Mode::Direct => direct,
            _ => Topology::new(hosts, wish.group.unwrap_or_else(|| group_size(hosts)))?,
        };
        Ok((policy, topology))
    }
}

/// The size of groups for `hosts` hosts: a host has buffers for hosts / K others and for K servers, so about the root
/// of hosts.
pub fn group_size(hosts: u32) -> u32 {
    f64::from(hosts).sqrt().ceil().min(f64::from(LARGEST_GROUP)).max(1.0) as u32
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const POLICY: Policy = Policy::new(Mode::Direct, 4, 16 << 10);

    #[test]
    fn small_jobs_go_directly_and_large_ones_cooperate() {
        let (policy, topology) = POLICY.choose(Wish::default(), 16, 4).unwrap();
        assert_eq!((policy.mode, topology.is_direct()), (Mode::Direct, true));
        let (policy, topology) = POLICY.choose(Wish::default(), 1024, 12).unwrap();
        assert_eq!((policy.mode, topology.groups()), (Mode::Aggregation, 32));
    }

    #[test]
    fn what_is_wished_is_done() {
        let window = Some(Duration::from_micros(7));
        let wish = Wish { mode: Some(Mode::Forwarding), group: Some(3), window };
        let (policy, topology) = POLICY.choose(wish, 9, 1).unwrap();
        assert_eq!((policy.mode, policy.window, topology.groups()), (Mode::Forwarding, 7000, 3));
        let direct = Wish { mode: Some(Mode::Direct), ..wish };
        assert!(POLICY.choose(direct, 4096, 64).unwrap().1.is_direct());
        assert!(POLICY.choose(Wish { group: Some(0), ..wish }, 9, 1).is_err());
    }
}
