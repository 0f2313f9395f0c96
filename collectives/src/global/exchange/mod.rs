//! Execution of the planned transfers (`plan/moves`) among the images of a set.
//!
//! Images that share a collective area access each other's elements (`peer_access.rs`). All others exchange messages: one
//! in each direction between two images that have elements for one another.

mod head;
pub(super) mod operation;
mod peer_access;

use super::copy::{across, pack, unpack};
use super::entered;
use super::plan::Transfer;
use super::plan::moves::{self, ByPartner};
use crate::check::{self, Call};
use crate::guard::with_live_set;
use crate::host::Host;
use crate::leaders::alltoall::exchange_known;
use crate::leaders::{CollCall, plans_differ};
use crate::nonblocking::Engine;
use crate::part_buffers::AlltoallBuffers;
use crate::parts::Table;
use crate::plan::Participant;
use peer_access::{Mismatch, PeerAccess};
use xmp_core::failure::refusals::{self, CallId, Reason, Series};
use xmp_core::global::MappingError;
use xmp_core::image_set::{ImageSet, Levels, Members};
use xmp_core::{Error, Image, Rank, Result};

pub use operation::Operation;

/// Checks that those of `nodes` that `having` selects are in the set, with the same result on all images of the set.
///
/// # Errors
/// [`MappingError::NotExecuting`] with the name of the operation.
pub fn check_nodes(
    name: &str,
    set: &ImageSet,
    nodes: &Members,
    having: impl Fn(Rank) -> bool,
) -> Result<()> {
    if set.members() == nodes {
        return Ok(());
    }
    let ranks = (0..nodes.len()).filter_map(|position| nodes.rank(position));
    match ranks.filter(|rank| set.position_of(*rank).is_none()).find(|rank| having(*rank)) {
        Some(image) => Err(MappingError::NotExecuting { image }.of(name)),
        None => Ok(()),
    }
}

/// Executes an operation. Returns when this image has the elements that others send to it, and no image reads its memory
/// any more.
///
/// # Errors
/// When an image of the set has stopped or failed before it took part. On one host, [`Error::Refused`] on all images
/// when one of them calls [`refuse`] instead, and [`Error::Invalid`] when one of them executes another operation or has other
/// arguments; no image has written anything then. Over several hosts [`Error::Invalid`] on an image that gets elements of one that
/// has other arguments; it has not written these.
///
/// # Panics
/// When this image or one of its partners is not in the set.
pub fn run(image: &Image, set: &ImageSet, operation: &Operation<'_>) -> Result<()> {
    let call = || Call::of(operation.name).mapped(operation.plan.mapping);
    check::agree(image, set, call)?;
    entered::given(image, operation).enter();
    entered::got(image, operation).enter();
    with_live_set(image, set, || {
        let levels = set.levels(image)?;
        let all = SetOperation { image, set, levels, operation };
        match (levels.area(), levels.single_host()) {
            (Some(area), true) => {
                if all.among_local_peers(&Host::new(image, area))? {
                    return Ok(());
                }
                all.by_messages(|_| true, all.call())
            }
            (Some(area), false) => all.on_hosts(&Host::new(image, area), next_call(image, set)),
            (None, _) => {
                let coll = all.call().refusable(next_call(image, set));
                all.by_messages(|_| true, coll)
            }
        }
    })
}

/// The call of the set that this image executes now, or refuses: for refusals between images that share no collective
/// area.
fn next_call(image: &Image, set: &ImageSet) -> CallId {
    let key = set.key();
    CallId::new(key, Series::Exchange, Engine::of(image).next_exchange(key))
}

