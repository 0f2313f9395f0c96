//! How a set splits over hosts.

use super::ImageSet;
use crate::board::Board;
use crate::error::Result;
use crate::image::Image;
use crate::rank::Rank;
use std::rc::Rc;

/// The host level and the leader level of a set, as this image sees them.
#[derive(Debug)]
pub struct Levels {
    board: Option<Rc<Board>>,
    mates: Box<[Rank]>,
    position: usize,
    leaders: Box<[Rank]>,
    host: usize,
    express: bool,
}

impl Levels {
    pub(super) fn find(image: &Image, set: &ImageSet) -> Result<Levels> {
        let mates: Box<[Rank]> =
            set.ranks().filter(|&rank| image.host_of(rank) == image.host()).collect();
        let board = match mates.len() {
            1 => None,
            _ => image.board(&mates)?,
        };
        let position = mates.iter().position(|&mate| mate == image.rank()).expect("own host");
        let mut hosts = Vec::new();
        let mut leaders = Vec::new();
        for rank in set.ranks() {
            if !hosts.contains(&image.host_of(rank)) {
                hosts.push(image.host_of(rank));
                leaders.push(rank);
            }
        }
        let host = hosts.iter().position(|&host| host == image.host()).expect("own host");
        let forced = image.settings().collectives.iter().any(|(name, _)| name != "barrier");
        let express = board.is_some() && leaders.len() == 1 && !forced;
        Ok(Levels { board, mates, position, leaders: leaders.into(), host, express })
    }

    /// Where the members of this host meet; `None` when this image is the only one, or when the host has no room
    /// for another board (the same answer for all members of the host).
    #[inline(always)]
    pub fn board(&self) -> Option<&Board> {
        self.board.as_deref()
    }

    /// The board, when a collective need not ask any further: all members share this host and no setting has to be
    /// looked at. The same answer for all members.
    #[inline(always)]
    pub fn express(&self) -> Option<&Board> {
        if self.express { self.board() } else { None }
    }

    /// The members on this image's host, in set order; the first is its leader.
    pub fn mates(&self) -> &[Rank] {
        &self.mates
    }

    /// Position of this image among the mates.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The leaders of all hosts, in the order in which the set first names the hosts.
    #[inline(always)]
    pub fn leaders(&self) -> &[Rank] {
        &self.leaders
    }

    /// Position of this image's host (and of its leader) in [`Levels::leaders`].
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
