//! Messages of an operation.

use super::call::CollCall;
use super::partners::Partners;
use xmp_core::notify::{Incoming, Outgoing, await_rendezvous, drive, finish_rendezvous};
use xmp_core::{Image, Rank, Result};

/// Sends bytes to an image and receives some from another, at once; either may be absent. Lengths of both sides of a
/// message agree. When a partner has ended or has left the set, `coll` says so, and the rest of the operation is left
/// out: what was to be received is what it was.
///
/// # Errors
/// When the job is ending or the transport fails; [`xmp_core::Error::Refused`] when an image has refused the call.
pub fn exchange(
    image: &Image,
    partners: &mut Partners,
    out: Option<(Rank, &[u8])>,
    into: Option<(Rank, &mut [u8])>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    if !coll.is_good() {
        return Ok(());
    }
    let label = coll.label();
    let mut outgoing = out.map(|(to, bytes)| {
        let message = Outgoing::new(image, to, label, bytes);
        if partners.first_sent_to(to) { message.awaited() } else { message }
    });
    let mut incoming = into.map(|(from, bytes)| {
        let message = Incoming::new(image, from, label, bytes);
        if partners.first_received_from(from) { message.announced() } else { message }
    });
    match drive(image, coll.set(), coll.id(), &mut outgoing, &mut incoming)? {
        Some(gone) => {
            finish_rendezvous(image, &mut outgoing)?;
            let noted = coll.note(Err(gone.error));
            let came = await_rendezvous(image, coll.set(), coll.id(), &mut incoming);
            noted.and(came)
        }
        None => Ok(()),
    }
}