/// Refuses the operation with this name, instead of [`run`], because of `error`. The images of this host, and all images
/// that wait for this one, get the error. Returns the error.
#[cold]
pub fn refuse(image: &Image, set: &ImageSet, name: &'static str, error: Error) -> Error {
    let announced = check::agree(image, set, || Call::refused(name)).and_then(|()| {
        with_live_set(image, set, || {
            let levels = set.levels(image)?;
            let area = levels.area();
            if area.is_none() || !levels.single_host() {
                refusals::publish(image, next_call(image, set), &error)?;
            }
            let Some(area) = area else { return Ok(()) };
            let host = Host::new(image, area);
            peer_access::refuse(&host, &Reason::of(&error));
            Ok(host.barrier()?)
        })
    });
    match announced {
        Err(ended @ (Error::JobEnding | Error::FailedImage(_) | Error::StoppedImage(_))) => ended,
        _ => error,
    }
}

/// An operation among the images of a set.
#[derive(Clone, Copy)]
struct SetOperation<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    levels: &'a Levels,
    operation: &'a Operation<'a>,
}

impl SetOperation<'_> {
    /// Its call, which messages compare.
    fn call(&self) -> CollCall<'_> {
        let &Operation { name, ref plan, .. } = self.operation;
        CollCall::new(self.image, self.set).planned(name, plan.mapping)
    }

    /// Exchanges elements between local peers on one host. `Ok(false)`, on all members of the collective area, when an
    /// image cannot access the elements of another; nothing has been written then.
    fn among_local_peers(&self, host: &Host<'_>) -> Result<bool> {
        let &Operation { name, ref plan, from, to, arrival, overlaps } = self.operation;
        let (local_peers, own) = (self.levels.local_peers(), &plan.moves.own);
        let _block = peer_access::give(host, local_peers, self.operation);
        let own_packed = overlaps.then(|| packed(own, from));
        host.barrier()?;
        let access = PeerAccess::read(host, local_peers, name)?;
        if !access.all {
            return Ok(false);
        }
        match own_packed {
            // SAFETY: `to` has the elements of the plan (`Storage::new`).
            Some(own_packed) => unsafe { unpack(own, &own_packed, to, arrival) },
            None => self.own(),
        }
        let taken = self.take_from_local_peers(host);
        if access.second_barrier {
            host.barrier()?;
        }
        taken.map(|()| true)
    }

    /// Copies the elements that this image has for itself, where the operation does not overlap.
    fn own(&self) {
        let &Operation { ref plan, from, to, arrival, .. } = self.operation;
        for transfer in &plan.moves.own {
            // SAFETY: both sides have the elements of the plan (`Storage::new`).
            unsafe { across(transfer, from, to, arrival) };
        }
    }

    /// Copies the elements that local peers send to this image, in the order of ranks, up to a local peer that has other
    /// arguments.
    fn take_from_local_peers(&self, host: &Host<'_>) -> Result<()> {
        let operation = self.operation;
        for (partner, transfers) in &operation.plan.moves.receive {
            let local_peers = self.levels.local_peers();
            // SAFETY: all members of the collective area have given access before the last barrier, and call the second
            // one after this.
            let taken =
                unsafe { peer_access::take(host, local_peers, *partner, transfers, operation) };
            taken.map_err(|Mismatch| plans_differ(operation.name, *partner))?;
        }
        Ok(())
    }

    /// Exchanges elements over several hosts: between local peers through the collective area if possible, and with all
    /// other images by messages.
    fn on_hosts(&self, host: &Host<'_>, call: CallId) -> Result<()> {
        let &Operation { name, overlaps, .. } = self.operation;
        let local_peers = self.levels.local_peers();
        let mut coll = self.call().refusable(call);
        // The elements from local peers are written before those for other images are packed.
        let _block = if overlaps {
            peer_access::hide(host, self.operation.plan.mapping);
            None
        } else {
            peer_access::give(host, local_peers, self.operation)
        };
        let entered = host.barrier();
        let is_alive = entered.is_ok();
        let access = is_alive.then(|| PeerAccess::read(host, local_peers, name)).transpose();
        if let Err(error) = &access {
            // Images of other hosts may wait for this one.
            refusals::publish(self.image, call, error)?;
        }
        let access = access?;
        let is_shared = access.is_some_and(|access| access.all);
        coll.note(entered)?;
        let mut taken = Ok(());
        if is_shared {
            taken = self.take_from_local_peers(host);
            if access.is_some_and(|access| access.second_barrier) {
                coll.note(host.barrier())?;
            }
        }
        // If a local peer has ended, the other local peers cannot tell whether all of them know. So none of them sends to
        // another.
        let by_message = |rank: &Rank| !local_peers.contains(rank) || (is_alive && !is_shared);
        self.by_messages(by_message, coll).and(taken)
    }

    /// Exchanges a message in each direction with each partner that `by_message` selects, and copies the elements that this
    /// image has for itself. Everything is packed before anything is written.
    fn by_messages(
        &self,
        by_message: impl Fn(&Rank) -> bool,
        mut coll: CollCall<'_>,
    ) -> Result<()> {
        let &Operation { ref plan, from, to, arrival, .. } = self.operation;
        let moves = &plan.moves;
        let (n, me) = (self.set.len(), self.set.position().expect("a member of the set"));
        let chosen = |partners: &ByPartner| -> Vec<usize> {
            let is_chosen = |&at: &usize| by_message(&partners[at].0);
            (0..partners.len()).filter(is_chosen).collect()
        };
        let lens = |partners: &ByPartner| {
            let mut lens = vec![0; n];
            for at in chosen(partners) {
                let (rank, transfers) = &partners[at];
                lens[self.set.position_of(*rank).expect("all partners are in the set")] =
                    moves::bytes(transfers);
            }
            Table::packed(lens.into_iter())
        };
        let ((send_table, send_len), (receive_table, receive_len)) =
            (lens(&moves.send), lens(&moves.receive));
        let (send_parts, receive_parts) = (send_table.parts(), receive_table.parts());
        let mut out = vec![0_u8; send_len];
        let mut into = vec![0_u8; receive_len];
        // Partners in the order of ranks, parts in that of the set.
        let range = |parts: &crate::parts::Parts<'_>, rank: Rank| {
            let position = self.set.position_of(rank).expect("all partners are in the set");
            parts.offset(position)..parts.offset(position) + parts.len(position)
        };
        for at in chosen(&moves.send) {
            let (rank, transfers) = &moves.send[at];
            // SAFETY: `from` has the elements of the plan (`Storage::new`).
            unsafe { pack(transfers, from, &mut out[range(&send_parts, *rank)]) };
        }
        let own = packed(&moves.own, from);
        let (send, receive) = (out.as_ptr(), into.as_mut_ptr());
        // SAFETY: the parts cover the two vectors.
        let buffers = unsafe { AlltoallBuffers::new(send, send_parts, receive, receive_parts) };
        let peer = |position: usize| {
            let either = send_parts.len(position) + receive_parts.len(position) > 0;
            either.then(|| self.set.rank_at(position).expect("a position"))
        };
        let who = Participant { n, position: me };
        let exchanged = exchange_known(self.image, who, peer, &buffers, &mut coll);
        if let (Err(error @ Error::Invalid(_)), Some(call)) = (&exchanged, coll.id()) {
            // Others may wait for messages of this image.
            refusals::publish(self.image, call, error)?;
        }
        exchanged?;
        coll.outcome()?;
        // SAFETY: `to` has the elements of the plan (`Storage::new`).
        unsafe {
            unpack(&moves.own, &own, to, arrival);
            for at in chosen(&moves.receive) {
                let (rank, transfers) = &moves.receive[at];
                unpack(transfers, &into[range(&receive_parts, *rank)], to, arrival);
            }
        }
        Ok(())
    }
}

/// The elements of transfers, packed. `from` is the array of an operation.
fn packed(transfers: &[Transfer], from: *const u8) -> Vec<u8> {
    let mut packed = vec![0_u8; moves::bytes(transfers)];
    // SAFETY: `from` has the elements of the plan (`Storage::new`).
    unsafe { pack(transfers, from, &mut packed) };
    packed
}

/// The error of an operation whose plan cannot be made.
pub(super) fn named(name: &'static str) -> impl Fn(MappingError) -> Error {
    move |error| error.of(name)
}
