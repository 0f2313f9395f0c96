//! A coindexed object as the compiler describes it: coarray, image, and a chain of steps from the coarray.

use super::types::Reference;
use super::walk::{Found, follow};
use crate::gfortran_abi::{DType, Descriptor};
use crate::gnu::component::copies;
use crate::gnu::token::{Token, rank_of};
use crate::gnu::transfer::Resolved;
use crate::process::Instance;
use std::ffi::c_int;
use xmp_core::{Error, Rank, Result, failure};

/// A coindexed object.
pub struct Coindexed<'a> {
    pub token: Option<&'a Token>,
    pub image: c_int,
    pub refs: Option<&'a Reference<'a>>,
    /// Type and kind of its elements.
    pub basic: c_int,
    pub kind: c_int,
}

impl Coindexed<'_> {
    /// The image that has the object, and where it is there; `None` when it is not allocated.
    ///
    /// # Errors
    /// When the coarray or the image does not exist, and when the image has failed.
    pub fn find(&self, instance: &Instance) -> Result<(Rank, Option<Found>)> {
        let token = Token::allocated(self.token)?;
        let rank = rank_of(instance, self.image)?;
        // What a failed image has is lost.
        failure::check_failed(instance.image.job(), rank)?;
        Ok((rank, follow(instance, token, rank, self.refs)?))
    }

    /// Gives what was got, byte by byte, components of its own.
    pub fn separate(&self, instance: &Instance, got: &Descriptor) -> Result<()> {
        let rank = rank_of(instance, self.image)?;
        copies::leave_to_array(&instance.image, rank, got)
    }

    /// Returns the object as one side of an assignment. Characters of deferred length get the length `other`.
    ///
    /// # Errors
    /// When it is not allocated.
    pub fn resolve(&self, instance: &Instance, other: usize) -> Result<Resolved> {
        let (rank, found) = self.find(instance)?;
        let Found { place, section, item_size, limits } = found.ok_or_else(|| {
            Error::Invalid(format!(
                "a component on {rank}, or what it is part of, is not allocated"
            ))
        })?;
        let elem_len = if item_size == 0 { other } else { item_size };
        let rank = section.rank() as i8;
        let dtype = DType { elem_len, version: 0, rank, basic: self.basic as i8, attribute: 0 };
        Ok(Resolved { place, section, dtype, kind: self.kind, limits })
    }
}
