//! Carrying out the planned moves (`plan/moves`) among the images of a set.
//!
//! Images that share a collective area take from one another what each has said before a step how to get at
//! (`peer_access.rs`). All others exchange messages, one for each pair of images that has anything to say to one
//! another. A byte crosses between two images once.

mod head;
mod peer_access;

use super::copy::{Arrival, across, pack, unpack};
use super::plan::Transfer;
use super::plan::moves::{self, ByPartner};
use super::plans::Plan;
use crate::check::{self, Call};
use crate::guard::with_live_set;
use crate::host::Host;
use crate::leaders::CollCall;
use crate::leaders::alltoall::{Exchange, known};
use crate::nonblocking::Engine;
use crate::parts::Table;
use crate::plan::Participant;
use peer_access::{Gift, Said};
use std::rc::Rc;
use xmp_core::failure::refusals::{self, CallId, Reason, Series};
use xmp_core::global::MappingError;
use xmp_core::image_set::{ImageSet, Levels, Members};
use xmp_core::{Error, Image, Rank, Result};

/// An operation that moves elements, as one image of the set sees it.
#[derive(Clone, Debug)]
pub struct Operation<'a> {
    /// What it is called.
    pub name: &'static str,
    /// This image's part.
    pub plan: Rc<Plan>,
    /// Start of what this image stores of the array that is read.
    pub from: *const u8,
    /// Start of what it stores of the array that is written.
    pub to: *mut u8,
    /// What becomes of elements.
    pub arrival: Arrival<'a>,
    /// Whether what is written may also be what is read, here or on another image.
    pub overlaps: bool,
}

/// Checks that all of some images are in the set; the same answer for all members.
///
/// # Errors
/// [`MappingError::NotExecuting`], named by the operation.
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

