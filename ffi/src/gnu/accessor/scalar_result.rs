//! The end of a get of a scalar that the accessor has left where the compiler does not want it.

use super::local::LocalCoarray;
use super::object::Object;
use super::result::{self, Lengths, Source};
use super::values::Values;
use crate::gfortran_abi::Outcome;
use crate::gnu::token::Token;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;

/// A scalar that an accessor has left where the compiler does not want it.
#[derive(Clone, Copy)]
pub struct ScalarResult {
    /// The variable that the compiler has made.
    pub own: *mut c_void,
    /// Whether what the accessor has left is to be freed.
    pub to_free: bool,
}

/// The end of a get of a scalar of a coarray that may have components.
pub struct Pending {
    /// The coarray.
    pub token: &'static Token,
    /// The image index.
    pub image: c_int,
    /// What the accessor has left.
    pub left: ScalarResult,
    /// What the accessor was given of this process's memory.
    pub local: Values,
}

impl Pending {
    /// Ends the get of a scalar of `element` bytes: it becomes what `place` has the address of.
    #[cold]
    #[inline(never)]
    pub fn finish(self, place: *mut *mut c_void, element: usize, stat: Option<&Cell<c_int>>) {
        let Pending { token, image, left: ScalarResult { own, to_free }, local } = self;
        let coarray = LocalCoarray::on(token, image).expect("the accessor was called for it");
        let object = Object::got_from(coarray, image);
        let source = Source { object: Some(&object), local: local.range() };
        let lengths = Lengths { element, characters: ptr::null() };
        // SAFETY: the contract of entries, and what the accessor has left.
        let got =
            unsafe { result::finish(place, own, to_free, lengths, coarray.instance, &source) };
        Outcome::new("get", stat).deliver(got);
    }
}

impl ScalarResult {
    /// Copies a scalar of `element` bytes that an accessor of a coarray without components has allocated to where the
    /// compiler wants it.
    #[cold]
    #[inline(never)]
    pub fn finish_plain(self, place: *mut *mut c_void, element: usize, stat: Option<&Cell<c_int>>) {
        let instance = crate::process::any_thread();
        let source = Source { object: None, local: 0..0 };
        let lengths = Lengths { element, characters: ptr::null() };
        // SAFETY: the contract of entries, and what the accessor has left.
        let got = unsafe { result::finish(place, self.own, true, lengths, instance, &source) };
        Outcome::new("get", stat).deliver(got);
    }

    /// Whether the accessor has allocated it.
    pub fn is_allocated(&self) -> bool {
        self.to_free
    }

    /// Frees what the accessor has allocated, which is at `made`.
    pub fn discard(self, made: *mut c_void) {
        if self.to_free {
            // SAFETY: the accessor has allocated it with `malloc`, and it is not used.
            unsafe { libc::free(made) };
        }
    }
}
