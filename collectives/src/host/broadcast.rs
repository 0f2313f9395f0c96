//! Broadcast between the members of a collective area.
//!
//! | algorithm | place of the data | barriers | for |
//! |---|---|---|---|
//! | [`slots`] | lines of the root's ring | none | few bytes |
//! | [`large`], staged | staging buffers of the root | one a chunk | all other data |
//! | [`large`], direct | the root's segment | two | long data in a segment |

use super::Host;
use super::copy::take;
use std::ops::Range;
use xmp_core::Result;
use xmp_core::coll_area::SLOT_DATA;

/// The buffer of one image in a broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    buffer: *mut u8,
    len: usize,
    root: usize,
}

impl Message {
    /// `len` bytes at `buffer` that the image at position `root` sends and the others receive. Positions are those in
    /// the set or in the collective area that the operation is for.
    ///
    /// # Safety
    /// As long as the value is used, `buffer` is valid for reads (root) or writes (others) of `len` bytes, and nothing
    /// else accesses them.
    #[inline(always)]
    pub unsafe fn new(buffer: *mut u8, len: usize, root: usize) -> Message {
        Message { buffer, len, root }
    }

    /// Address of the bytes.
    pub fn start(&self) -> *mut u8 {
        self.buffer
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.len
    }

    /// Position of the root.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Address of a piece.
    #[inline(always)]
    fn at(&self, piece: &Range<usize>) -> *mut u8 {
        self.buffer.wrapping_add(piece.start)
    }

    /// The message in pieces of at most `step` bytes.
    fn pieces(&self, step: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let len = self.len;
        (0..len).step_by(step).map(move |from| from..len.min(from + step))
    }
}

/// Broadcast through the root's ring. The root does not wait for the others.
///
/// # Errors
/// When a member has ended.
#[inline]
pub fn slots(host: &Host<'_>, message: &Message) -> Result<()> {
    for piece in message.pieces(SLOT_DATA) {
        let (at, len) = (message.at(&piece), piece.len());
        let ring_exchange = host.ring_exchange()?;
        // SAFETY: the message has this piece (`Message::new`), for which a line has room.
        unsafe {
            if host.me() == message.root {
                std::ptr::copy_nonoverlapping(at, ring_exchange.line()?, len);
                ring_exchange.produce();
            } else {
                std::ptr::copy_nonoverlapping(ring_exchange.consume(message.root)?, at, len);
            }
        }
        ring_exchange.done();
    }
    Ok(())
}

/// Broadcast of long data. If `may_be_direct` and the root's buffer is in a segment, the others copy straight from
/// there. Otherwise the data goes through the root's staging buffers in chunks of `chunk` bytes, at most
/// [`xmp_core::coll_area::STAGING`]: the root stages a chunk while the others copy the one before. The word that the
/// root posts before the first barrier says which.
///
/// # Errors
/// When a member has ended.
pub fn large(host: &Host<'_>, message: &Message, chunk: usize, may_be_direct: bool) -> Result<()> {
    let pieces = message.pieces(chunk);
    if host.me() == message.root {
        send(host, message, pieces, may_be_direct)
    } else {
        receive(host, message, pieces)
    }
}

fn send(
    host: &Host<'_>,
    message: &Message,
    mut pieces: impl Iterator<Item = Range<usize>>,
    may_be_direct: bool,
) -> Result<()> {
    let address = if may_be_direct { host.shared_address(message.buffer) } else { 0 };
    host.post_word(address);
    if address != 0 {
        host.barrier()?;
        // All members have copied the data when the second barrier returns.
        return host.barrier();
    }
    pieces.try_for_each(|piece| {
        let staging = host.area.staging(piece.len());
        // SAFETY: the message has this piece (`Message::new`); the staging buffer has its length.
        unsafe { host.area.stage(staging, message.at(&piece), piece.len()) };
        host.barrier()
    })
}

fn receive(
    host: &Host<'_>,
    message: &Message,
    mut pieces: impl Iterator<Item = Range<usize>>,
) -> Result<()> {
    host.barrier()?;
    let shared = host.posted_address(message.root);
    if !shared.is_null() {
        if shared != message.buffer {
            // SAFETY: the root's buffer is valid and unchanged until the second barrier. Segments are mapped at the
            // same address on all images of the host.
            unsafe { take(message.buffer, shared, message.len) };
        }
        return host.barrier();
    }
    let mut staged = pieces.next();
    while let Some(piece) = staged {
        let staging = host.area.staging_of(message.root, piece.len());
        // SAFETY: the message has this piece (`Message::new`). Staging buffers of the last epoch are not written before
        // the next barrier.
        unsafe { take(message.at(&piece), staging, piece.len()) };
        staged = pieces.next();
        if staged.is_some() {
            host.barrier()?;
        }
    }
    Ok(())
}
