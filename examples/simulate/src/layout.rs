//! The hosts of the images of a set.

/// The hosts of the images of a set, in the order of the set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of the host of each image; hosts are numbered in the order in which the set names them.
    host_of: Vec<u32>,
    /// Positions of the images of each host.
    members: Vec<Vec<u32>>,
    /// Cores of a host.
    cores: usize,
    /// Images on a host, in this set or not.
    busy: usize,
    /// Whether all hosts are one machine and share its cores.
    one_machine: bool,
}

impl Layout {
    /// Images on these hosts, by any numbers. A host has `cores` cores, and `busy` images run on it: those of the set
    /// and others.
    pub fn new(hosts: impl IntoIterator<Item = u32>, cores: usize, busy: usize) -> Layout {
        let mut known = std::collections::HashMap::new();
        let mut members: Vec<Vec<u32>> = Vec::new();
        let mut host_of = Vec::new();
        for (position, host) in hosts.into_iter().enumerate() {
            let number = *known.entry(host).or_insert_with(|| {
                members.push(Vec::new());
                members.len() - 1
            });
            members[number].push(position as u32);
            host_of.push(number as u32);
        }
        Layout { host_of, members, cores, busy, one_machine: false }
    }

    /// `images` images, `per_host` on each host with a core each.
    pub fn blocks(images: usize, per_host: usize) -> Layout {
        let hosts = (0..images).map(|image| (image / per_host) as u32);
        Layout::new(hosts, per_host, per_host)
    }

    /// `images` images on `hosts` virtual hosts of a machine with this many cores, as our launcher spreads them. Messages
    /// between them go through memory.
    pub fn virtual_hosts(images: usize, hosts: usize, cores: usize) -> Layout {
        let hosts = (0..images).map(|image| (image * hosts / images) as u32);
        Layout { one_machine: true, ..Layout::new(hosts, cores, images) }
    }

    /// Number of images.
    pub fn len(&self) -> usize {
        self.host_of.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.host_of.is_empty()
    }

    /// Number of hosts.
    pub fn hosts(&self) -> usize {
        self.members.len()
    }

    /// Host of an image.
    pub fn host_of(&self, position: usize) -> usize {
        self.host_of[position] as usize
    }

    /// The images of a host, the leader first.
    pub fn members(&self, host: usize) -> &[u32] {
        &self.members[host]
    }

    /// Images on each core, at least 1.
    pub fn load(&self) -> f64 {
        (self.busy as f64 / self.cores as f64).max(1.0)
    }

    /// Number of machines, and of the cores of each.
    pub(super) fn machines(&self) -> (usize, usize) {
        (if self.one_machine { 1 } else { self.hosts() }, self.cores)
    }

    /// The machine of a host.
    pub(super) fn machine_of(&self, host: usize) -> usize {
        if self.one_machine { 0 } else { host }
    }

    /// The leaders alone.
    pub(super) fn leaders(&self) -> Layout {
        let one_machine = self.one_machine;
        Layout { one_machine, ..Layout::new(0..self.hosts() as u32, self.cores, self.busy) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_numbered_as_they_come() {
        let layout = Layout::new([7, 3, 7, 9], 2, 3);
        assert_eq!((layout.hosts(), layout.len()), (3, 4));
        assert_eq!(layout.members(0), [0, 2]);
        assert_eq!(layout.host_of(3), 2);
        assert_eq!(layout.load(), 1.5);
        assert_eq!(layout.leaders().hosts(), 3);
    }

    #[test]
    fn virtual_hosts_share_the_cores() {
        let layout = Layout::virtual_hosts(8, 2, 2);
        assert_eq!((layout.members(0).len(), layout.load()), (4, 4.0));
        assert_eq!(layout.leaders().machines(), (1, 2));
        assert_eq!(Layout::blocks(33, 16).hosts(), 3);
    }
}
