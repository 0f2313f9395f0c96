//! The topology: which server holds buffers for which hosts, and the route of a request; arithmetic on numbers of
//! hosts.

use crate::error::{Error, Result};
use std::ops::Range;

/// The hosts of a job in groups of neighbours.
///
/// The requests of a host's images for a host of another group go to one member of that group, the *entry*, which
/// forwards them. Requests for a host of their own group enter at their own host. With groups of one host every request
/// goes directly to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    hosts: u32,
    groups: u32,
}

impl Topology {
    /// `hosts` hosts in groups of at least `group` hosts and fewer than twice as many: all the same size, or two sizes
    /// that differ by one. A job that is smaller than a group is one group.
    ///
    /// # Errors
    /// [`Error::Invalid`] when either is 0.
    pub fn new(hosts: u32, group: u32) -> Result<Topology> {
        if hosts == 0 || group == 0 {
            return Err(Error::Invalid(format!("groups of {group} hosts of {hosts} hosts")));
        }
        Ok(Topology { hosts, groups: (hosts / group).max(1) })
    }

    /// Number of hosts.
    pub fn hosts(self) -> u32 {
        self.hosts
    }

    /// Number of groups.
    pub fn groups(self) -> u32 {
        self.groups
    }

    /// Whether every request goes directly to its target.
    pub fn is_direct(self) -> bool {
        self.groups == self.hosts
    }

    /// The group of a host.
    pub fn group_of(self, host: u32) -> u32 {
        debug_assert!(host < self.hosts);
        let (size, larger) = (self.hosts / self.groups, self.hosts % self.groups);
        match host.checked_sub(larger * (size + 1)) {
            Some(behind) => larger + behind / size,
            None => host / (size + 1),
        }
    }

    /// The hosts of a group.
    pub fn members(self, group: u32) -> Range<u32> {
        let (size, larger) = (self.hosts / self.groups, self.hosts % self.groups);
        let first = group * size + group.min(larger);
        first..first + size + u32::from(group < larger)
    }

    /// The hosts of the group of a host.
    pub fn neighbours(self, host: u32) -> Range<u32> {
        self.members(self.group_of(host))
    }

    /// The server that requests of images of `from` for images of `to` are sent to: a member of the group of `to`. The
    /// hosts outside of a group are assigned to its members in turn, so that each has the same number, or one more.
    ///
    /// In a group that is large for the job the target receives no requests from outside its group: the other members
    /// share the hosts that would send to it.
    pub fn entry(self, from: u32, to: u32) -> u32 {
        let members = self.neighbours(to);
        if members.contains(&from) {
            return from;
        }
        let (number, size) = (outside(&members, from), members.len() as u32);
        match members.start + number % size {
            entry if entry == to && self.is_spared(size) => members.start + instead(number, size),
            entry => entry,
        }
    }

    /// Whether a target of a group of this size takes messages of the other members only. If all images request the
    /// same host, its server has a message of each other member to read. With its share of the hosts outside it would
    /// have twice as much work as any of them, unless that share is large (the square of the group's size); then it had
    /// better take a part.
    fn is_spared(self, size: u32) -> bool {
        u64::from(self.hosts) <= u64::from(size) * u64::from(size - 1).pow(2)
    }

    /// The hosts whose images send requests to the server of `host`, besides its own: those that it is an entry for.
    pub fn senders(self, host: u32) -> impl Iterator<Item = u32> {
        let members = self.neighbours(host);
        let (position, size) = (host - members.start, members.len() as u32);
        let spared = self.is_spared(size);
        let enters_here =
            move |number| number % size == position || spared && instead(number, size) == position;
        (0..self.hosts).filter(move |&other| {
            !members.contains(&other) && enters_here(outside(&members, other))
        })
    }

    /// Number of [`Topology::senders`].
    pub fn sender_count(self, host: u32) -> u32 {
        self.senders(host).count() as u32
    }

    /// The hosts whose servers forward requests to the server of `host`: the others of its group.
    pub fn forwarders(self, host: u32) -> impl Iterator<Item = u32> {
        self.neighbours(host).filter(move |&other| other != host)
    }
}

/// The number of a host among those that are no members.
fn outside(members: &Range<u32>, host: u32) -> u32 {
    if host < members.start { host } else { host - members.len() as u32 }
}

