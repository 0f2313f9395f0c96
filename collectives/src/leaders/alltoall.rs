//! Alltoalls between participants over channels.

use super::call::CollCall;
use super::message::exchange;
use super::partners::Partners;
use crate::parts::{Parts, Table, bytes, bytes_mut};
use crate::schedules::{Participant, bruck_alltoall, pairwise};
use xmp_core::{Image, Rank, Result};

/// What a participant gives and where it wants what it gets.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    /// What it gives.
    pub send: *const u8,
    /// Which part of that is for whom.
    pub send_parts: Parts<'a>,
    /// Where it wants what it gets.
    pub receive: *mut u8,
    /// Where what it gets from each goes; what is longer than its place is dropped.
    pub receive_parts: Parts<'a>,
}

impl Exchange<'_> {
    /// What it has for `to`.
    ///
    /// # Safety
    /// The exchange is valid.
    pub unsafe fn out(&self, to: usize) -> &[u8] {
        let at = self.send.wrapping_add(self.send_parts.offset(to));
        // SAFETY: the exchange is valid (contract above).
        unsafe { bytes(at, self.send_parts.len(to)) }
    }

    /// Where what `from` has for it goes.
    ///
    /// # Safety
    /// The exchange is valid; one such slice at a time.
    pub unsafe fn place<'b>(&self, from: usize) -> &'b mut [u8] {
        let at = self.receive.wrapping_add(self.receive_parts.offset(from));
        // SAFETY: the exchange is valid (contract above).
        unsafe { bytes_mut(at, self.receive_parts.len(from)) }
    }

    /// Puts what came from each of `n`, which lies in `came` as the parts say.
    ///
    /// # Safety
    /// The exchange is valid.
    pub unsafe fn put(&self, came: &[u8], parts: &Parts<'_>, n: usize) {
        for from in 0..n {
            let (at, len) = (parts.offset(from), parts.len(from));
            // SAFETY: the exchange is valid (contract above).
            unsafe { self.place(from) }.copy_from_slice(&came[at..at + len]);
        }
    }

    /// Copies what it has for itself, as far as it fits; how much that is.
    ///
    /// # Safety
    /// The exchange is valid.
    pub unsafe fn keep(&self, me: usize) -> usize {
        // SAFETY: the exchange is valid (contract above).
        let (own, place) = unsafe { (self.out(me), self.place(me)) };
        let len = own.len().min(place.len());
        place[..len].copy_from_slice(&own[..len]);
        own.len()
    }
}

/// Exchanges with one participant after the other ([`pairwise`]); `peer` gives `None` for participants that have
/// exchanged their data already. All know the lengths.
///
/// # Errors
/// When the job is ending or the transport fails.
///
/// # Safety
/// The exchange is valid.
pub unsafe fn known(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Option<Rank>,
    parts: &Exchange<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let mut met = Partners::new(image);
    for (to, from) in partners(who) {
        // SAFETY: the exchange is valid (contract above).
        let (out, into) = unsafe { (parts.out(to), parts.place(from)) };
        let out = peer(to).map(|to| (to, out));
        let into = peer(from).map(|from| (from, into));
        if out.is_some() || into.is_some() {
            exchange(image, &mut met, out, into, coll)?;
        }
    }
    Ok(())
}

/// Bytes of a part that travel with its length: together they share a cache line with the mark of the packet.
const HEAD: usize = 40;

