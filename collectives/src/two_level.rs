//! The two levels of an operation over several hosts: which image leads each host, and how the leader gives the result
//! and the call status to its local peers.

use crate::broadcast_on_host::{by_messages, on_host};
use crate::leaders::{CallStatus, CollCall, Vector};
use crate::select::{Forced, HostMove, LeaderBroadcast};
use crate::signature::Signature;
use xmp_core::coll_area::{Direction, Flow, SLOT_DATA};
use xmp_core::image_set::{ImageSet, Levels, Split};
use xmp_core::{Image, Rank, Result};

/// Bytes of the call status in a slot.
const CALL_STATUS: usize = size_of::<u64>();

/// The leaders of the hosts in one operation: the root on its own host, on the other hosts the leaders of the set. `S`
/// is the set's distribution over hosts, with collective areas or without.
#[derive(Clone, Copy, Debug)]
pub struct RootedLeaders<'a, S = Levels> {
    image: &'a Image,
    levels: &'a S,
    root: Option<Root>,
}

/// The root of an operation, and the position of its host.
#[derive(Clone, Copy, Debug)]
struct Root {
    rank: Rank,
    host: usize,
}

impl<'a, S: AsRef<Split>> RootedLeaders<'a, S> {
    /// The leaders of an operation with this root, or without one.
    ///
    /// # Panics
    /// When the root is not in the set.
    pub fn new(image: &'a Image, levels: &'a S, root: Option<Rank>) -> RootedLeaders<'a, S> {
        let root = root.map(|rank| {
            let number = Split::host_number(image, rank);
            let same_host = |&leader: &Rank| Split::host_number(image, leader) == number;
            let host = levels.as_ref().leaders().iter().position(same_host);
            Root { rank, host: host.expect("the root is a member") }
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
        self.root.expect("an operation with a root").host
    }

    /// The leader of a host.
    pub fn of(&self, host: usize) -> Rank {
        match self.root {
            Some(root) if root.host == host => root.rank,
            _ => self.levels.as_ref().leaders()[host],
        }
    }

    /// Whether this image leads its host.
    pub fn is_me(&self) -> bool {
        self.of(self.host()) == self.image.rank()
    }

    /// Position of this host's leader among its local peers.
    pub fn local_position(&self) -> usize {
        let leader = self.of(self.host());
        let mut local_peers = self.levels.as_ref().local_peers().iter();
        local_peers.position(|&rank| rank == leader).expect("a leader is on its host")
    }
}

/// The image at a position of a set.
///
/// # Errors
/// [`xmp_core::Error::ImageIndex`] when there is no such position.
pub fn rank_at(set: &ImageSet, position: usize) -> Result<Rank> {
    set.rank_of_index(i64::try_from(position).unwrap_or(i64::MAX).saturating_add(1))
}

/// An operation without elements. The images of a host compare that none of them has any: an image that went on alone would take
/// what others send in this operation for that of the next one.
///
/// # Errors
/// When they do not call the same; when one of them has ended.
pub fn without_elements(image: &Image, set: &ImageSet, signature: &Signature) -> Result<()> {
    CollCall::new(image, set).signed(*signature)?;
    match set.levels(image)?.area() {
        Some(area) => Ok(signature.barrier(image, area)?),
        None => Ok(()),
    }
}

/// Ends an operation over several hosts on one of them: the leader gives the call status and the result to its local
/// peers. All give a vector of the same length.
///
/// # Errors
/// The error of the call status; when a local peer has ended.
pub fn conclude(
    rooted_leaders: &RootedLeaders<'_>,
    coll: CollCall<'_>,
    result: Vector<'_>,
    forced: Forced<HostMove, LeaderBroadcast>,
) -> Result<()> {
    let (image, levels) = (rooted_leaders.image, rooted_leaders.levels);
    let is_alone = levels.local_peers().len() == 1;
    let leader = if is_alone { 0 } else { rooted_leaders.local_position() };
    conclude_from(image, levels, leader, coll, result, forced)
}

/// Ends an operation over several hosts on one of them, where the local peer at position `leader` has the result.
pub fn conclude_from(
    image: &Image,
    levels: &Levels,
    leader: usize,
    mut coll: CollCall<'_>,
    result: Vector<'_>,
    forced: Forced<HostMove, LeaderBroadcast>,
) -> Result<()> {
    if levels.local_peers().len() == 1 {
        return coll.outcome();
    }
    let message = result.message(leader);
    let Some(area) = levels.area() else {
        by_messages(image, levels, message, forced.leaders, &mut coll)?;
        return coll.outcome();
    };
    let host = coll.on_host(area);
    let len = message.bytes();
    let is_small = len <= SLOT_DATA - CALL_STATUS;
    // No barrier: the leader need not wait for its local peers.
    let root = coll.root_position().unwrap_or(leader);
    let flow = Flow::new(Direction::FromRoot, root);
    let ring_exchange = host.ring_exchange()?;
    // SAFETY: the message has `len` bytes, for which a line has room after the call status.
    let status = unsafe {
        if host.me() == leader {
            let line = ring_exchange.line()?;
            line.cast::<u64>().write(coll.call_status().to_word());
            if is_small {
                line.add(CALL_STATUS).copy_from_nonoverlapping(message.start(), len);
            }
            host.produce(&ring_exchange);
            coll.call_status()
        } else {
            let line = ring_exchange.consume(leader)?;
            if let Err(differs) = host.compare_lines(&ring_exchange, leader..leader + 1) {
                ring_exchange.done(flow);
                return Err(*differs);
            }
            let status = CallStatus::from_word(line.cast::<u64>().read());
            if is_small && status.is_good() {
                message.start().copy_from_nonoverlapping(line.add(CALL_STATUS), len);
            }
            status
        }
    };
    ring_exchange.done(flow);
    status.outcome()?;
    if is_small {
        return Ok(());
    }
    on_host(image, levels, message, forced, &mut coll)?;
    coll.outcome()
}
