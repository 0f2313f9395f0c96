//! Assignments that would give an allocatable coarray another shape.
//!
//! An assignment allocates its variable again where the shapes differ, unless it is a coarray (Fortran 2018, 10.2.1.2). gfortran does so for
//! coarrays, too. It gives the descriptor the bounds of the right-hand side, deregisters the coarray as MOVE_ALLOC does, and registers
//! a component in its place, which other images cannot access.

use super::designator;
use super::token::Token;
use super::types::TokenHandle;
use crate::gfortran_abi::{Dim, Outcome};
use crate::process::Instance;
use std::cell::Cell;
use std::ptr::NonNull;
use xmp_core::Error;

/// Ends the job if an assignment deregisters the coarray with its token in this place, and MOVE_ALLOC does not.
pub fn refuse(instance: &Instance, place: &Cell<TokenHandle>) {
    // SAFETY: the contract of entries: the token of a coarray, or of a component.
    let token = unsafe { Token::of(place.get()) };
    if let Some(fault) = token.ok().and_then(|token| fault(instance, token, place)) {
        Outcome::new("assignment", None).deliver_named(Err::<(), _>(fault), designator::assignment);
    }
}

/// The fault of an allocated coarray, if its descriptor has another shape than when it was allocated.
fn fault(instance: &Instance, token: &Token, place: &Cell<TokenHandle>) -> Option<Error> {
    let home = token.home.moved_to(place.as_ptr());
    let allocated = token.shape.get()?;
    if !home.is_of(NonNull::from(token).cast(), token.block.local(&instance.image)) {
        return None;
    }
    // SAFETY: the descriptor is there (`is_of`), and belongs to the program, which executes this call.
    let assigned = unsafe { &*home.descriptor }.dims();
    let (old, new) = (extents(&allocated.dims), extents(assigned));
    let text = format!(
        "a coarray of shape ({old}) is given an array of shape ({new}), and keeps its shape until DEALLOCATE: assign to a section of this \
         shape, or deallocate and allocate the coarray on all images"
    );
    (old != new).then_some(Error::Invalid(text))
}

fn extents(dims: &[Dim]) -> String {
    dims.iter().map(|dim| dim.extent().to_string()).collect::<Vec<_>>().join(", ")
}