/// The position in a group of size `size` of the member that replaces the target as entry of the host `number` outside:
/// any other member, each for equally many.
fn instead(number: u32, size: u32) -> u32 {
    let (round, position) = (number / size, number % size);
    (position + 1 + round % (size - 1)) % size
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Messages that a request needs to reach the server of `to`, without one within the host of its origin.
    fn hops(topology: Topology, from: u32, to: u32) -> u32 {
        let entry = topology.entry(from, to);
        u32::from(entry != from) + u32::from(entry != to)
    }

    #[test]
    fn nothing_is_no_group() {
        assert!(Topology::new(0, 4).is_err() && Topology::new(4, 0).is_err());
    }

    #[test]
    fn groups_of_one_are_direct() {
        let direct = Topology::new(7, 1).unwrap();
        assert!(direct.is_direct());
        assert!((0..7).all(|to| (0..7).all(|from| direct.entry(from, to) == to)));
        assert_eq!((direct.sender_count(3), direct.forwarders(3).count()), (6, 0));
    }

    #[test]
    fn a_small_job_is_one_group_and_every_request_enters_at_home() {
        let one = Topology::new(5, 8).unwrap();
        assert_eq!((one.groups(), one.members(0)), (1, 0..5));
        assert_eq!((one.entry(4, 2), hops(one, 4, 2), hops(one, 2, 2)), (4, 1, 0));
        assert_eq!(one.sender_count(2), 0);
    }

    #[test]
    fn a_thousand_hosts() {
        let topology = Topology::new(1024, 32).unwrap();
        assert_eq!((topology.groups(), topology.members(2)), (32, 64..96));
        assert_eq!(topology.entry(1, 70), 65);
        assert_eq!(topology.entry(100, 70), 64 + (100 - 32) % 32);
        assert_eq!((topology.sender_count(0), topology.forwarders(0).count()), (62, 31));
    }

    #[test]
    fn a_popular_target_receives_only_from_its_neighbours() {
        let topology = Topology::new(256, 16).unwrap();
        let mut at = [0; 16];
        (16..256).for_each(|from| at[topology.entry(from, 5) as usize] += 1);
        assert_eq!(at[5], 0);
        assert!(at.iter().enumerate().all(|(host, &n)| host == 5 || n == 16), "{at:?}");
    }

    #[test]
    fn small_groups_of_large_jobs_do_not_spare_their_target() {
        let topology = Topology::new(1024, 8).unwrap();
        assert_eq!(topology.entry(8, 0), 0);
        assert_eq!(topology.sender_count(0), 127);
    }

    proptest! {
        #[test]
        fn members_are_a_partition_into_groups_of_the_size_asked_for(hosts in 1..400u32, group in 1..40u32) {
            let topology = Topology::new(hosts, group).unwrap();
            let mut next = 0;
            for number in 0..topology.groups() {
                let members = topology.members(number);
                prop_assert_eq!(members.start, next);
                prop_assert!(members.len() as u32 >= group.min(hosts) && (members.len() as u32) < 2 * group.max(1));
                prop_assert!(members.clone().all(|host| topology.group_of(host) == number));
                next = members.end;
            }
            prop_assert_eq!(next, hosts);
        }

        #[test]
        fn every_pair_is_reached_in_two_messages_through_buffers_that_exist(
            hosts in 1..80u32, group in 1..20u32
        ) {
            let topology = Topology::new(hosts, group).unwrap();
            for to in 0..hosts {
                let forwarders: Vec<u32> = topology.forwarders(to).collect();
                for from in 0..hosts {
                    let entry = topology.entry(from, to);
                    prop_assert!(hops(topology, from, to) <= 2);
                    prop_assert!(entry == from || topology.senders(entry).any(|sender| sender == from));
                    prop_assert!(entry == to || forwarders.contains(&entry));
                }
            }
        }

        #[test]
        fn a_host_holds_buffers_for_its_share_of_the_others_and_for_its_group(
            hosts in 1..300u32, group in 1..40u32
        ) {
            let topology = Topology::new(hosts, group).unwrap();
            for host in 0..hosts {
                let senders = topology.senders(host).count() as u32;
                prop_assert_eq!(senders, topology.sender_count(host));
                let share = (hosts - 1).div_ceil(group);
                prop_assert!(senders <= 2 * share, "{} of {}", senders, share);
                prop_assert!((topology.forwarders(host).count() as u32) < 2 * group);
            }
        }
    }
}
