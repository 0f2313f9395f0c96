//! Accessors: how the functions are called that the compiler has made of coindexed references.
//!
//! The contract of entries here: a statement passes the index of an accessor of the form that it needs, and that
//! accessor's arguments.

use super::values;
use crate::gnu::token::TokenHandle;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;

/// The offset that accessors get: nothing, as the address is that of the object.
const NO_OFFSET: usize = 0;

/// Gets: (values, image index, buffer, whether to free it, object, token, offset, characters of the buffer, characters
/// of the object). The buffer is a descriptor, or the address of a scalar's address.
type Getter = unsafe extern "C" fn(
    *mut c_void,
    *const c_int,
    *mut c_void,
    *mut i32,
    *mut c_void,
    TokenHandle,
    usize,
    *mut usize,
    *const usize,
);

/// Puts: (values, image index, object, source, token, offset, characters of the object, characters of the source).
type Putter = unsafe extern "C" fn(
    *mut c_void,
    *const c_int,
    *mut c_void,
    *const c_void,
    TokenHandle,
    usize,
    *const usize,
    *const usize,
);

/// Says whether something is allocated: (values, image index, answer, descriptor or address of the object's address,
/// token, offset).
type Present =
    unsafe extern "C" fn(*mut c_void, *const c_int, *mut i32, *mut c_void, TokenHandle, usize);

/// An accessor, of one of the forms above.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Accessor(extern "C" fn());

/// What a statement gives to an accessor besides the object and the other side.
#[derive(Clone, Copy)]
pub struct Statement<'a> {
    values: *mut c_void,
    image: &'a c_int,
    token: TokenHandle,
}

impl<'a> Statement<'a> {
    /// The values of the statement, such as its subscripts, and the image index.
    #[inline(always)]
    pub fn new(values: &'a *mut c_void, image: &'a c_int) -> Statement<'a> {
        Statement { values: *values, image, token: values::token_of(values) }
    }

    /// The same for an accessor that calls no other one for the values.
    pub fn without_token(values: *mut c_void, image: &'a c_int) -> Statement<'a> {
        Statement { values, image, token: ptr::null_mut() }
    }
}

/// The places of the numbers of characters of both sides; null for sides that are no characters.
#[derive(Clone, Copy)]
pub struct Characters {
    /// Of the object.
    pub object: *const usize,
    /// Of the other side. A get may change it.
    pub other: *mut usize,
}

impl Characters {
    /// Of sides that are no characters.
    pub const NONE: Characters = Characters { object: ptr::null(), other: ptr::null_mut() };
}

impl Accessor {
    /// The function.
    #[cfg(test)]
    pub fn new(function: extern "C" fn()) -> Accessor {
        Accessor(function)
    }

    /// Its address.
    pub fn address(self) -> *const c_void {
        self.0 as *const c_void
    }

    /// Gets from an object to a buffer. Whether the accessor has allocated what it leaves there.
    pub fn get(
        self,
        statement: Statement<'_>,
        object: *mut c_void,
        buffer: *mut c_void,
        characters: Characters,
    ) -> bool {
        let mut to_free = 0;
        self.get_flagged(statement, object, buffer, characters, &mut to_free);
        to_free != 0
    }

    /// Gets from an object to a buffer. `to_free` becomes 1 if the accessor has allocated what it leaves there. Fast
    /// paths look at it when they have nothing else left to do.
    #[inline(always)]
    pub fn get_flagged(
        self,
        statement: Statement<'_>,
        object: *mut c_void,
        buffer: *mut c_void,
        characters: Characters,
        to_free: &mut i32,
    ) {
        let Statement { values, image, token } = statement;
        let Characters { object: len, other } = characters;
        // SAFETY: the contract of entries: an accessor that gets, with the arguments of its statement.
        unsafe {
            let getter = transmute::<extern "C" fn(), Getter>(self.0);
            getter(values, image, buffer, to_free, object, token, NO_OFFSET, other, len);
        }
    }

    /// Puts a source to an object.
    #[inline(always)]
    pub fn put(
        self,
        statement: Statement<'_>,
        object: *mut c_void,
        source: *const c_void,
        characters: Characters,
    ) {
        let Statement { values, image, token } = statement;
        let Characters { object: len, other } = characters;
        // SAFETY: the contract of entries: an accessor that puts, with the arguments of its statement.
        unsafe {
            let putter = transmute::<extern "C" fn(), Putter>(self.0);
            putter(values, image, object, source, token, NO_OFFSET, len, other);
        }
    }

    /// Whether what an accessor asks about is allocated in an object.
    #[inline(always)]
    pub fn inquire(self, statement: Statement<'_>, object: *mut c_void) -> i32 {
        let Statement { values, image, token } = statement;
        let mut found = 0;
        // SAFETY: the contract of entries: an accessor that inquires, with the arguments of its statement.
        unsafe {
            let present = transmute::<extern "C" fn(), Present>(self.0);
            present(values, image, &mut found, object, token, NO_OFFSET);
        }
        found
    }
}
