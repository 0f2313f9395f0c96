//! Errors that one image alone can find - memory that it lacks, a handle that it does not know - made the same on all images that
//! execute an operation together.
//!
//! [`agreed`] is for operations that are rare enough for an exchange of their own. Operations that exchange something anyway
//! carry the reason with that (`global/exchange`).

use crate::check::{self, Call};
use crate::reduction::Op;
use crate::two_level::rank_at;
use crate::typed::{allreduce, broadcast};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Image, Rank, Result};

/// Bytes of a reason as it is sent; what is longer is cut.
const LEN: usize = 248;

/// Why an image cannot do its part, as it is sent to the others: the first byte says whether it lacks memory, the second how
/// many bytes of text follow.
#[derive(Clone, Copy, Debug)]
pub struct Reason([u8; LEN]);

impl Reason {
    /// That of this error.
    pub fn of(error: &Error) -> Reason {
        let text = error.to_string();
        let fits = |len: &usize| text.is_char_boundary(*len);
        let len = (0..=LEN - 2).rev().find(fits).expect("an empty text fits");
        let mut bytes = [0; LEN];
        bytes[..2].copy_from_slice(&[u8::from(is_memory(error)), len as u8]);
        bytes[2..2 + len].copy_from_slice(&text.as_bytes()[..len]);
        Reason(bytes)
    }

    /// The reason that is sent from this address.
    ///
    /// # Safety
    /// There are the bytes of a reason.
    pub unsafe fn at(address: *const u8) -> Reason {
        // SAFETY: the caller's guarantee.
        Reason(unsafe { address.cast::<[u8; LEN]>().read() })
    }

    /// As it is sent.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The error on the other images, when it is that of `image`.
    pub fn error(&self, image: Rank) -> Error {
        let len = usize::from(self.0[1]).min(LEN - 2);
        let why = String::from_utf8_lossy(&self.0[2..2 + len]).into_owned();
        Error::Refused { image, lacks_memory: self.0[0] != 0, why }
    }
}

/// Whether an error says that there is no memory; otherwise it is about an argument.
fn is_memory(error: &Error) -> bool {
    matches!(
        error,
        Error::OutOfMemory { .. }
            | Error::SizeOverflow(_)
            | Error::Refused { lacks_memory: true, .. }
    )
}

/// What came of this image's part in a statement of all images of the set, if all of them could do theirs. Otherwise an error
/// on all: that of the first image in the order of the set which has one. An image with an error of the same kind keeps its own.
///
/// # Errors
/// Those; when an image of the set has stopped or failed without taking part.
///
/// # Panics
/// When this image is not in the set.
pub fn agreed<T>(
    image: &Image,
    set: &ImageSet,
    statement: &'static str,
    outcome: Result<T>,
) -> Result<T> {
    let position = set.position().expect("a member of the set");
    check::agree(image, set, || Call::of(statement))?;
    // The greatest is that of the first.
    let mut first = [if outcome.is_err() { u64::MAX - position as u64 } else { 0 }];
    allreduce(image, set, &mut first, Op::Max)?;
    if first[0] == 0 {
        return outcome;
    }
    let first = (u64::MAX - first[0]) as usize;
    let mut reason = outcome.as_ref().err().map_or([0; LEN], |error| Reason::of(error).0);
    broadcast(image, set, first, &mut reason)?;
    let theirs = Reason(reason).error(rank_at(set, first)?);
    match outcome {
        Err(own) if is_memory(&own) == is_memory(&theirs) => Err(own),
        _ => Err(theirs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_says_whose_and_which_it_is() {
        let memory = Error::OutOfMemory { heap: "heap", requested: 9, available: 5 };
        let told = Reason::of(&memory).error(Rank::new(2));
        let expected = "image 3: out of memory: 9 bytes requested of the heap, 5 available";
        assert_eq!(told.to_string(), expected);
        assert!(is_memory(&told));
        let long = Error::Invalid("\u{e4}".repeat(LEN));
        let told = Reason::of(&long).error(Rank::new(0));
        assert_eq!(told.to_string(), format!("image 1: {}", "\u{e4}".repeat((LEN - 2) / 2)));
        assert!(!is_memory(&told));
    }
}
