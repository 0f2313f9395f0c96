//! The choice of the policy and of the groups of hosts for a job.

use super::footprint::Footprint;
use super::mode::{Mode, Policy, PolicySettings, group_size};
use super::topology::Topology;
use crate::error::Result;

/// Bytes of buffers at a host up to which requests go directly.
pub const DIRECT_BYTES: u64 = 256 << 20;

impl Policy {
    /// This policy and the groups of hosts, as the settings request, for a job of `images_per_host` images on each of
    /// `hosts` hosts. Without a request: directly while that takes little memory (`DIRECT_BYTES`), then merged, in
    /// groups that take the least memory.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] when there are no hosts or the group is 0.
    pub fn choose(
        self,
        settings: PolicySettings,
        hosts: u32,
        images_per_host: u32,
    ) -> Result<(Policy, Topology)> {
        let direct = Topology::new(hosts, 1)?;
        let needed = Footprint::of(direct, 0, images_per_host, &self).bytes();
        let mode = settings.mode.unwrap_or(if needed > DIRECT_BYTES {
            Mode::Aggregation
        } else {
            Mode::Direct
        });
        let window = settings.window.map_or(self.window, |window| window.as_nanos() as u64);
        let policy = Policy { mode, window, ..self };
        let topology = match mode {
            Mode::Direct => direct,
            _ => Topology::new(hosts, settings.group.unwrap_or_else(|| group_size(hosts)))?,
        };
        Ok((policy, topology))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::time::Duration;

    const POLICY: Policy = Policy::new(Mode::Direct, 4, 16 << 10);

    #[test]
    fn small_jobs_go_directly_and_large_ones_cooperate() {
        let (policy, topology) = POLICY.choose(PolicySettings::default(), 16, 4).unwrap();
        assert_eq!((policy.mode, topology.is_direct()), (Mode::Direct, true));
        let (policy, topology) = POLICY.choose(PolicySettings::default(), 1024, 12).unwrap();
        assert_eq!((policy.mode, topology.groups()), (Mode::Aggregation, 32));
    }

    #[test]
    fn settings_override_the_choice() {
        let window = Some(Duration::from_micros(7));
        let settings = PolicySettings { mode: Some(Mode::Forwarding), group: Some(3), window };
        let (policy, topology) = POLICY.choose(settings, 9, 1).unwrap();
        assert_eq!((policy.mode, policy.window, topology.groups()), (Mode::Forwarding, 7000, 3));
        let direct = PolicySettings { mode: Some(Mode::Direct), ..settings };
        assert!(POLICY.choose(direct, 4096, 64).unwrap().1.is_direct());
        assert!(POLICY.choose(PolicySettings { group: Some(0), ..settings }, 9, 1).is_err());
    }
}
