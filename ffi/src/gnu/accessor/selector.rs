//! Image selectors: which image of which team is meant.

use crate::gnu::team::{rank_in_numbered_team, rank_in_team};
use crate::gnu::token::{Token, TokenHandle, rank_of};
use crate::gnu::types::TeamHandle;
use crate::gnu::version::Convention;
use crate::process::Instance;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
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

/// What an image selector has besides the image index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specifiers {
    /// The variable of `STAT=`, or null.
    pub stat: *const Cell<c_int>,
    /// The variable of `TEAM=`, or null.
    pub team: *const TeamHandle,
    /// The value of `TEAM_NUMBER=`, or null.
    pub team_number: *const c_int,
}

impl Specifiers {
    /// Those of the destination and of the source of an assignment between images. gfortran 15 passes four: the
    /// destination's `STAT=`, `TEAM=` and `TEAM_NUMBER=`, and the source's `STAT=`; what comes after them is undefined. 16
    /// passes `STAT=` of both, `TEAM=` and `TEAM_NUMBER=` of the destination, and of the source.
    pub fn of_both(convention: Convention, passed: [*mut c_void; 6]) -> (Specifiers, Specifiers) {
        let specifiers = |stat: *mut c_void, team: *mut c_void, number: *mut c_void| Specifiers {
            stat: stat.cast(),
            team: team.cast(),
            team_number: number.cast(),
        };
        let [a, b, c, d, e, f] = passed;
        let none = ptr::null_mut();
        match convention {
            Convention::Until15 => (specifiers(a, b, c), specifiers(d, none, none)),
            Convention::Since16 => (specifiers(a, c, d), specifiers(b, e, f)),
        }
    }
}

impl Selector {
    /// Whether no team is specified.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.team.is_null() && self.team_number.is_null()
    }

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
                (false, _) => rank_in_team(&*self.team, self.image, offset)?,
                (true, Some(&number)) => rank_in_numbered_team(number, self.image, offset)?,
            };
            // What a failed image has is lost.
            failure::check_failed(instance.image.job(), rank)?;
            Ok((token, rank))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_compiler_has_its_order_of_specifiers() {
        let passed = [1, 2, 3, 4, 5, 6].map(ptr::without_provenance_mut::<c_void>);
        let numbers = |of: Specifiers| [of.stat.addr(), of.team.addr(), of.team_number.addr()];
        let (to, from) = Specifiers::of_both(Convention::Until15, passed);
        assert_eq!((numbers(to), numbers(from)), ([1, 2, 3], [4, 0, 0]));
        let (to, from) = Specifiers::of_both(Convention::Since16, passed);
        assert_eq!((numbers(to), numbers(from)), ([1, 3, 4], [2, 5, 6]));
    }
}
