//! What operations over several hosts have in common: who speaks for a host, and how the others of the host
//! learn how the operation ended.

use crate::broadcast::on_host::{by_messages, on_host};
use crate::host::Host;
use crate::host::broadcast::Message;
use crate::leaders::{CallStatus, CollCall, Vector};
use crate::select::{Forced, HostBroadcast, LeaderBroadcast};
use xmp_core::coll_area::SLOT_DATA;
use xmp_core::image_set::{ImageSet, Levels, Split};
use xmp_core::{Image, Rank, Result};

/// Bytes that travel in a slot together with a verdict.
const WITH_CALL_STATUS: usize = SLOT_DATA - 8;

/// The images that speak for their hosts in one operation: the leaders, but the root for the host of the root. Of the
/// hosts of a set, with collective areas or without.
#[derive(Clone, Copy, Debug)]
pub struct RootedLeaders<'a, S = Levels> {
    image: &'a Image,
    levels: &'a S,
    /// The root and the position of its host.
    root: Option<(Rank, usize)>,
}

impl<'a, S: AsRef<Split>> RootedLeaders<'a, S> {
    /// The leaders of an operation with this root, if it has one.
    pub fn new(image: &'a Image, levels: &'a S, root: Option<Rank>) -> RootedLeaders<'a, S> {
        let root = root.map(|root| {
            let host = Split::host_number(image, root);
            let same_host = |&leader: &Rank| Split::host_number(image, leader) == host;
            (
                root,
                levels.as_ref().leaders().iter().position(same_host).expect("the root is a member"),
            )
        });
        RootedLeaders { image, levels, root }
    }

    /// Number of hosts.
    pub fn hosts(&self) -> usize {
        self.levels.as_ref().leaders().len()
    }

    /// Position of this image's host.
    pub fn host(&self) -> usize {
        self.levels.as_ref().host()
    }

    /// Position of the root's host.
    ///
    /// # Panics
    /// When the operation has no root.
    pub fn root_host(&self) -> usize {
        self.root.expect("an operation with a root").1
    }

    /// The leader of a host.
    pub fn of(&self, host: usize) -> Rank {
        match self.root {
            Some((root, root_host)) if root_host == host => root,
            _ => self.levels.as_ref().leaders()[host],
        }
    }

    /// Whether this image speaks for its host.
    pub fn is_me(&self) -> bool {
        self.of(self.host()) == self.image.rank()
    }

    /// Position of this host's leader among its local peers.
    pub fn among_local_peers(&self) -> usize {
        let leader = self.of(self.host());
        self.levels
            .as_ref()
            .local_peers()
            .iter()
            .position(|&local_peer| local_peer == leader)
            .expect("of this host")
    }
}

/// The image at a position of a set.
///
/// # Errors
/// [`xmp_core::Error::ImageIndex`] when there is no such position.
pub fn rank_at(set: &ImageSet, position: usize) -> Result<Rank> {
    set.rank_of_index(i64::try_from(position).unwrap_or(i64::MAX).saturating_add(1))
}

/// The last part of an operation over several hosts, on one of them: the leader, who knows the verdict and
/// has the result, gives both to its local peers.
///
/// # Errors
/// What the verdict says; when a local peer has ended.
///
/// # Safety
/// The bytes of the result are valid; the same length on all.
pub unsafe fn conclude(
    rooted_leaders: &RootedLeaders<'_>,
    coll: CollCall<'_>,
    result: Vector<'_>,
    forced: Forced<HostBroadcast, LeaderBroadcast>,
) -> Result<()> {
    let (image, levels) = (rooted_leaders.image, rooted_leaders.levels);
    let leader =
        if levels.local_peers().len() == 1 { 0 } else { rooted_leaders.among_local_peers() };
    // SAFETY: the result is valid memory (contract above).
    unsafe { conclude_from(image, levels, leader, coll, result, forced) }
}

/// As [`conclude`], from the local peer that is the `root` of this.
///
/// # Errors
/// As there.
///
/// # Safety
/// As there.
pub unsafe fn conclude_from(
    image: &Image,
    levels: &Levels,
    root: usize,
    mut coll: CollCall<'_>,
    result: Vector<'_>,
    forced: Forced<HostBroadcast, LeaderBroadcast>,
) -> Result<()> {
    let Vector { start: buffer, len, .. } = result;
    if levels.local_peers().len() == 1 {
        return coll.outcome();
    }
    let Some(area) = levels.area() else {
        let message = Message { buffer, len, root };
        // SAFETY: the result is valid memory (contract above).
        unsafe { by_messages(image, levels, message, forced.leaders, &mut coll)? };
        return coll.outcome();
    };
    let host = Host { image, area };
    let small = len <= WITH_CALL_STATUS;
    // SAFETY: slot and buffer are valid for what is copied; the slot is this member's, of the coming step, and
    // then the leader's, of the last one.
    unsafe {
        if host.me() == root {
            host.say(coll.call_status().to_word());
            if small {
                std::ptr::copy_nonoverlapping(buffer, area.slot().add(8), len);
            }
            host.barrier()?;
            coll.outcome()?;
        } else {
            host.barrier()?;
            CallStatus::from_word(host.said(root)).outcome()?;
            if small {
                std::ptr::copy_nonoverlapping(area.slot_of(root).add(8), buffer, len);
            }
        }
        if small {
            return Ok(());
        }
        on_host(image, levels, Message { buffer, len, root }, forced, &mut coll)?;
        coll.outcome()
    }
}
