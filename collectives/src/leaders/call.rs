//! The state of a collective operation on one of its images.

use super::CallStatus;
use crate::host::Host;
use crate::signature::Signature;
use xmp_core::coll_area::CollArea;
use xmp_core::failure::calls::CallLog;
use xmp_core::failure::refusals::{self, CallId};
use xmp_core::failure::revocation;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::notify::Label;
use xmp_core::{Error, Image, Result};

/// A collective operation on one of its images: its set, its label, and its call status. A function that takes one
/// returns an error when a member of the collective area has ended; without a collective area, the call status has it.
#[derive(Clone, Copy, Debug)]
pub struct CollCall<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    label: Label,
    refusable: Option<CallId>,
    /// What all its images call alike; `None` where they do not compare it.
    signature: Option<Signature>,
    /// The name of an operation of the global view, and the hash of its plan.
    planned: Option<(&'static str, u64)>,
    /// The log of the set's calls over hosts, if it has this operation.
    log: Option<&'a CallLog>,
    call_status: CallStatus,
}

impl<'a> CollCall<'a> {
    /// An operation of the set that begins. Its call status is bad if this image has left the set.
    #[inline]
    pub fn new(image: &'a Image, set: &'a ImageSet) -> CollCall<'a> {
        let call_status =
            revocation::check(image, set).err().map_or(CallStatus::GOOD, CallStatus::of);
        let label = Label::of(image, set);
        // An operation whose levels cannot be found exchanges no messages.
        let log = set.levels(image).ok().and_then(Levels::calls);
        let label = log.map_or(label, |log| label.behind_differences(log.differences()));
        let (refusable, signature, planned) = (None, None, None);
        CollCall { image, set, label, refusable, signature, planned, log: None, call_status }
    }

    /// The operation with a signature, which travels with each of its messages. An operation has one signature.
    ///
    /// # Errors
    /// When this image has found that the images of the set differ, and they have not synchronised since.
    #[inline]
    pub fn signed(self, signature: Signature) -> Result<CollCall<'a>> {
        let log = self.set.levels(self.image)?.calls();
        if let Some(log) = log {
            let flows = log.flows();
            let flows = signature.flow().map_or(flows, |flow| flow.after(flows));
            log.begin(self.image, signature.short(), flows)?;
        }
        Ok(CollCall { signature: Some(signature), log, ..self })
    }

    /// An operation of the global view with this name. The hash of its plan travels with each of its messages.
    #[must_use]
    pub fn planned(self, name: &'static str, mapping: u64) -> CollCall<'a> {
        CollCall { planned: Some((name, mapping)), ..self }
    }

    /// The name of the operation, if it has a plan.
    pub fn planned_name(&self) -> Option<&'static str> {
        self.planned.map(|(name, _)| name)
    }

    /// The operation as a barrier over hosts.
    #[inline]
    #[must_use]
    pub fn of_barrier(self) -> CollCall<'a> {
        CollCall { label: self.label.of_barrier(), ..self }
    }

    /// The operation between the members of an area.
    pub fn on_host<'b>(&self, area: &'b CollArea) -> Host<'b>
    where
        'a: 'b,
    {
        match self.signature {
            Some(signature) => Host::of_call(self.image, area, signature),
            None => Host::new(self.image, area),
        }
    }

    /// The numbers of two signatures in one unit, with its word in the singular.
    pub fn in_one_unit(&self, counts: [u64; 2]) -> ([u64; 2], &'static str) {
        match self.signature.filter(|signature| !signature.combines()) {
            Some(signature) => signature.in_one_unit(counts),
            None => (counts, "element"),
        }
    }

    /// The position of the root in the set, if the signature has one.
    pub fn root_position(&self) -> Option<usize> {
        self.signature?.root_position()
    }

    /// A word for messages: the plan, or the call and the flows of the set since its images have compared them; 0 for none.
    #[inline]
    pub fn word(&self) -> u64 {
        if let Some((_, mapping)) = self.planned {
            return mapping;
        }
        let flows = self.log.map_or(0, |log| log.flows() >> 32);
        self.signature.map_or(0, |signature| signature.short()) ^ flows
    }

    /// The log of the calls of the set over hosts, if it has this operation.
    pub fn log(&self) -> Option<&'a CallLog> {
        self.log
    }

    /// The operation as a call that images can refuse.
    #[inline]
    #[must_use]
    pub fn refusable(self, call: CallId) -> CollCall<'a> {
        CollCall { label: self.label.of_call(call), refusable: Some(call), ..self }
    }

    /// The id of the call, if images can refuse it.
    pub fn id(&self) -> Option<CallId> {
        self.refusable
    }

    /// The set.
    pub fn set(&self) -> &'a ImageSet {
        self.set
    }

    /// The label of its messages.
    pub fn label(&self) -> Label {
        self.label
    }

    /// The call status.
    pub fn call_status(&self) -> CallStatus {
        self.call_status
    }

    /// Whether the call status is good.
    #[inline]
    pub fn is_good(&self) -> bool {
        self.call_status.is_good()
    }

    /// Notes the outcome of a part of the operation. If an image has ended before it took part, this image leaves the set:
    /// it exchanges no more messages in this operation or a later one, and publishes that. If an image has refused the
    /// call, this image gives the call up, and publishes that, too.
    ///
    /// # Errors
    /// The error of the part if it does not concern another image: this image cannot continue then.
    pub fn note(&mut self, outcome: Result<(), impl Into<Error>>) -> Result<()> {
        let outcome = outcome.map_err(Into::into);
        if let Err(error) = &outcome {
            revocation::publish(self.image, error)?;
            if let (Error::Refused { .. }, Some(call)) = (error, self.refusable) {
                refusals::publish(self.image, call, error)?;
            }
        }
        self.call_status.note(outcome)
    }

    /// The outcome of the operation.
    ///
    /// # Errors
    /// When an image has ended before it took part.
    pub fn outcome(self) -> Result<()> {
        self.call_status.outcome()?;
        // What this image finds now, a length that it has not expected for instance, concerns no other image.
        if let Some(log) = self.log {
            log.end_call();
        }
        Ok(())
    }
}
