//! The split of a set over hosts: the local peers on this host, and the leader of each host.

use crate::endpoint::Endpoint;
use crate::rank::Rank;
use crate::settings::Techniques;

/// The hosts of a set, as one of its images sees them. Computed without communication.
///
/// Without the technique *two-level* every image counts as the only one of a host of its own, so that images
/// communicate by messages only.
#[derive(Debug)]
pub struct Split {
    local_peers: Box<[Rank]>,
    position: usize,
    leaders: Box<[Rank]>,
    host: usize,
}

impl Split {
    pub(super) fn find(
        image: &Endpoint,
        ranks: impl Iterator<Item = Rank> + Clone,
        position: usize,
    ) -> Split {
        let me = image.rank();
        if !image.techniques().has(Techniques::TWO_LEVEL) {
            let leaders = ranks.collect();
            return Split { local_peers: [me].into(), position: 0, leaders, host: position };
        }
        let own_host = |rank: &Rank| image.host_of(*rank) == image.host();
        let local_peers: Box<[Rank]> = ranks.clone().filter(own_host).collect();
        let position =
            local_peers.iter().position(|&local_peer| local_peer == me).expect("own host");
        let mut hosts = Vec::new();
        let mut leaders = Vec::new();
        for rank in ranks {
            if !hosts.contains(&image.host_of(rank)) {
                hosts.push(image.host_of(rank));
                leaders.push(rank);
            }
        }
        let host = hosts.iter().position(|&host| host == image.host()).expect("own host");
        Split { local_peers, position, leaders: leaders.into(), host }
    }

    /// A number of the host of an image, the same for images that count as one host.
    #[inline]
    pub fn host_number(image: &Endpoint, rank: Rank) -> u32 {
        if image.techniques().has(Techniques::TWO_LEVEL) { image.host_of(rank) } else { rank.get() }
    }

    /// The members on this image's host, in set order; the first is its leader.
    #[inline(always)]
    pub fn local_peers(&self) -> &[Rank] {
        &self.local_peers
    }

    /// Position of this image among these local peers.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.position
    }

    /// The leaders of all hosts, in the order in which the set first names the hosts.
    #[inline(always)]
    pub fn leaders(&self) -> &[Rank] {
        &self.leaders
    }

    /// Position of this image's host (and of its leader) in [`Split::leaders`].
    #[inline(always)]
    pub fn host(&self) -> usize {
        self.host
    }

    /// The leader of this image's host.
    pub fn leader(&self) -> Rank {
        self.leaders[self.host]
    }

    /// Whether all members share one host, so that there is no leader level.
    #[inline(always)]
    pub fn single_host(&self) -> bool {
        self.leaders.len() == 1
    }
}

impl AsRef<Split> for Split {
    fn as_ref(&self) -> &Split {
        self
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
