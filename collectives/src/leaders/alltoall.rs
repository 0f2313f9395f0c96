//! Alltoalls between participants over channels.

use super::call::CollCall;
use super::message::{Partners, exchange};
use crate::part_buffers::AlltoallBuffers;
use crate::parts::Table;
use crate::schedules::{Participant, bruck_alltoall, pairwise};
use xmp_core::{Image, Rank, Result};

/// Exchanges parts, whose lengths both sides know, with one participant after the other ([`pairwise`]). `peer` gives
/// `None` for participants with which there is nothing to exchange.
pub fn exchange_known(
    image: &Image,
    who: Participant,
    peer: impl Fn(usize) -> Option<Rank>,
    buffers: &AlltoallBuffers<'_>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let mut partners = Partners::new(image);
    for Pair { to, from } in pairs(who) {
        let out = peer(to).map(|rank| (rank, buffers.out(to)));
        // SAFETY: this is the only slice of the place.
        let into = peer(from).map(|rank| (rank, unsafe { buffers.place(from) }));
        if out.is_some() || into.is_some() {
            exchange(image, &mut partners, out, into, coll)?;
        }
    }
    Ok(())
}

/// Bytes of a part that travel with its length. Together they share a cache line with the mark of the packet.
const HEAD: usize = 40;

/// The length of the part that a participant has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceivedPart {
    /// Position of the sender.
    pub from: usize,
    /// Bytes of the part.
    pub len: usize,
}

/// Exchanges parts whose lengths only their senders know: the length travels with the beginning of a part. `out` gives
/// the image and the part for a participant, `into` the image of a participant and the place for its part. Bytes for
/// which the place has no room are dropped.
pub fn exchange_unknown<'a>(
    image: &Image,
    who: Participant,
    out: impl Fn(usize) -> Option<(Rank, &'a [u8])>,
    into: impl Fn(usize) -> Option<(Rank, &'a mut [u8])>,
    coll: &mut CollCall<'_>,
) -> Result<Vec<ReceivedPart>> {
    let mut partners = Partners::new(image);
    let mut given = Vec::new();
    let mut dropped = Vec::new();
    for Pair { to, from } in pairs(who) {
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
        exchange(image, &mut partners, outgoing, incoming, coll)?;
        // 0 if nothing came, because the sender has ended.
        let (len, begin) = head_in.split_at(8);
        let len = u64::from_ne_bytes(len.try_into().expect("8 bytes")) as usize;
        let begin = &begin[..len.min(HEAD)];

        // What does not fit is received all the same, so that the next message is not mistaken for the rest of it.
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
            exchange(image, &mut partners, outgoing, incoming, coll)?;
        }
        if from_rank.is_some() {
            given.push(ReceivedPart { from, len });
        }
    }
    Ok(given)
}

/// The participants to which this one sends, and from which it receives, in one round.
struct Pair {
    to: usize,
    from: usize,
}

fn pairs(who: Participant) -> impl Iterator<Item = Pair> {
    pairwise::alltoall(who.n, who.position).map(|round| {
        let to = round.send.expect("every round sends").peer;
        Pair { to, from: round.receive.expect("every round receives").0.peer }
    })
}

/// Exchanges parts over the bits of the distance ([`bruck_alltoall`]). `size` gives the length of the part of one
/// participant for another, `own` the parts of this one. Returns the parts for this one in the order of the senders, and
/// their lengths.
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
    let mut partners = Partners::new(image);
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
        exchange(image, &mut partners, Some(outgoing), Some(incoming), coll)?;
        let mut rest = &into[..];
        for block in hop.blocks() {
            let (part, after) = rest.split_at(comes(block));
            blocks[block].clear();
            blocks[block].extend_from_slice(part);
            rest = after;
        }
    }
    let received: Vec<&[u8]> = (0..n).map(|from| &blocks[(me + n - from) % n][..]).collect();
    let (table, _) = Table::packed(received.iter().map(|part| part.len()));
    Ok((received.concat(), table))
}
