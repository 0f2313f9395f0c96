//! The distribution of the images of a set over hosts.

use xmp_core::Image;
use xmp_core::image_set::{ImageSet, Split};

/// The host of each image of a set. Hosts are numbered in the order in which the set first names them.
#[derive(Debug)]
pub struct HostDistribution {
    hosts: Vec<usize>,
}

impl HostDistribution {
    /// The distribution of a set.
    pub fn new(image: &Image, set: &ImageSet, split: &Split) -> HostDistribution {
        let leaders = split.leaders().iter().enumerate();
        let mut by_number: Vec<(u32, usize)> =
            leaders.map(|(host, &leader)| (Split::host_number(image, leader), host)).collect();
        by_number.sort_unstable();
        let host_of = |rank| {
            let number = Split::host_number(image, rank);
            let found = by_number.binary_search_by_key(&number, |entry| entry.0);
            by_number[found.expect("every host has a leader")].1
        };
        HostDistribution { hosts: set.ranks().map(host_of).collect() }
    }

    /// The host of each position of the set.
    pub fn hosts(&self) -> &[usize] {
        &self.hosts
    }

    /// The positions of the images of a host.
    pub fn positions(&self, host: usize) -> Vec<usize> {
        (0..self.hosts.len()).filter(|&position| self.hosts[position] == host).collect()
    }

    /// The last position of each of `hosts` hosts.
    pub fn lasts(&self, hosts: usize) -> Vec<usize> {
        let mut lasts = vec![0; hosts];
        self.hosts.iter().enumerate().for_each(|(position, &host)| lasts[host] = position);
        lasts
    }

    /// For each of `hosts` hosts, the sum of `of` over the positions of its images.
    pub fn sums(&self, hosts: usize, of: impl Fn(usize) -> usize) -> Vec<usize> {
        let mut sums = vec![0; hosts];
        for (position, &host) in self.hosts.iter().enumerate() {
            sums[host] += of(position);
        }
        sums
    }
}
