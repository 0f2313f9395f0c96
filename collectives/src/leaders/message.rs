//! Messages with a verdict: a header, then the data. Both share a packet when they fit.

use super::Verdict;
use std::mem::MaybeUninit;
use xmp_core::notify::{Incoming, Outgoing, PACKET, drive};
use xmp_core::{Error, Image, Rank, Result};

/// Bytes of the header: the verdict, and as many again so that the data is aligned for any element.
const HEADER: usize = 16;

/// A header and data in one packet.
#[repr(align(16))]
struct Packet([MaybeUninit<u8>; PACKET]);

impl Packet {
    const EMPTY: Packet = Packet([MaybeUninit::uninit(); PACKET]);

    /// The first `len` bytes.
    ///
    /// # Safety
    /// They have been written.
    unsafe fn written(&self, len: usize) -> &[u8] {
        // SAFETY: the caller's guarantee.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), len) }
    }

    /// The first `len` bytes, all 0.
    fn cleared(&mut self, len: usize) -> &mut [u8] {
        let start: *mut u8 = self.0.as_mut_ptr().cast();
        assert!(len <= PACKET);
        // SAFETY: in bounds, and initialised here.
        unsafe {
            start.write_bytes(0, len);
            std::slice::from_raw_parts_mut(start, len)
        }
    }

    /// Header and data as one message.
    fn fill(&mut self, verdict: Verdict, data: &[u8]) -> &[u8] {
        let len = HEADER + data.len();
        let message = self.cleared(HEADER);
        message[..8].copy_from_slice(&verdict.to_word().to_ne_bytes());
        assert!(len <= PACKET);
        // SAFETY: in bounds of the packet; then header and data have been written.
        unsafe {
            let at = self.0.as_mut_ptr().cast::<u8>().add(HEADER);
            std::ptr::copy_nonoverlapping(data.as_ptr(), at, data.len());
            self.written(len)
        }
    }
}

/// Sends `out` to `to` and receives `into` from `from`, at once; either may be absent. Lengths of both sides of a
/// message agree. The verdict is sent along, and merged with the one received. When a partner has ended, the
/// other transfer is completed all the same, and the verdict says so.
///
/// # Errors
/// When the job is ending or the transport fails.
pub fn exchange(
    image: &Image,
    to: Option<Rank>,
    out: &[u8],
    from: Option<Rank>,
    into: &mut [u8],
    verdict: &mut Verdict,
) -> Result<()> {
    let (mut sent, mut received) = (Packet::EMPTY, Packet::EMPTY);
    // What does not fit in a packet with its header follows as a message of its own.
    let [with_out, with_into] = [out.len(), into.len()].map(|len| HEADER + len <= PACKET);
    let header = sent.fill(*verdict, if with_out { out } else { &[] });
    let expected = received.cleared(HEADER + if with_into { into.len() } else { 0 });
    let outgoing = to.map(|to| Outgoing::new(image, to, header));
    let incoming = from.map(|from| Incoming::new(image, from, expected));
    let arrived = drive_on(image, outgoing, incoming, verdict)?;
    if from.is_some() && arrived {
        let (head, data) = expected.split_at(HEADER);
        let word = u64::from_ne_bytes(head[..8].try_into().expect("8 bytes"));
        verdict.merge(Verdict::from_word(word));
        if with_into {
            into.copy_from_slice(data);
        }
    }
    let outgoing = to.filter(|_| !with_out).map(|to| Outgoing::new(image, to, out));
    let incoming = from.filter(|_| !with_into).map(|from| Incoming::new(image, from, into));
    if outgoing.is_some() || incoming.is_some() {
        drive_on(image, outgoing, incoming, verdict)?;
    }
    Ok(())
}

/// Completes both, as far as the partners live. Whether the incoming one arrived.
fn drive_on(
    image: &Image,
    mut outgoing: Option<Outgoing<'_>>,
    mut incoming: Option<Incoming<'_>>,
    verdict: &mut Verdict,
) -> Result<bool> {
    let mut arrived = true;
    loop {
        let outcome = drive(image, &mut outgoing, &mut incoming);
        verdict.note(outcome.clone())?;
        let ended = match outcome {
            Err(Error::StoppedImage(rank) | Error::FailedImage(rank)) => rank,
            _ => return Ok(arrived),
        };
        outgoing = outgoing.filter(|message| message.to() != ended);
        if incoming.as_ref().is_some_and(|message| message.from() == ended) {
            arrived = false;
            incoming = None;
        }
    }
}
