//! Messages with a verdict: it travels in the packets of the data.

use super::{Partners, Verdict};
use xmp_core::notify::{Incoming, Outgoing, drive};
use xmp_core::{Error, Image, Rank, Result, failure};

/// Sends bytes to an image and receives some from another, at once; either may be absent. Lengths of both sides of a
/// message agree. The verdict is sent along, and merged with the one received. When a partner has ended, the
/// other transfer is completed all the same, and the verdict says so.
///
/// # Errors
/// When the job is ending or the transport fails.
pub fn exchange(
    image: &Image,
    partners: &mut Partners,
    out: Option<(Rank, &[u8])>,
    into: Option<(Rank, &mut [u8])>,
    verdict: &mut Verdict,
) -> Result<()> {
    // Good, should nothing arrive.
    let mut word = Verdict::GOOD.to_word();
    let mut outgoing = out.map(|(to, bytes)| {
        let message = Outgoing::new(image, to, bytes, verdict.to_word());
        if partners.first_sent_to(to) { message.awaited() } else { message }
    });
    let mut incoming = into.map(|(from, bytes)| {
        let message = Incoming::new(image, from, bytes, &mut word);
        if partners.first_received_from(from) { message.announced() } else { message }
    });
    loop {
        let outcome = drive(image, &mut outgoing, &mut incoming);
        verdict.note(outcome.clone().map_err(|error| failure::cause(image.job(), error)))?;
        let ended = match outcome {
            Err(Error::StoppedImage(rank) | Error::FailedImage(rank)) => rank,
            _ => break,
        };
        outgoing = outgoing.filter(|message| message.to() != ended);
        incoming = incoming.filter(|message| message.from() != ended);
    }
    drop(incoming);
    verdict.merge(Verdict::from_word(word));
    Ok(())
}
