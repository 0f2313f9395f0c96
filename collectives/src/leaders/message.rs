//! The messages of one operation, and the partners that this image exchanges them with.

use super::call::CollCall;
use crate::signature::Signature;
use smallvec::SmallVec;
use xmp_core::counted::counted;
use xmp_core::notify::{Incoming, Outgoing, await_rendezvous, drive, finish_rendezvous};
use xmp_core::settings::Techniques;
use xmp_core::{Error, Image, Rank, Result};

/// Sends bytes to an image and receives bytes from another at the same time; either may be absent. Sender and receiver
/// give the same length. When a partner has ended or has left the set, `coll` says so, and the other messages of the
/// operation are left out: the memory that was to receive them is unchanged.
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
    let (label, call) = (coll.label(), coll.word());
    let mut outgoing = out.map(|(to, bytes)| {
        let message = Outgoing::new(image, to, label, bytes).of_call(call);
        if partners.first_sent_to(to) { message.awaited() } else { message }
    });
    let mut incoming = into.map(|(from, bytes)| {
        let message = Incoming::new(image, from, label, bytes).of_call(call);
        if partners.first_received_from(from) { message.announced() } else { message }
    });
    let driven = drive(image, coll.set(), coll.id(), coll.log(), &mut outgoing, &mut incoming);
    if let Err(Error::Invalid(_)) = &driven {
        let theirs =
            incoming.as_ref().and_then(|message| Some((message.from(), message.differs()?)));
        let differs = |message: &&Outgoing<'_>| message.differs();
        let error = match (theirs, outgoing.as_ref().filter(differs)) {
            (Some((from, theirs)), _) => differ(image, coll, from, theirs),
            (None, Some(message)) => match coll.planned_name() {
                Some(name) => plans_differ(name, message.to()),
                None => Error::Invalid(format!(
                    "{} executes another statement, or has another type, shape or number of elements: XMP_CHECK=1 names it",
                    message.to()
                )),
            },
            (None, None) => return give_up(image, coll, driven.map(drop), outgoing, incoming),
        };
        return give_up(image, coll, Err(error), outgoing, incoming);
    }
    match driven? {
        Some(gone) => {
            finish_rendezvous(image, &mut outgoing)?;
            let noted = coll.note(Err(gone.error));
            let came = await_rendezvous(image, coll.set(), coll.id(), coll.log(), &mut incoming);
            noted.and(came)
        }
        None => Ok(()),
    }
}

/// Gives up a call in which a partner differs, with this outcome. A rendezvous that has begun is completed: MPI does not cancel it.
#[cold]
fn give_up(
    image: &Image,
    coll: &CollCall<'_>,
    outcome: Result<()>,
    mut outgoing: Option<Outgoing<'_>>,
    mut incoming: Option<Incoming<'_>>,
) -> Result<()> {
    finish_rendezvous(image, &mut outgoing)?;
    if let (Some(log), Err(error)) = (coll.log(), &outcome) {
        log.give_up(image, &error.to_string())?;
    }
    await_rendezvous(image, coll.set(), coll.id(), coll.log(), &mut incoming)?;
    outcome
}

/// The error of an image that calls `own`, of another one whose message has another word.
#[cold]
fn differ(image: &Image, coll: &CollCall<'_>, other: Rank, theirs: u64) -> Error {
    if let Some(name) = coll.planned_name() {
        return plans_differ(name, other);
    }
    let me = image.rank();
    Error::Invalid(match Signature::counts_that_differ(coll.word(), theirs) {
        Some(counts) => {
            let ([own, theirs], unit) = coll.in_one_unit(counts);
            format!("{other} gives {}, {me} gives {own}", counted(theirs, unit))
        }
        None => format!(
            "{other} executes another statement, or has another type, shape, operation or root here, or had another root in an earlier \
             collective: XMP_CHECK=1 names it"
        ),
    })
}

/// The error of an operation of the global view when another image has another plan.
#[cold]
pub fn plans_differ(name: &str, image: Rank) -> Error {
    Error::Invalid(format!(
        "{name}: {image} executes it with other arrays, or with other parts of them"
    ))
}

/// The images with which this one has exchanged messages in an operation. With double buffering the credits of the
/// channels suffice, and there is nothing to remember. Without it, the first message between two images waits until the
/// receiver has begun the operation, because the operation before may still use the buffers (UHCAF, IV-C).
#[derive(Debug)]
pub struct Partners {
    synchronise: bool,
    sent_to: SmallVec<[Rank; 16]>,
    received_from: SmallVec<[Rank; 16]>,
}

impl Partners {
    /// No partners, at the beginning of an operation.
    #[inline]
    pub fn new(image: &Image) -> Partners {
        let synchronise = !image.techniques().has(Techniques::DOUBLE_BUFFERING);
        Partners { synchronise, sent_to: SmallVec::new(), received_from: SmallVec::new() }
    }

    /// Whether the message that is now sent to `partner` waits until the partner is ready.
    #[inline]
    fn first_sent_to(&mut self, partner: Rank) -> bool {
        self.synchronise && is_new(&mut self.sent_to, partner)
    }

    /// Whether this image announces to `partner` that it is ready for the message that it expects now.
    #[inline]
    fn first_received_from(&mut self, partner: Rank) -> bool {
        self.synchronise && is_new(&mut self.received_from, partner)
    }
}

fn is_new(known: &mut SmallVec<[Rank; 16]>, partner: Rank) -> bool {
    let new = !known.contains(&partner);
    if new {
        known.push(partner);
    }
    new
}
