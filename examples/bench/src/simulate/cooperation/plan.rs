//! The subjects of the simulation: networks, the machines on them and the policies that are compared.

use xmp_core::cooperation::{Mode, Policy, PolicySettings, Topology};
use xmp_simulate::Costs;
use xmp_simulate::requests::{Machine, Serving, variants};

/// Buffers of an image at a server, and bytes of each, in the paper (section IV-B).
pub const BUFFERS: (u32, usize) = (4, 16 << 10);
/// Nanoseconds that the paper's window is taken to be; it does not say.
const PAPER_WINDOW: u64 = 20_000;

/// What is simulated.
pub struct Plan {
    /// Names of networks, and what things cost there.
    pub networks: Vec<(&'static str, Costs)>,
    /// What the numbers that look random come from.
    pub seed: u64,
    /// Fewer points, smaller jobs.
    pub quick: bool,
}

impl Plan {
    /// Images of the figures of contention, and those on a host.
    pub fn contenders(&self) -> (u32, u32) {
        if self.quick { (128, 4) } else { (1024, 4) }
    }
}

/// The policies that are compared.
pub fn policies() -> [(&'static str, Policy); 4] {
    variants(Policy::new(Mode::Direct, BUFFERS.0, BUFFERS.1), PAPER_WINDOW)
}

/// A machine of this many images with the groups that the library chooses, unless `group` says otherwise.
pub fn machine(costs: Costs, images: (u32, u32), policy: Policy, group: Option<u32>) -> Machine {
    let (images, per_host) = images;
    let settings = PolicySettings { mode: Some(policy.mode), group, window: None };
    let (policy, topology): (Policy, Topology) =
        policy.choose(settings, images.div_ceil(per_host), per_host).expect("there are hosts");
    Machine { costs, serving: Serving::of(&costs), topology, policy, per_host }
}
