//! How an operation over channels goes, on one of its images.

use super::CallStatus;
use xmp_core::failure::refusals::{self, CallId};
use xmp_core::failure::revocation;
use xmp_core::image_set::ImageSet;
use xmp_core::notify::Label;
use xmp_core::{Error, Image, Result};

/// The operation that an image takes part in, and whether it still has a meaning.
#[derive(Clone, Copy, Debug)]
pub struct CollCall<'a> {
    image: &'a Image,
    set: &'a ImageSet,
    label: Label,
    refusable: Option<CallId>,
    call_status: CallStatus,
}

impl<'a> CollCall<'a> {
    /// At the beginning of an operation of the set; it has no meaning if this image has left the set.
    #[inline]
    pub fn new(image: &'a Image, set: &'a ImageSet) -> CollCall<'a> {
        let call_status =
            revocation::check(image, set).err().map_or(CallStatus::GOOD, CallStatus::of);
        CollCall { image, set, label: Label::of(image, set), refusable: None, call_status }
    }

    /// The same, of a call that images can refuse.
    #[inline]
    #[must_use]
    pub fn refusable(self, call: CallId) -> CollCall<'a> {
        CollCall { label: self.label.of_call(call), refusable: Some(call), ..self }
    }

    /// Which call it is, if images can refuse it.
    pub fn id(&self) -> Option<CallId> {
        self.refusable
    }

    /// The set.
    pub fn set(&self) -> &'a ImageSet {
        self.set
    }

    /// What its messages are marked with.
    pub fn label(&self) -> Label {
        self.label
    }

    /// Whether the operation still has a meaning.
    pub fn call_status(&self) -> CallStatus {
        self.call_status
    }

    /// Whether nothing is wrong.
    #[inline]
    pub fn is_good(&self) -> bool {
        self.call_status.is_good()
    }

    /// Notes the outcome of a part of the operation. When an image has ended instead of taking part, this one leaves
    /// the set: it exchanges no more messages in this operation or a later one, and the others see that. When an image
    /// has refused the call, this one gives the call up, and the others see that, too.
    ///
    /// # Errors
    /// Passes on an error that says nothing about another image: then this image cannot go on.
    pub fn note(&mut self, outcome: Result<()>) -> Result<()> {
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
    /// When an image ended instead of taking part.
    pub fn outcome(self) -> Result<()> {
        self.call_status.outcome()
    }
}
