//! A coindexed object as the compiler describes it: coarray, image, and a chain of steps from the coarray.

use super::types::{Component, Reference, Step};
use super::walk::{ReferenceTarget, follow};
use crate::gfortran_abi::{DType, Descriptor, basic};
use crate::gnu::component::{copies, whole_objects};
use crate::gnu::token::{Token, rank_of};
use crate::gnu::transfer::Resolved;
use crate::process::Instance;
use std::ffi::c_int;
use std::iter;
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
    pub fn find(&self, instance: &Instance) -> Result<(Rank, Option<ReferenceTarget>)> {
        let token = Token::allocated(self.token)?;
        let rank = rank_of(instance, self.image)?;
        // The data of a failed image are lost.
        failure::check_failed(instance.image.job(), rank)?;
        Ok((rank, follow(instance, token, rank, self.refs)?))
    }

    /// Gives what was got, byte by byte, components of its own.
    pub fn separate(&self, instance: &Instance, got: &Descriptor) -> Result<()> {
        let rank = rank_of(instance, self.image)?;
        whole_objects::enter(instance, self.token, rank, got);
        copies::leave_to_array(&instance.image, rank, got)
    }

    /// Refuses a get of characters whose length the compiler does not know. It asks for characters of length 0 where an expression
    /// has a component of deferred length, so that `len(c[i]%text)` is 0, and `print *, c[i]%text` prints nothing.
    ///
    /// # Errors
    /// When the characters are deferred in length, and all would be lost. A scalar component of one character looks like an empty
    /// one, and is let through.
    pub fn check_length(&self, found: &Resolved, wanted: usize) -> Result<()> {
        let mut references = iter::successors(self.refs, |reference| reference.next);
        let last = references.by_ref().last().filter(|last| last.item_size == 0);
        let (Some(last), 0, true) = (last, wanted, self.basic == c_int::from(basic::CHARACTER))
        else {
            return Ok(());
        };
        let length = found.dtype.elem_len / self.kind.max(1) as usize;
        let length = match (last.step(), length) {
            // Characters of length 0 by their declaration.
            (Step::Component(Component { token_offset: 0, .. }), _) => return Ok(()),
            // For no characters the compiler allocates as much as for one.
            (Step::Component(_), 1) | (Step::Array(_) | Step::StaticArray(_), 0) => return Ok(()),
            // Memory that the program has allocated by itself.
            (_, 0) => String::new(),
            (_, length) => format!(", {length} on image {},", self.image),
        };
        Err(Error::Invalid(format!(
            "the compiler does not know the length of this component{length} and takes it for 0: assign the component to a variable \
             of fixed length, and keep the length in another component"
        )))
    }

    /// Returns the object as one side of an assignment. Characters of deferred length get the length `other`.
    ///
    /// # Errors
    /// When it is not allocated.
    pub fn resolve(&self, instance: &Instance, other: usize) -> Result<Resolved> {
        let (rank, found) = self.find(instance)?;
        let ReferenceTarget { place, section, item_size, limits } = found.ok_or_else(|| {
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
