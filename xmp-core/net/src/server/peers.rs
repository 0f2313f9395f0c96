//! Peers: which server serves which image.

use crate::rank::Rank;

/// The hosts of all images, and their leaders.
#[derive(Clone, Debug)]
pub struct Peers {
    me: Rank,
    /// By image: the number of its host.
    hosts: Box<[u32]>,
    /// By image: its position among those of its host.
    slots: Box<[u32]>,
    /// By host, in ascending order.
    leaders: Box<[Rank]>,
}

impl Peers {
    /// The peers of the image `me`; `leader_of` has the leader of each image's host.
    ///
    /// # Panics
    /// When `me` is not among the images.
    pub fn new(me: Rank, leader_of: &[Rank]) -> Peers {
        assert!(me.index() < leader_of.len(), "{me} of {}", leader_of.len());
        let mut leaders = leader_of.to_vec();
        leaders.sort();
        leaders.dedup();
        let host = |leader: &Rank| leaders.binary_search(leader).expect("taken from there") as u32;
        let hosts: Box<[u32]> = leader_of.iter().map(host).collect();
        let mut sizes = vec![0; leaders.len()];
        let slot = |&host: &u32| {
            let size = &mut sizes[host as usize];
            *size += 1;
            *size - 1
        };
        let slots = hosts.iter().map(slot).collect();
        Peers { me, hosts, slots, leaders: leaders.into() }
    }

    /// This image.
    pub fn me(&self) -> Rank {
        self.me
    }

    /// Number of images.
    pub fn images(&self) -> usize {
        self.hosts.len()
    }

    /// The leaders of all hosts.
    pub fn leaders(&self) -> &[Rank] {
        &self.leaders
    }

    /// Number of the host of an image: the position of its leader among the leaders.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline(always)]
    pub fn host(&self, image: Rank) -> usize {
        self.hosts[image.index()] as usize
    }

    /// Number of this image's host.
    pub fn number(&self) -> u32 {
        self.hosts[self.me.index()]
    }

    /// Position of an image among those of its host, whose segments are one after the other in this order.
    ///
    /// # Panics
    /// When there is no such image.
    pub fn slot(&self, image: Rank) -> u32 {
        self.slots[image.index()]
    }

    /// The leader of an image's host.
    ///
    /// # Panics
    /// When there is no such image.
    #[inline(always)]
    pub fn leader(&self, image: Rank) -> Rank {
        self.leaders[self.host(image)]
    }

    /// Whether an image is on the host of this one. False for an image that does not exist.
    #[inline(always)]
    pub fn is_here(&self, image: Rank) -> bool {
        self.hosts.get(image.index()) == Some(&self.hosts[self.me.index()])
    }

    /// Whether this image is the leader of its host.
    pub fn leads(&self) -> bool {
        self.leader(self.me) == self.me
    }

    /// The leaders of the other hosts.
    pub fn other_leaders(&self) -> impl Iterator<Item = Rank> + '_ {
        let mine = self.leader(self.me);
        self.leaders.iter().copied().filter(move |&leader| leader != mine)
    }

    /// The images of this host.
    pub fn here(&self) -> impl Iterator<Item = Rank> + '_ {
        (0..self.images() as u32).map(Rank::new).filter(|&image| self.is_here(image))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn hosts_need_not_be_contiguous() {
        let ranks = [0, 1, 0, 4, 4].map(Rank::new);
        let peers = Peers::new(Rank::new(2), &ranks);
        assert_eq!(peers.leaders(), [0, 1, 4].map(Rank::new));
        assert_eq!(peers.here().collect::<Vec<_>>(), [0, 2].map(Rank::new));
        assert_eq!(peers.other_leaders().collect::<Vec<_>>(), [1, 4].map(Rank::new));
        assert_eq!((peers.host(Rank::new(3)), peers.leader(Rank::new(3))), (2, Rank::new(4)));
        assert!(!peers.leads() && Peers::new(Rank::new(4), &ranks).leads());
        let slots: Vec<u32> = (0..5).map(|image| peers.slot(Rank::new(image))).collect();
        assert_eq!(slots, [0, 0, 1, 0, 1]);
        assert!(!peers.is_here(Rank::new(5)), "there is no such image");
    }
}
