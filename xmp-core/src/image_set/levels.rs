//! The levels of a set: its hosts, and the board of this one.

use super::{ImageSet, Members, Split};
use crate::board::Board;
use crate::error::Result;
use crate::image::Image;
use std::ops::Deref;
use std::rc::Rc;

/// The host level and the leader level of a set, as this image sees them.
#[derive(Debug)]
pub struct Levels {
    board: Option<Rc<Board>>,
    /// For the board, where the set has images on other hosts.
    _members: Option<Rc<Members>>,
    split: Rc<Split>,
    /// As the split says; asked at every operation.
    single_host: bool,
    express: bool,
}

impl Levels {
    pub(super) fn find(image: &Image, set: &ImageSet) -> Result<Levels> {
        let split = set.split(image).clone();
        let board = match split.mates().len() {
            1 => None,
            _ => image.board(set, split.mates())?,
        };
        let members = board.as_ref().and_then(|board| board.serve(set));
        let single_host = split.single_host();
        let forced = image.settings().collectives.iter().any(|(name, _)| name != "barrier");
        let asks = forced || image.settings().check;
        let express = board.is_some() && single_host && !asks;
        Ok(Levels { board, _members: members, split, single_host, express })
    }

    /// Whether all members share one host, so that there is no leader level.
    #[inline(always)]
    pub fn single_host(&self) -> bool {
        self.single_host
    }

    /// Where the members of this host meet; `None` when this image is the only one, or when the host has no room
    /// for another board (the same answer for all members of the host).
    #[inline(always)]
    pub fn board(&self) -> Option<&Board> {
        self.board.as_deref()
    }

    /// Whether each step of this set is made by all its images or by none ([`Board::all_or_none`]): all meet at one board of that
    /// kind.
    pub fn has_whole_steps(&self) -> bool {
        self.single_host && self.board().is_some_and(Board::all_or_none)
    }

    /// The board, when a collective need not ask any further: all members share this host and no setting has to be
    /// looked at. The same answer for all members.
    #[inline(always)]
    pub fn express(&self) -> Option<&Board> {
        if self.express { self.board() } else { None }
    }
}

impl AsRef<Split> for Levels {
    fn as_ref(&self) -> &Split {
        self
    }
}

impl Deref for Levels {
    type Target = Split;
    #[inline(always)]
    fn deref(&self) -> &Split {
        &self.split
    }
}
