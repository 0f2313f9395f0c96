//! A decoder: what the arguments of an entry function say of its operation.

use crate::call::Call;
use xmp_trace::format::Record;

/// The values that are read from the arguments: before the call, and after it those that the function has stored.
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    /// Completes the record of a call that is about to be made.
    pub before: fn(&Call, &mut Record),
    /// Completes it when the call has returned.
    pub after: fn(&Call, &mut Record),
}

/// A decoder that only looks before the call.
pub const fn before(before: fn(&Call, &mut Record)) -> Decoder {
    Decoder { before, after: |_, _| {} }
}

/// Nothing is decoded.
pub const NONE: Decoder = before(|_, _| {});
