//! The state of a collective operation on one of its images.

use super::CallStatus;
use crate::host::Host;
use crate::signature::Signature;
use xmp_core::coll_area::{CollArea, FlowsOverHosts};
use xmp_core::failure::refusals::{self, CallId};
use xmp_core::failure::revocation;
use xmp_core::image_set::ImageSet;
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
    /// True if they compare the flows of the set's operations over hosts.
    compares_flows: bool,
    call_status: CallStatus,
}

impl<'a> CollCall<'a> {
    /// An operation of the set that begins. Its call status is bad if this image has left the set.
    #[inline]
    pub fn new(image: &'a Image, set: &'a ImageSet) -> CollCall<'a> {
        let call_status =
            revocation::check(image, set).err().map_or(CallStatus::GOOD, CallStatus::of);
        let (label, refusable, signature) = (Label::of(image, set), None, None);
        let compares_flows = false;
        CollCall { image, set, label, refusable, signature, compares_flows, call_status }
    }

    /// The operation with a signature, which travels with each of its messages. An operation has one signature.
    #[inline]
    #[must_use]
    pub fn signed(self, signature: Signature) -> CollCall<'a> {
        if let (Some(flow), Some(flows)) = (signature.flow(), self.flows_over_hosts()) {
            flows.note(flow);
        }
        CollCall { signature: Some(signature), ..self }.comparing_flows()
    }

    /// The operation, whose messages say which flows the operations of the set had, as those of signed operations do.
    #[inline]
    #[must_use]
    pub fn comparing_flows(self) -> CollCall<'a> {
        CollCall { compares_flows: true, ..self }
    }

    fn flows_over_hosts(&self) -> Option<&'a FlowsOverHosts> {
        // An operation whose levels cannot be found exchanges no messages.
        self.set.levels(self.image).ok()?.flows_over_hosts()
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

    /// The unit of the numbers in the signature.
    pub fn unit(&self) -> &'static str {
        let moves = self.signature.is_some_and(|signature| !signature.combines());
        if moves { "bytes" } else { "elements" }
    }

    /// The position of the root in the set, if the signature has one.
    pub fn root_position(&self) -> Option<usize> {
        self.signature?.root_position()
    }

    /// A word for messages: the call, and the flows of the set's earlier operations; 0 for neither.
    #[inline]
    pub fn word(&self) -> u64 {
        let flows = self.flows_over_hosts().filter(|_| self.compares_flows);
        let number = flows.map_or(0, FlowsOverHosts::number);
        self.signature.map_or(0, |signature| signature.short()) ^ u64::from(number)
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
        self.call_status.outcome()
    }
}
