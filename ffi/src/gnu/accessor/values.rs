//! The arguments of an accessor from this process besides the object: values of the statement, such as its subscripts.
//!
//! Where these are the results of functions, or arrays whose size is not known to the compiler, the accessor gets them
//! in its turn: it calls `get_from_remote` with the token that it was given, and that call's accessor expects the
//! values as its object. So the token of an accessor stands for the values, and is no coarray's: it is the address of
//! the place of theirs, made odd, which no other token is.

use crate::gnu::token::TokenHandle;
use std::ffi::c_void;
use std::ops::Range;

/// Where the values are.
#[derive(Clone, Copy)]
pub struct Values {
    /// The first byte.
    pub start: *const c_void,
    /// How many bytes they are.
    pub len: usize,
}

impl Values {
    /// Their addresses.
    pub fn range(self) -> Range<usize> {
        self.start.addr()..self.start.addr().saturating_add(self.len)
    }
}

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
#[inline(always)]
pub fn values(token: TokenHandle) -> Option<*mut c_void> {
    if !is_token(token) {
        return None;
    }
    // SAFETY: the contract of entries: a token that an accessor passes is one of `token_of` that is still good.
    Some(unsafe { *token.map_addr(|address| address & !MARK).cast::<*mut c_void>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_to_the_values() {
        let mut number = 5;
        let given: *mut c_void = (&raw mut number).cast();
        let token = token_of(&given);
        assert_eq!(values(token), Some(given));
        assert_eq!(values(std::ptr::null_mut()), None);
    }
}