/// Carries it out; returns when this image has all that others have for it and no image reads its memory any more.
///
/// # Errors
/// When an image of the set has stopped or failed without taking part. On one host, [`Error::Refused`] on all images
/// when one of them calls [`refuse`] instead, and [`Error::Invalid`] when one of them executes another operation; no
/// image has written anything then. [`Error::Invalid`] on an image that gets elements of one that has other arguments;
/// it has not written these.
///
/// # Safety
/// `from` and `to` are valid for what the moves touch; no other image changes what is read until all have returned, or
/// reads what is written. All partners are in the set.
///
/// # Panics
/// When this image is not in the set.
pub unsafe fn run(image: &Image, set: &ImageSet, operation: &Operation<'_>) -> Result<()> {
    let call = || Call::of(operation.name).mapped(operation.plan.mapping);
    check::agree(image, set, call)?;
    with_live_set(image, set, || {
        let levels = set.levels(image)?;
        let all = Among { image, set, levels, operation };
        // SAFETY: the storages are valid for what the plan touches (contract above).
        unsafe {
            match (levels.area(), levels.single_host()) {
                (Some(area), true) => {
                    if all.among_local_peers(&Host { image, area })? {
                        return Ok(());
                    }
                    all.by_messages(|_| true, CollCall::new(image, set))
                }
                (Some(area), false) => all.on_hosts(&Host { image, area }, next_call(image, set)),
                (None, _) => {
                    let coll = CollCall::new(image, set).refusable(next_call(image, set));
                    all.by_messages(|_| true, coll)
                }
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

/// Takes the place of [`run`] on an image that cannot execute the operation with this name, because of `error`. The
/// images of its host, and all images that wait for it, get the error. Returns the error.
///
/// # Panics
/// When this image is not in the set.
#[cold]
pub fn refuse(image: &Image, set: &ImageSet, name: &'static str, error: Error) -> Error {
    let told = check::agree(image, set, || Call::refused(name)).and_then(|()| {
        with_live_set(image, set, || {
            let levels = set.levels(image)?;
            let area = levels.area();
            if area.is_none() || !levels.single_host() {
                refusals::publish(image, next_call(image, set), &error)?;
            }
            let Some(area) = area else { return Ok(()) };
            let host = Host { image, area };
            peer_access::refuse(&host, &Reason::of(&error));
            host.barrier()
        })
    });
    match told {
        Err(ended @ (Error::JobEnding | Error::FailedImage(_) | Error::StoppedImage(_))) => ended,
        _ => error,
    }
}

#[derive(Clone, Copy)]
struct Among<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    levels: &'a Levels,
    operation: &'a Operation<'a>,
}

impl Among<'_> {
    /// What this image has for others.
    fn gift(&self) -> Gift<'_> {
        Gift { plan: &self.operation.plan, from: self.operation.from }
    }

    /// Between local peers on one host; `Ok(false)`, and nothing has happened, when some do not get at what another one
    /// has: the same answer for all members of the collective area.
    ///
    /// # Safety
    /// As [`run`].
    unsafe fn among_local_peers(&self, host: &Host<'_>) -> Result<bool> {
        let &Operation { name, ref plan, from, to, arrival, overlaps } = self.operation;
        let moves = &plan.moves;
        // SAFETY: the storages are valid for what the plan touches (contract above); all have entered the operation
        // when the step is made, and what lies in segments is left alone before the closing step. What overlaps is
        // packed before anything is written.
        unsafe {
            let _block = peer_access::give(host, self.levels.local_peers(), self.gift(), overlaps);
            let kept = overlaps.then(|| packed(&moves.own, from));
            host.barrier()?;
            let said = Said::by(host, self.levels.local_peers(), name)?;
            if !said.all {
                return Ok(false);
            }
            match kept {
                Some(kept) => unpack(&moves.own, &kept, to, arrival),
                None => self.own(),
            }
            let taken = self.take_from_local_peers(host);
            if said.lasting {
                host.barrier()?;
            }
            taken?;
        }
        Ok(true)
    }

    /// What this image has for itself.
    ///
    /// # Safety
    /// As [`run`]; what is read is not what is written.
    unsafe fn own(&self) {
        let &Operation { ref plan, from, to, arrival, .. } = self.operation;
        for transfer in &plan.moves.own {
            // SAFETY: the storages are valid for what the plan touches (contract above).
            unsafe { across(transfer, from, to, arrival) };
        }
    }

    /// What the local peers have for this image, in the order of ranks; nothing behind a local peer that has other
    /// arguments.
    ///
    /// # Safety
    /// As [`run`]; the local peers have said in the last step where it is.
    unsafe fn take_from_local_peers(&self, host: &Host<'_>) -> Result<()> {
        let &Operation { name, ref plan, to, arrival, .. } = self.operation;
        for (partner, transfers) in &plan.moves.receive {
            let what = (*partner, transfers.as_slice());
            // SAFETY: the storages are valid for what the plan touches (contract above).
            let taken = unsafe {
                peer_access::take(
                    host,
                    self.levels.local_peers(),
                    (what, plan.mapping),
                    (to, arrival),
                )
            };
            taken.map_err(|peer_access::Other| head::differs(name, *partner))?;
        }
        Ok(())
    }

    /// Over several hosts: between local peers as [`Self::among_local_peers`], if that is possible, and with all others
    /// by messages.
    ///
    /// # Safety
    /// As [`run`].
    unsafe fn on_hosts(&self, host: &Host<'_>, call: CallId) -> Result<()> {
        let &Operation { name, overlaps, .. } = self.operation;
        let local_peers = self.levels.local_peers();
        let mut coll = CollCall::new(self.image, self.set).refusable(call);
        // What local peers have for this image is written before what is for others is packed.
        let _block = if overlaps {
            peer_access::hide(host, self.operation.plan.mapping);
            None
        } else {
            // SAFETY: the storages are valid for what the plan touches (contract above).
            unsafe { peer_access::give(host, local_peers, self.gift(), false) }
        };
        let stepped = host.barrier();
        let is_alive = stepped.is_ok();
        let said = is_alive.then(|| Said::by(host, local_peers, name)).transpose();
        if let Err(error) = &said {
            // Images of other hosts may wait for this one.
            refusals::publish(self.image, call, error)?;
        }
        let said = said?;
        let is_near = said.is_some_and(|said| said.all);
        coll.note(stepped)?;
        // SAFETY: the storages are valid for what the plan touches (contract above).
        unsafe {
            let mut taken = Ok(());
            if is_near {
                taken = self.take_from_local_peers(host);
                if said.is_some_and(|said| said.lasting) {
                    coll.note(host.barrier())?;
                }
            }
            // With a local peer ended, the local peers that are left cannot tell whether all know: none of them sends
            // to another.
            let by_message = |rank: &Rank| !local_peers.contains(rank) || (is_alive && !is_near);
            self.by_messages(by_message, coll).and(taken)
        }
    }

    /// With a message to and from each partner of this kind; and what this image has for itself.
    ///
    /// # Safety
    /// As [`run`].
    unsafe fn by_messages(
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
        // SAFETY: the storages are valid for what the plan touches (contract above). Everything is read before anything
        // is written.
        unsafe {
            for at in chosen(&moves.send) {
                let (rank, transfers) = &moves.send[at];
                pack(transfers, from, &mut out[range(&send_parts, *rank)]);
            }
            let kept = packed(&moves.own, from);
            let exchange = Exchange {
                send: out.as_ptr(),
                send_parts,
                receive: into.as_mut_ptr(),
                receive_parts,
            };
            let peer = |position: usize| {
                let either = send_parts.len(position) + receive_parts.len(position) > 0;
                either.then(|| self.set.rank_at(position).expect("a position"))
            };
            let who = Participant { n, position: me };
            known(self.image, who, peer, &exchange, &mut coll)?;
            coll.outcome()?;
            unpack(&moves.own, &kept, to, arrival);
            for at in chosen(&moves.receive) {
                let (rank, transfers) = &moves.receive[at];
                unpack(transfers, &into[range(&receive_parts, *rank)], to, arrival);
            }
        }
        Ok(())
    }
}

/// Transfers, packed.
///
/// # Safety
/// `from` is valid for what they touch.
unsafe fn packed(transfers: &[Transfer], from: *const u8) -> Vec<u8> {
    let mut packed = vec![0_u8; moves::bytes(transfers)];
    // SAFETY: the storages are valid for what the plan touches (contract above).
    unsafe { pack(transfers, from, &mut packed) };
    packed
}

/// The error of an operation whose plan cannot be made.
pub(super) fn named(name: &'static str) -> impl Fn(MappingError) -> Error {
    move |error| error.of(name)
}
