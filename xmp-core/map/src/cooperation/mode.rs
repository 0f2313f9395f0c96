//! The route of requests and the number of buffers: as the settings request, or by the size of the job.

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
pub struct PolicySettings {
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
}

/// The size of groups for `hosts` hosts: a host has buffers for hosts / K others and for K servers, so about the root
/// of hosts.
pub fn group_size(hosts: u32) -> u32 {
    f64::from(hosts).sqrt().ceil().min(f64::from(LARGEST_GROUP)).max(1.0) as u32
}
