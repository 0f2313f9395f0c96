//! Image selectors: which image of which team is meant.

use crate::gnu::team::{rank_in_numbered_team, rank_in_team};
use crate::gnu::token::{Token, TokenHandle, rank_of};
use crate::gnu::types::TeamHandle;
use crate::process::Instance;
use std::ffi::c_int;
use xmp_core::{Rank, Result, failure};

/// A coarray and an image selector, as the compiler passes them.
pub struct Selector {
    /// The coarray.
    pub token: TokenHandle,
    /// The image index.
    pub image: c_int,
    /// The variable of `TEAM=`, or null.
    pub team: *const TeamHandle,
    /// The value of `TEAM_NUMBER=`, or null.
    pub team_number: *const c_int,
}

impl Selector {
    /// The coarray, and the image.
    ///
    /// # Errors
    /// A coarray that is not allocated, or not in all images of the team; a team that is not defined or neither the current
    /// one nor an ancestor; an image index that the team does not have; [`xmp_core::Error::FailedImage`].
    ///
    /// # Safety
    /// The compiler made it.
    #[inline]
    pub unsafe fn find<'a>(&self, instance: &Instance) -> Result<(&'a Token, Rank)> {
        // SAFETY: the caller's guarantee.
        unsafe {
            let token = Token::of(self.token)?;
            let offset = token.block.offset;
            let rank = match (self.team.is_null(), self.team_number.as_ref()) {
                (true, None) => rank_of(instance, self.image)?,
                (false, _) => rank_in_team(self.team, self.image, offset)?,
                (true, Some(&number)) => rank_in_numbered_team(number, self.image, offset)?,
            };
            // What a failed image has is lost.
            failure::check_failed(instance.image.job(), rank)?;
            Ok((token, rank))
        }
    }
}