/// Messages whose lengths only their senders know: the length travels with the beginning of a message. `out` gives the
/// image and the bytes for a participant, `into` the image of a participant and the place for what it sends; what is
/// longer than its place is dropped. Returns how much others gave: participant and bytes.
///
/// # Errors
/// As [`known`].
pub fn unknown<'a>(
    image: &Image,
    who: Participant,
    out: impl Fn(usize) -> Option<(Rank, &'a [u8])>,
    into: impl Fn(usize) -> Option<(Rank, &'a mut [u8])>,
    coll: &mut CollCall<'_>,
) -> Result<Vec<(usize, usize)>> {
    let mut met = Partners::new(image);
    let mut given = Vec::new();
    let mut dropped = Vec::new();
    for (to, from) in partners(who) {
        let (out, into) = (out(to), into(from));
        if out.is_none() && into.is_none() {
            continue;
        }
        let (to_rank, out) = out.unzip();
        let (from_rank, place) = into.unzip();
        let (out, place) = (out.unwrap_or_default(), place.unwrap_or_default());
        let ([mut head_out, mut head_in], head) = ([[0; 8 + HEAD]; 2], out.len().min(HEAD));
        head_out[..8].copy_from_slice(&(out.len() as u64).to_ne_bytes());
        head_out[8..8 + head].copy_from_slice(&out[..head]);
        let outgoing = to_rank.map(|to| (to, &head_out[..]));
        let incoming = from_rank.map(|from| (from, &mut head_in[..]));
        exchange(image, &mut met, outgoing, incoming, coll)?;
        // 0 if nothing came, because the giver has ended.
        let (len, begin) = head_in.split_at(8);
        let len = u64::from_ne_bytes(len.try_into().expect("8 bytes")) as usize;
        let begin = &begin[..len.min(HEAD)];

        // What does not fit is taken all the same, so that the next message is not taken for the rest of it.
        let into = if len > place.len() {
            dropped.resize(len, 0);
            &mut dropped[..]
        } else {
            &mut place[..len]
        };
        into[..begin.len()].copy_from_slice(begin);
        let outgoing = to_rank.filter(|_| out.len() > HEAD).map(|to| (to, &out[head..]));
        let incoming =
            from_rank.filter(|_| len > HEAD).map(|from| (from, &mut into[begin.len()..]));
        if outgoing.is_some() || incoming.is_some() {
            exchange(image, &mut met, outgoing, incoming, coll)?;
        }
        if from_rank.is_some() {
            given.push((from, len));
        }
    }
    Ok(given)
}

/// Whom to send to and receive from, round by round.
fn partners(who: Participant) -> impl Iterator<Item = (usize, usize)> {
    pairwise::alltoall(who.n, who.position).map(|round| {
        let to = round.send.expect("every round sends").peer;
        (to, round.receive.expect("every round receives").0.peer)
    })
}

/// Over the bits of the distance ([`bruck_alltoall`]). `size` says how long the part of
/// one for another is; `own` are those of this one. Returns what each has for this one, and where.
///
/// # Errors
/// When the job is ending or the transport fails.
pub fn bruck(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Rank,
    size: impl Fn(usize, usize) -> usize,
    own: impl Fn(usize) -> Vec<u8>,
    coll: &mut CollCall<'_>,
) -> Result<(Vec<u8>, Table)> {
    let Participant { n, position: me } = who;
    let mut blocks: Vec<Vec<u8>> = (0..n).map(|j| own((me + j) % n)).collect();
    let (mut out, mut into) = (Vec::new(), Vec::new());
    let mut met = Partners::new(image);
    for hop in bruck_alltoall::alltoall(n, me) {
        let comes = |block| {
            let (origin, target) = hop.way(block);
            size(origin, target)
        };
        out.clear();
        hop.blocks().for_each(|block| out.extend_from_slice(&blocks[block]));
        into.clear();
        into.resize(hop.blocks().map(comes).sum(), 0);
        let outgoing = (peer(hop.to()), &out[..]);
        let incoming = (peer(hop.from()), &mut into[..]);
        exchange(image, &mut met, Some(outgoing), Some(incoming), coll)?;
        let mut rest = &into[..];
        for block in hop.blocks() {
            let (part, behind) = rest.split_at(comes(block));
            blocks[block].clear();
            blocks[block].extend_from_slice(part);
            rest = behind;
        }
    }
    let of = |from: usize| &blocks[(me + n - from) % n];
    let (table, _) = Table::packed((0..n).map(|from| of(from).len()));
    Ok(((0..n).flat_map(of).copied().collect(), table))
}
