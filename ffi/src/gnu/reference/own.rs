//! Allocatable components of this image that a chain leads to as a whole.
//!
//! The compiler writes `a%x = b[j]%y` as if `a` were coindexed, too. But it is not, and `x` takes the shape of `y`. And
//! what is assigned to `a[this_image()]%x` where `x` is not allocated is not Fortran, but programs do it, and with the
//! libraries that come with the compiler it is as `a%x = ...`.

use super::coindexed::Coindexed;
use super::result::{self, Former};
use super::types::{Component, Reference, Step, mode};
use super::walk::Walk;
use crate::gfortran_abi::{DType, Descriptor};
use crate::gnu::component;
use crate::gnu::token::{Token, TokenHandle, rank_of};
use crate::process::Instance;
use std::cell::Cell;
use xmp_coarray::front_end::transfer::MemoryRef;
use xmp_core::Result;

impl Coindexed<'_> {
    /// Gives an allocatable component of this image the shape of the array that it is assigned. If the object *is*
    /// coindexed another shape is not Fortran.
    ///
    /// # Errors
    /// Without memory, and for a variable of another rank. The variable is then unchanged.
    pub fn reshape(&self, instance: &Instance, shape: &[usize]) -> Result<Option<Former>> {
        let token = Token::allocated(self.token)?;
        if shape.is_empty() || rank_of(instance, self.image)? != instance.image.rank() {
            return Ok(None);
        }
        let whole = whole_component(instance, token, self.refs)?;
        let Some(Whole { descriptor, token, .. }) = whole else { return Ok(None) };
        // SAFETY: the contract of entries: an allocatable component of this image.
        unsafe { result::allocate(instance, descriptor, Some(token), shape).map(Some) }
    }

    /// Allocates a component of this image for an object of this type and shape that is put there, if it is not
    /// allocated.
    ///
    /// # Errors
    /// Without memory, and for a variable of another rank. The variable is then unchanged.
    pub fn allocate(&self, instance: &Instance, of: &DType, shape: &[usize]) -> Result<()> {
        let token = Token::allocated(self.token)?;
        if rank_of(instance, self.image)? != instance.image.rank() {
            return Ok(());
        }
        let Some(whole) = whole_component(instance, token, self.refs)? else { return Ok(()) };
        let Whole { descriptor, token, is_array, item_size } = whole;
        if is_array == shape.is_empty() || !descriptor.base.is_null() {
            return Ok(());
        }
        let elem_len = if item_size == 0 { of.elem_len } else { item_size };
        if !is_array {
            return component::register(instance, Some(elem_len), token, descriptor);
        }
        // What the compiler has left there of a component without memory need not be anything.
        let rank = shape.len() as i8;
        descriptor.dtype =
            DType { elem_len, version: 0, rank, basic: self.basic as i8, attribute: 0 };
        // It has had no memory.
        // SAFETY: the contract of entries: an allocatable component of this image, which has had no memory.
        unsafe { result::allocate(instance, descriptor, Some(token), shape).map(Former::release) }
    }
}

/// An allocatable component that is meant as a whole.
struct Whole<'a> {
    /// Its descriptor, or of a scalar the place of its address.
    descriptor: &'a mut Descriptor,
    /// Where its token is.
    token: &'a Cell<TokenHandle>,
    is_array: bool,
    /// Bytes of it, or of an element; 0 for characters of deferred length.
    item_size: usize,
}

/// The allocatable component of an object of this image that the chain leads to, if it is meant as a whole.
fn whole_component<'a>(
    instance: &Instance,
    token: &Token,
    refs: Option<&Reference<'_>>,
) -> Result<Option<Whole<'a>>> {
    let mut walk = Walk::new(instance, token, instance.image.rank());
    let mut next = refs;
    while let Some(reference) = next {
        if let Step::Component(Component { offset, token_offset }) = reference.step()
            && token_offset != 0
            && reference.next.is_none_or(is_whole_array)
        {
            let start = walk.found.start();
            let at = |bytes: isize| walk.at.shifted(start.wrapping_add(bytes as i64));
            let (MemoryRef::Local(descriptor), MemoryRef::Local(token)) =
                (at(offset), at(token_offset))
            else {
                return Ok(None);
            };
            let last = reference.next;
            // SAFETY: the contract of entries: the compiler keeps both there, in an object of this image.
            let (descriptor, token) = unsafe {
                (&mut *descriptor.cast::<Descriptor>(), &*token.cast::<Cell<TokenHandle>>())
            };
            return Ok(Some(Whole {
                descriptor,
                token,
                is_array: last.is_some(),
                item_size: last.unwrap_or(reference).item_size,
            }));
        }
        if !walk.step(reference)? {
            break;
        }
        next = reference.next;
    }
    Ok(None)
}

/// Whether the last step is to all elements of an array.
fn is_whole_array(last: &Reference<'_>) -> bool {
    let Step::Array(array) = last.step() else { return false };
    let mut modes = array.mode.iter().take_while(|&&how| how != mode::NONE);
    last.next.is_none() && modes.all(|&how| how == mode::FULL)
}
