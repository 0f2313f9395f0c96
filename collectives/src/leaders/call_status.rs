//! The call status of an operation, which travels with its data.

use xmp_core::{Error, Rank, Result};

/// Good, or the image that ended before it took part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallStatus(Option<EndedImage>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndedImage {
    Stopped(Rank),
    Failed(Rank),
}

impl CallStatus {
    /// No image has ended.
    pub const GOOD: CallStatus = CallStatus(None);

    /// The call status of an error: good, if the error does not concern another image.
    pub fn of(error: Error) -> CallStatus {
        CallStatus(match error {
            Error::StoppedImage(rank) => Some(EndedImage::Stopped(rank)),
            Error::FailedImage(rank) => Some(EndedImage::Failed(rank)),
            _ => None,
        })
    }

    /// Whether no image has ended.
    #[inline]
    pub fn is_good(self) -> bool {
        self.0.is_none()
    }

    /// Notes the outcome of a part of the operation.
    ///
    /// # Errors
    /// The error of the part if it does not concern another image: this image cannot continue then.
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

    /// Merges the call status of another participant. A stopped image has precedence over a failed one (Fortran 2018,
    /// 16.6), otherwise the first that was noted.
    pub fn merge(&mut self, other: CallStatus) {
        self.0 = match (self.0, other.0) {
            (None | Some(EndedImage::Failed(_)), Some(EndedImage::Stopped(rank))) => {
                Some(EndedImage::Stopped(rank))
            }
            (None, found) => found,
            (noted, _) => noted,
        };
    }

    /// The outcome of the operation.
    ///
    /// # Errors
    /// When an image has ended before it took part.
    pub fn outcome(self) -> Result<()> {
        match self.0 {
            None => Ok(()),
            Some(EndedImage::Stopped(rank)) => Err(Error::StoppedImage(rank)),
            Some(EndedImage::Failed(rank)) => Err(Error::FailedImage(rank)),
        }
    }

    /// The call status as a word of a message; 0 is good.
    #[inline]
    pub fn to_word(self) -> u64 {
        match self.0 {
            None => 0,
            Some(EndedImage::Stopped(rank)) => 1 << 32 | u64::from(rank.get()),
            Some(EndedImage::Failed(rank)) => 2 << 32 | u64::from(rank.get()),
        }
    }

    /// The call status in a word of a message.
    #[inline]
    pub fn from_word(word: u64) -> CallStatus {
        let rank = Rank::new(word as u32);
        CallStatus(match word >> 32 {
            0 => None,
            1 => Some(EndedImage::Stopped(rank)),
            _ => Some(EndedImage::Failed(rank)),
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
