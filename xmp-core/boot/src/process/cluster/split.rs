//! The split of a job: the host of each image, and the images that share a region.

use crate::error::{Error, Result};
use crate::job::Part;
use crate::rank::Rank;
use std::collections::BTreeMap;

/// The split of the images of a job, the same on all of them.
///
/// A machine is a set of processes that can share memory. It is one host, or `XMP_VIRTUAL_HOSTS` of them. Each of these
/// has a region and a leader of its own and shares nothing with the others but the processors: messages between them
/// take the same path as between machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The first image of each image's machine.
    pub machines: Vec<Rank>,
    /// The host of each image.
    pub hosts: Vec<u32>,
    /// The first image of each host.
    pub leaders: Vec<Rank>,
    /// Number of images of each host.
    pub sizes: Vec<u32>,
    /// Number of images of each host's machine.
    pub machine_sizes: Vec<u32>,
}

impl Split {
    /// The split, from the first image of each image's machine.
    ///
    /// # Errors
    /// When a machine has fewer images than virtual hosts.
    pub fn new(machine_leaders: &[Rank], virtual_hosts: u32) -> Result<Split> {
        let mut machines: BTreeMap<Rank, Vec<Rank>> = BTreeMap::new();
        for (rank, &leader) in machine_leaders.iter().enumerate() {
            machines.entry(leader).or_default().push(Rank::new(rank as u32));
        }
        let mut split = Split {
            machines: machine_leaders.to_vec(),
            hosts: vec![0; machine_leaders.len()],
            leaders: Vec::new(),
            sizes: Vec::new(),
            machine_sizes: Vec::new(),
        };
        for (leader, images) in &machines {
            let count = images.len() as u32;
            if count < virtual_hosts {
                return Err(Error::Invalid(format!(
                    "setting XMP_VIRTUAL_HOSTS: the {count} images of the machine of {leader} cannot be split over \
                     {virtual_hosts} hosts"
                )));
            }
            let first_host = split.leaders.len() as u32;
            for (position, &image) in images.iter().enumerate() {
                // In blocks, as evenly as possible.
                let group = (position as u64 * u64::from(virtual_hosts) / u64::from(count)) as u32;
                let host = first_host + group;
                split.hosts[image.index()] = host;
                if host as usize == split.leaders.len() {
                    split.leaders.push(image);
                    split.sizes.push(0);
                    split.machine_sizes.push(count);
                }
                split.sizes[host as usize] += 1;
            }
        }
        Ok(split)
    }

    /// The part of the job that the region of a host holds.
    pub fn part(&self, host: u32) -> Part {
        Part { images: self.sizes[host as usize], first_host: host, hosts: 1 }
    }

    /// The host of an image.
    pub fn host_of(&self, rank: Rank) -> u32 {
        self.hosts[rank.index()]
    }

    /// The position of an image among the images of its machine.
    pub fn position_in_machine(&self, rank: Rank) -> usize {
        let machine = self.machines[rank.index()];
        self.machines[..rank.index()].iter().filter(|&&its| its == machine).count()
    }

    /// The first image of the host of an image.
    pub fn leader_of(&self, rank: Rank) -> Rank {
        self.leaders[self.host_of(rank) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(leaders: &[u32], virtual_hosts: u32) -> Result<Split> {
        let leaders: Vec<Rank> = leaders.iter().copied().map(Rank::new).collect();
        Split::new(&leaders, virtual_hosts)
    }

    fn numbers(ranks: &[Rank]) -> Vec<u32> {
        ranks.iter().map(|rank| rank.get()).collect()
    }

    #[test]
    fn machines_are_hosts() {
        // Assigned in turn, as some launchers do.
        let dealt = split(&[0, 1, 0, 1, 0], 1).unwrap();
        assert_eq!(dealt.hosts, [0, 1, 0, 1, 0]);
        assert_eq!((numbers(&dealt.leaders), &dealt.sizes[..]), (vec![0, 1], &[3, 2][..]));
        assert_eq!(dealt.machine_sizes, dealt.sizes);
        assert_eq!(dealt.part(1), Part { images: 2, first_host: 1, hosts: 1 });
        assert_eq!(dealt.leader_of(Rank::new(3)), Rank::new(1));
        assert_eq!([0, 3, 4].map(|rank| dealt.position_in_machine(Rank::new(rank))), [0, 1, 2]);
    }

    #[test]
    fn virtual_hosts_are_blocks_of_a_machine() {
        let halves = split(&[0, 0, 0, 3, 3], 2).unwrap();
        assert_eq!(halves.hosts, [0, 0, 1, 2, 3]);
        assert_eq!(numbers(&halves.leaders), [0, 2, 3, 4]);
        assert_eq!(halves.sizes, [2, 1, 1, 1]);
        assert_eq!(halves.machine_sizes, [3, 3, 2, 2]);
    }

    #[test]
    fn too_few_images_are_refused() {
        let text = split(&[0, 0, 0, 3], 2).unwrap_err().to_string();
        assert!(text.contains("machine of image 4") && text.contains("2 hosts"), "{text}");
    }
}
