//! Broadcast between the members of a collective area.
//!
//! | algorithm | place of the data | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | lines and pieces of the root's ring | none | up to 16 KiB |
//! | [`large`], staged | staging buffers of the root | one a chunk | all other data |
//! | [`large`], direct | the root's segment | two | long data in a segment |
//! | [`super::grouped`] | staging buffers, or the root's segment | one a chunk, and one a level | long data for members in groups |
//! | [`large`], single copy | where it is | two | long data in private memory, where the system copies it faster |

mod message;
mod single_copy;
mod staged;

pub use message::Message;

use super::Host;
use crate::copy::take;
use crate::signature::RingCall;
use xmp_core::coll_area::{Direction, Flow, MAX_PIECE, RingExchange, SLOT_DATA};
use xmp_core::{BoxedResult, Error};

/// Broadcast through the root's ring. The root does not wait for the others.
#[inline]
pub fn slots(host: &Host<'_>, message: &Message) -> BoxedResult<()> {
    if message.bytes() > SLOT_DATA {
        return in_pieces(host, message);
    }
    let (at, len) = (message.start(), message.bytes());
    let ring_exchange = host.ring_exchange()?;
    // SAFETY: the message has these bytes (`Message::new`), for which a line has room.
    unsafe {
        if host.me() == message.root() {
            let line = ring_exchange.line()?;
            std::ptr::copy_nonoverlapping(at, line, len);
            host.produce(&ring_exchange);
        } else {
            let root = message.root();
            let line = ring_exchange.consume(root)?;
            if let Err(differs) = host.compare_lines(&ring_exchange, root..root + 1) {
                return leave(host, ring_exchange, root, differs);
            }
            std::ptr::copy_nonoverlapping(line, at, len);
        }
    }
    ring_exchange.done(Flow::new(Direction::FromRoot, message.root()));
    Ok(())
}

/// Broadcast through the pieces of the root's ring.
fn in_pieces(host: &Host<'_>, message: &Message) -> BoxedResult<()> {
    message.pieces(MAX_PIECE).try_for_each(|piece| {
        let (at, len) = (message.at(&piece), piece.len());
        let ring_exchange = host.ring_exchange()?;
        // SAFETY: the message has this piece (`Message::new`), for which the ring's has room.
        unsafe {
            if host.me() == message.root() {
                host.area.stage(ring_exchange.piece(len)?, at, len);
                host.produce(&ring_exchange);
            } else {
                let root = message.root();
                let data = ring_exchange.consume_piece(root, len)?;
                if let Err(differs) = host.compare_lines(&ring_exchange, root..root + 1) {
                    return leave(host, ring_exchange, root, differs);
                }
                take(at, data, len);
            }
        }
        ring_exchange.done(Flow::new(Direction::FromRoot, message.root()));
        Ok(())
    })
}

/// Ends the part of a receiver that has found that the root broadcasts something else: as many ring exchanges as the root makes.
/// So the next operation can be a correct one.
#[cold]
pub fn leave(
    host: &Host<'_>,
    exchange: RingExchange<'_>,
    root: usize,
    differs: Box<Error>,
) -> BoxedResult<()> {
    let pieces = RingCall::pieces_of_broadcast(exchange.call_of(root));
    let flow = Flow::new(Direction::FromRoot, root);
    exchange.done(flow);
    for _ in 1..pieces {
        host.ring_exchange()?.done(flow);
    }
    Err(differs)
}

/// The ways of a broadcast of long data besides staging.
#[derive(Clone, Copy, Debug)]
pub struct Ways {
    /// The others may copy straight from the root's segment.
    pub direct: bool,
    /// The system may copy private memory.
    pub single_copy: bool,
}

/// Broadcast of long data. If it may be direct and the root's buffer is in a segment, the others copy straight from
/// there. If it may be by a single copy, and that is faster on this machine, the system copies it.
/// Otherwise the data goes through the root's staging buffers in chunks of `chunk` bytes, at most
/// [`xmp_core::coll_area::STAGING`]: the root stages a chunk while the others copy the one before. The words that the
/// root posts before the first barrier say which.
pub fn large(host: &Host<'_>, message: &Message, chunk: usize, ways: Ways) -> BoxedResult<()> {
    let single = ways.single_copy && single_copy::is_better(host, message, chunk)?;
    let own = if single { message.start().expose_provenance() as u64 } else { 0 };
    if host.me() == message.root() {
        send(host, message, chunk, ways.direct, own)
    } else {
        receive(host, message, chunk, own)
    }
}

/// The root's part. `own`: the address of its buffer if the system may copy it, else 0.
fn send(
    host: &Host<'_>,
    message: &Message,
    chunk: usize,
    may_be_direct: bool,
    own: u64,
) -> BoxedResult<()> {
    let shared = if may_be_direct { host.shared_address(message.start()) } else { 0 };
    if shared != 0 {
        host.post_words([shared, 0]);
        host.barrier()?;
        // All members have copied the data when the second barrier returns.
        return host.barrier();
    }
    host.post_words([0, own]);
    if own != 0 {
        host.barrier()?;
        if single_copy::copy(host, message)? {
            return Ok(());
        }
        host.post_words([0, 0]);
    }
    staged::stage(host, message, chunk)
}

/// The part of another member. `own` as for [`send`].
fn receive(host: &Host<'_>, message: &Message, chunk: usize, own: u64) -> BoxedResult<()> {
    if own != 0 {
        host.post_words([0, own]);
    }
    host.barrier()?;
    let [shared, private] = host.posted_words(message.root());
    if shared != 0 {
        let shared = std::ptr::with_exposed_provenance(shared as usize);
        if shared != message.start().cast_const() {
            // SAFETY: the root's buffer is valid and unchanged until the second barrier. Segments are mapped at the
            // same address on all images of the host.
            unsafe { take(message.start(), shared, message.bytes()) };
        }
        return host.barrier();
    }
    if private != 0 {
        if single_copy::copy(host, message)? {
            return Ok(());
        }
        host.barrier()?;
    }
    staged::take_all(host, message, chunk)
}
