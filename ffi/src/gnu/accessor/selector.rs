//! Image selectors: the rank that an image index means in the team of a statement.

use crate::gnu::team::{rank_in_numbered_team, rank_in_team};
use crate::gnu::token::{Token, TokenHandle, rank_of};
use crate::gnu::types::TeamHandle;
use crate::gnu::version::Convention;
use crate::process::Instance;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use xmp_core::{Rank, Result, failure};

/// A coarray and an image selector, as the compiler passes them.
pub struct Selector<'a> {
    /// The coarray.
    pub token: TokenHandle,
    /// The image index.
    pub image: c_int,
    /// The variable of `TEAM=`.
    pub team: Option<&'a TeamHandle>,
    /// The value of `TEAM_NUMBER=`.
    pub team_number: Option<&'a c_int>,
}

/// What an image selector has besides the image index.
#[derive(Clone, Copy, Debug)]
pub struct Specifiers<'a> {
    /// The variable of `STAT=`.
    pub stat: Option<&'a Cell<c_int>>,
    /// The variable of `TEAM=`.
    pub team: Option<&'a TeamHandle>,
    /// The value of `TEAM_NUMBER=`.
    pub team_number: Option<&'a c_int>,
}

/// The addresses of `STAT=`, `TEAM=` and `TEAM_NUMBER=`.
type Addresses = [*mut c_void; 3];

/// The addresses of the specifiers of the destination and of the source of an assignment between images. gfortran 15
/// passes four: the destination's `STAT=`, `TEAM=` and `TEAM_NUMBER=`, and the source's `STAT=`; what comes after them
/// is undefined. 16 passes `STAT=` of both, `TEAM=` and `TEAM_NUMBER=` of the destination, and of the source.
fn of_both(convention: Convention, passed: [*mut c_void; 6]) -> [Addresses; 2] {
    let [a, b, c, d, e, f] = passed;
    let none = std::ptr::null_mut();
    match convention {
        Convention::Until15 => [[a, b, c], [d, none, none]],
        Convention::Since16 => [[a, c, d], [b, e, f]],
    }
}

impl<'a> Specifiers<'a> {
    /// Those of the destination and of the source of an assignment between images.
    pub fn of_both(convention: Convention, passed: [*mut c_void; 6]) -> [Specifiers<'a>; 2] {
        // SAFETY: the contract of entries: null or variables of these types.
        of_both(convention, passed).map(|[stat, team, number]| unsafe {
            Specifiers {
                stat: stat.cast::<Cell<c_int>>().as_ref(),
                team: team.cast::<TeamHandle>().as_ref(),
                team_number: number.cast::<c_int>().as_ref(),
            }
        })
    }
}

impl Selector<'_> {
    /// Whether no team is specified.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.team.is_none() && self.team_number.is_none()
    }

    /// The coarray, and the image.
    ///
    /// # Errors
    /// A coarray that is not allocated, or not in all images of the team; a team that is not defined or neither the
    /// current one nor an ancestor; an image index that the team does not have; [`xmp_core::Error::FailedImage`].
    #[inline]
    pub fn find<'a>(&self, instance: &Instance) -> Result<(&'a Token, Rank)> {
        // SAFETY: the contract of entries: the token of a coarray.
        let token = unsafe { Token::of(self.token)? };
        let offset = token.block.offset;
        let rank = match (self.team, self.team_number) {
            (None, None) => rank_of(instance, self.image)?,
            (Some(team), _) => rank_in_team(team, self.image, offset)?,
            (None, Some(&number)) => rank_in_numbered_team(number, self.image, offset)?,
        };
        // The data of a failed image are lost.
        failure::check_failed(instance.image.job(), rank)?;
        Ok((token, rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn each_compiler_has_its_order_of_specifiers() {
        let passed = [1, 2, 3, 4, 5, 6].map(ptr::without_provenance_mut::<c_void>);
        let addresses =
            |convention| of_both(convention, passed).map(|side| side.map(<*mut c_void>::addr));
        assert_eq!(addresses(Convention::Until15), [[1, 2, 3], [4, 0, 0]]);
        assert_eq!(addresses(Convention::Since16), [[1, 3, 4], [2, 5, 6]]);
    }
}
