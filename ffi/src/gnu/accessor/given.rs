//! What an accessor is given of this process besides the object: values of the statement, such as its subscripts.
//!
//! Where these are the results of functions, or arrays whose size is not known to the compiler, the accessor gets them in its
//! turn: it calls `get_from_remote` with the token that it was given, and that call's accessor expects the values as its
//! object. So the token of an accessor stands for the values, and is no coarray's: it is the address of the place of theirs,
//! made odd, which no other token is.

use super::result::{self, Lengths, Source};
use super::{NO_OFFSET, table};
use crate::gfortran_abi::Descriptor;
use crate::gnu::token::TokenHandle;
use crate::process::instance;
use std::ffi::{c_int, c_void};
use xmp_core::Result;

/// What tells such tokens from others.
const MARK: usize = 1;

const _: () = assert!(align_of::<*mut c_void>() > MARK);

/// The token for an accessor that is given `values`; good for as long as these are borrowed.
#[inline(always)]
pub fn token_of(values: &*mut c_void) -> TokenHandle {
    std::ptr::from_ref(values).cast_mut().cast::<c_void>().map_addr(|address| address | MARK)
}

/// Whether a token stands for values.
#[inline(always)]
pub fn is_token(token: TokenHandle) -> bool {
    token.addr() & MARK != 0
}

/// The values that a token stands for; `None` if it is a coarray's.
///
/// # Safety
/// The token is a coarray's, or one of [`token_of`] that is still good.
#[inline(always)]
pub unsafe fn values(token: TokenHandle) -> Option<*mut c_void> {
    if !is_token(token) {
        return None;
    }
    // SAFETY: the caller's guarantee.
    Some(unsafe { *token.map_addr(|address| address & !MARK).cast::<*mut c_void>() })
}

/// An accessor's own get.
pub struct Get {
    /// What the values are taken from.
    pub from: *mut c_void,
    /// The image index that the accessor was called with.
    pub image: c_int,
    /// Which accessor gets them, and what it is given.
    pub accessor: c_int,
    pub add_data: *mut c_void,
    /// Characters of the source, or null.
    pub src_len: *const usize,
}

impl Get {
    /// Gets a scalar to where `place` says, or an array to `dst`.
    ///
    /// # Errors
    /// An accessor that is not there; shapes that do not conform.
    ///
    /// # Safety
    /// The compiler made all of it.
    pub unsafe fn run(
        &self,
        dst: Option<&mut Descriptor>,
        may_reallocate: bool,
        place: *mut *mut c_void,
        lengths: Lengths,
    ) -> Result<()> {
        let instance = instance();
        let getter = table::getter(instance, self.accessor)?;
        let dst_len = lengths.characters.cast_mut();
        let get = |buffer: *mut c_void| {
            let mut to_free = 0;
            // SAFETY: the caller's guarantee.
            unsafe {
                getter(
                    self.add_data,
                    &self.image,
                    buffer,
                    &mut to_free,
                    self.from,
                    token_of(&self.add_data),
                    NO_OFFSET,
                    dst_len,
                    self.src_len,
                );
            }
            to_free != 0
        };
        let source = Source { object: None, local: 0..0 };
        // SAFETY: the caller's guarantee.
        unsafe {
            match dst {
                Some(dst) => result::array(instance, dst, may_reallocate, &source, get),
                None => result::scalar(place, lengths, &instance.image, &source, get),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_to_the_values() {
        let mut number = 5;
        let given: *mut c_void = (&raw mut number).cast();
        let token = token_of(&given);
        // SAFETY: the values are there.
        unsafe { assert_eq!(values(token), Some(given)) };
        // SAFETY: nobody looks behind it.
        unsafe { assert_eq!(values(std::ptr::null_mut()), None) };
    }
}
