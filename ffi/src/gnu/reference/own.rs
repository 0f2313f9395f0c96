//! Allocatable components of this image that a chain leads to as a whole.
//!
//! The compiler writes `a%x = b[j]%y` as if `a` were coindexed, too. But it is not, and `x` takes the shape of `y`. And what
//! is assigned to `a[this_image()]%x` where `x` is not allocated is not Fortran, but programs do it, and with the libraries
//! that come with the compiler it is as `a%x = ...`.

use super::Coindexed;
use super::result::{self, Former};
use super::types::{Component, Reference, mode, step};
use super::walk::Walk;
use crate::gfortran_abi::{DType, Descriptor};
use crate::gnu::component;
use crate::gnu::token::{Token, TokenHandle, rank_of};
use crate::process::Instance;
use std::cell::Cell;
use xmp_coarray::transfer::Place;
use xmp_core::Result;

impl Coindexed {
    /// Gives an allocatable component of this image the shape of the array that it is assigned. If the object *is*
    /// coindexed another shape is not Fortran.
    ///
    /// # Errors
    /// As [`result::allocate`].
    ///
    /// # Safety
    /// The compiler made it.
    pub unsafe fn reshape(&self, instance: &Instance, shape: &[usize]) -> Result<Option<Former>> {
        // SAFETY: the caller's guarantee.
        unsafe {
            let token = Token::of(self.token)?;
            if shape.is_empty() || rank_of(instance, self.image)? != instance.image.rank() {
                return Ok(None);
            }
            let Some(Whole { descriptor, token, .. }) =
                whole_component(instance, token, self.refs)?
            else {
                return Ok(None);
            };
            result::allocate(instance, descriptor, Some(&*token), shape).map(Some)
        }
    }

    /// Allocates a component of this image for an object of this type and shape that is put there, if it is not allocated.
    ///
    /// # Errors
    /// As [`result::allocate`].
    ///
    /// # Safety
    /// The compiler made it.
    pub unsafe fn allocate(&self, instance: &Instance, of: &DType, shape: &[usize]) -> Result<()> {
        // SAFETY: the caller's guarantee.
        unsafe {
            let token = Token::of(self.token)?;
            if rank_of(instance, self.image)? != instance.image.rank() {
                return Ok(());
            }
            let Some(whole) = whole_component(instance, token, self.refs)? else {
                return Ok(());
            };
            let Whole { descriptor, token, is_array, item_size } = whole;
            if is_array == shape.is_empty() || !(*descriptor).base.is_null() {
                return Ok(());
            }
            let elem_len = if item_size == 0 { of.elem_len } else { item_size };
            if !is_array {
                return component::register(instance, Some(elem_len), &*token, &mut *descriptor);
            }
            // What the compiler has left there of a component without memory need not be anything.
            let rank = shape.len() as i8;
            (*descriptor).dtype =
                DType { elem_len, version: 0, rank, basic: self.basic as i8, attribute: 0 };
            // It has had no memory.
            result::allocate(instance, descriptor, Some(&*token), shape).map(Former::release)
        }
    }
}

/// An allocatable component that is meant as a whole.
struct Whole {
    /// Its descriptor, or of a scalar the place of its address.
    descriptor: *mut Descriptor,
    /// Where its token is.
    token: *const Cell<TokenHandle>,
    is_array: bool,
    /// Bytes of it, or of an element; 0 for characters of deferred length.
    item_size: usize,
}

/// The allocatable component of an object of this image that the chain leads to, if it is meant as a whole.
///
/// # Errors
/// As [`super::walk::follow`].
///
/// # Safety
/// The compiler made the chain.
unsafe fn whole_component(
    instance: &Instance,
    token: &Token,
    refs: *const Reference,
) -> Result<Option<Whole>> {
    let mut walk = Walk::new(instance, token, instance.image.rank());
    // SAFETY: the caller's guarantee; the kind says which form a step has.
    unsafe {
        let mut next = refs.as_ref();
        while let Some(reference) = next {
            if reference.kind == step::COMPONENT
                && reference.u.component.token_offset != 0
                && reference.next.as_ref().is_none_or(|last| is_whole_array(last))
            {
                let Component { offset, token_offset } = reference.u.component;
                let start = walk.found.start();
                let at = |bytes: isize| walk.at.shifted(start.wrapping_add(bytes as i64));
                return Ok(match (at(offset), at(token_offset)) {
                    (Place::Near(descriptor), Place::Near(token)) => {
                        let last = reference.next.as_ref();
                        Some(Whole {
                            descriptor: descriptor.cast(),
                            token: token.cast(),
                            is_array: last.is_some(),
                            item_size: last.unwrap_or(reference).item_size,
                        })
                    }
                    _ => None,
                });
            }
            if !walk.step(reference)? {
                break;
            }
            next = reference.next.as_ref();
        }
    }
    Ok(None)
}

/// Whether the last step is to all elements of an array.
///
/// # Safety
/// The compiler made the step.
unsafe fn is_whole_array(last: &Reference) -> bool {
    // SAFETY: the kind says which form it has.
    last.next.is_null()
        && last.kind == step::ARRAY
        && unsafe { last.u.array.mode }
            .iter()
            .take_while(|&&how| how != mode::NONE)
            .all(|&how| how == mode::FULL)
}
