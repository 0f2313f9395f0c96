//! Whether an operation still has a meaning: what participants tell one another beside the data.

use xmp_core::{Error, Rank, Result};

/// Good, or the image that ended instead of taking part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallStatus(Option<Ended>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Stopped(Rank),
    Failed(Rank),
}

impl CallStatus {
    /// Nothing is wrong.
    pub const GOOD: CallStatus = CallStatus(None);

    /// What this error says of an image: nothing, if it says nothing about an image.
    pub fn of(error: Error) -> CallStatus {
        CallStatus(match error {
            Error::StoppedImage(rank) => Some(Ended::Stopped(rank)),
            Error::FailedImage(rank) => Some(Ended::Failed(rank)),
            _ => None,
        })
    }

    /// Whether nothing is wrong.
    #[inline]
    pub fn is_good(self) -> bool {
        self.0.is_none()
    }

    /// Notes the outcome of a part of the operation.
    ///
    /// # Errors
    /// Passes on an error that says nothing about another image: then this image cannot go on.
    pub fn note(&mut self, outcome: Result<()>) -> Result<()> {
        match outcome {
            Ok(()) => Ok(()),
            Err(error @ (Error::StoppedImage(_) | Error::FailedImage(_))) => {
                self.merge(CallStatus::of(error));
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    /// Takes over what another participant found. A stopped image has precedence over a failed one (Fortran
    /// 2018, 16.6), else the first that was noted.
    pub fn merge(&mut self, other: CallStatus) {
        self.0 = match (self.0, other.0) {
            (None | Some(Ended::Failed(_)), Some(Ended::Stopped(rank))) => {
                Some(Ended::Stopped(rank))
            }
            (None, found) => found,
            (noted, _) => noted,
        };
    }

    /// The outcome of the operation.
    ///
    /// # Errors
    /// When an image ended instead of taking part.
    pub fn outcome(self) -> Result<()> {
        match self.0 {
            None => Ok(()),
            Some(Ended::Stopped(rank)) => Err(Error::StoppedImage(rank)),
            Some(Ended::Failed(rank)) => Err(Error::FailedImage(rank)),
        }
    }

    /// As a word of a message; 0 = good.
    #[inline]
    pub fn to_word(self) -> u64 {
        match self.0 {
            None => 0,
            Some(Ended::Stopped(rank)) => 1 << 32 | u64::from(rank.get()),
            Some(Ended::Failed(rank)) => 2 << 32 | u64::from(rank.get()),
        }
    }

    /// From a word of a message.
    #[inline]
    pub fn from_word(word: u64) -> CallStatus {
        let rank = Rank::new(word as u32);
        CallStatus(match word >> 32 {
            0 => None,
            1 => Some(Ended::Stopped(rank)),
            _ => Some(Ended::Failed(rank)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_image_has_precedence() {
        let mut call_status = CallStatus::GOOD;
        for (outcome, expected) in [
            (Ok(()), Ok(())),
            (Err(Error::FailedImage(Rank::new(3))), Err(Error::FailedImage(Rank::new(3)))),
            (Err(Error::FailedImage(Rank::new(4))), Err(Error::FailedImage(Rank::new(3)))),
            (Err(Error::StoppedImage(Rank::new(5))), Err(Error::StoppedImage(Rank::new(5)))),
            (Err(Error::FailedImage(Rank::new(6))), Err(Error::StoppedImage(Rank::new(5)))),
        ] {
            call_status.note(outcome).unwrap();
            assert_eq!(call_status.outcome(), expected);
            assert_eq!(CallStatus::from_word(call_status.to_word()), call_status);
        }
        assert_eq!(call_status.note(Err(Error::JobEnding)), Err(Error::JobEnding));
    }
}
