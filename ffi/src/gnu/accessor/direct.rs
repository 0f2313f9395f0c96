//! The common case, in few steps: no characters, no team, an image of this host and of the current team, and no image has
//! ended. What is said here about the object is the same as in [`super::object`]; whatever is not of this kind has not been
//! touched, and is left to the general way.

use super::near::Near;
use super::object::{Object, Use};
use super::result::{self, Lengths, Source};
use super::{NO_OFFSET, given, table};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::status::Outcome;
use crate::gnu::token::{Role, TokenHandle, known};
use crate::gnu::types::Descriptor;
use crate::process::Instance;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr;
use xmp_core::failure;

/// An accessor and the object that it is to be called for, where nothing has to be looked at more closely.
#[derive(Clone, Copy)]
pub struct Direct {
    near: Near<'static>,
    accessor: table::Accessor,
}

/// What the compiler passes for the accessor.
#[derive(Clone, Copy)]
pub struct Given {
    /// The values of the statement.
    pub values: *mut c_void,
    /// The image index.
    pub image: c_int,
    /// This image's descriptor of the object, or null.
    pub descriptor: *mut Descriptor,
}

/// What is left to do of a get.
pub enum Got {
    /// Nothing.
    All,
    /// [`Direct::finish`].
    Elsewhere {
        /// The variable that the compiler has made.
        own: *mut c_void,
        /// Whether what the accessor has left is to be freed.
        to_free: bool,
    },
}

/// What an accessor is given of this process's memory besides: start and bytes.
#[derive(Clone, Copy)]
pub struct Local(pub *const c_void, pub usize);

impl Local {
    /// Its addresses.
    pub fn range(self) -> Range<usize> {
        self.0.addr()..self.0.addr().saturating_add(self.1)
    }
}

// What is passed to the parts that are no part of their callers goes by value: a reference would have it all stored
// for every transfer.
impl Direct {
    /// The accessor with this number for the coarray on this image of the current team; `None` if the general way has to find
    /// it, or what is wrong.
    ///
    /// # Safety
    /// The compiler made the arguments. It is not used when the statement has ended.
    #[inline(always)]
    pub unsafe fn find(token: TokenHandle, image: c_int, accessor: c_int) -> Option<Direct> {
        if given::is_token(token) {
            return None;
        }
        // SAFETY: the caller's guarantee: null or a token.
        let (instance, token) = unsafe { known(token)? };
        let segment = match instance.image.stack().segment_of_index(image) {
            Some(segment) => segment,
            None => segment_of(instance, image)?,
        };
        if token.role == Role::Dead || !failure::all_running(instance.image.job()) {
            return None;
        }
        let accessor = table::find(instance, accessor)?;
        Some(Direct { near: Near { instance, token, segment }, accessor })
    }

    /// Gets a scalar of `size` bytes, without characters: as [`super::result::scalar`].
    ///
    /// # Safety
    /// The arguments are those of such a get.
    #[inline(always)]
    pub unsafe fn get(&self, given: Given, place: *mut *mut c_void, size: usize) -> Got {
        let mut to_free = 0;
        // SAFETY: the caller's guarantee.
        unsafe {
            let own = *place;
            self.call_getter(given, place.cast(), &mut to_free);
            let made = *place;
            // It stays where it is. (What has components is longer than an address of one.)
            let may_have_components =
                size > size_of::<usize>() && may_have_components(&self.near.token.dtype);
            if made == own || to_free == 0 && self.near.has(made) && !may_have_components {
                return Got::All;
            }
            Got::Elsewhere { own, to_free: to_free != 0 }
        }
    }

    /// Ends the get of a scalar of so many bytes. `local` is what the accessor was given of this process's.
    ///
    /// # Safety
    /// As [`Direct::get`], which left it so; `stat` is null or valid.
    #[cold]
    #[inline(never)]
    pub unsafe fn finish(
        self,
        given: Given,
        place: *mut *mut c_void,
        (own, to_free): (*mut c_void, bool),
        element: usize,
        local: Local,
        stat: *mut c_int,
    ) {
        let object = self.object(given.image);
        let local = local.range();
        let source = Source { object: Some(&object), local };
        let lengths = Lengths { element, characters: ptr::null() };
        // SAFETY: the caller's guarantee.
        unsafe {
            let image = &self.near.instance.image;
            let got = result::finish(place, own, to_free, lengths, image, &source);
            Outcome::new("get", stat).deliver(got);
        }
    }

    /// Gets an array: as [`super::result::array`].
    ///
    /// # Safety
    /// The arguments are those of such a get.
    #[inline(never)]
    pub unsafe fn get_array(
        self,
        given: Given,
        dst: &mut Descriptor,
        may_reallocate: bool,
        local: Local,
        stat: *mut c_int,
    ) {
        let object = self.object(given.image);
        let local = local.range();
        let source = Source { object: Some(&object), local };
        // SAFETY: the caller's guarantee.
        unsafe {
            let get = |buffer| {
                let mut to_free = 0;
                self.call_getter(given, buffer, &mut to_free);
                to_free != 0
            };
            let got = result::array(self.near.instance, dst, may_reallocate, &source, get);
            Outcome::new("get", stat).deliver(got);
        }
    }

    /// # Safety
    /// The arguments are those of a get, and `buffer` is what the accessor expects.
    #[inline(always)]
    unsafe fn call_getter(&self, given: Given, buffer: *mut c_void, to_free: &mut i32) {
        let Given { values, image, descriptor } = given;
        let (none, no_length) = (ptr::null_mut(), ptr::null());
        // SAFETY: the caller's guarantee.
        unsafe {
            let getter = table::as_getter(self.accessor);
            let (seen, token) = (self.near.begin(false, descriptor), given::token_of(&values));
            getter(values, &image, buffer, to_free, seen.object, token, NO_OFFSET, none, no_length);
            Near::end(seen);
        }
    }

    /// Whether the array is part of the image that it is to be put to: the sides may overlap.
    ///
    /// # Safety
    /// The compiler made it.
    #[inline(always)]
    pub unsafe fn may_overlap(&self, source: *const Descriptor) -> bool {
        // SAFETY: the caller's guarantee.
        unsafe { source.as_ref() }.is_some_and(|array| self.near.has(array.base))
    }

    /// Puts a scalar, or the array of a descriptor that does not overlap, without characters.
    ///
    /// # Safety
    /// The arguments are those of such a put.
    #[inline(always)]
    pub unsafe fn put(&self, given: Given, source: *const c_void) {
        let Given { values, image, descriptor } = given;
        // SAFETY: the caller's guarantee.
        unsafe {
            let putter = table::as_putter(self.accessor);
            let (seen, token) = (self.near.begin(true, descriptor), given::token_of(&values));
            putter(values, &image, seen.object, source, token, NO_OFFSET, ptr::null(), ptr::null());
            Near::end(seen);
        }
    }

    /// The object on the image with this index, for which it was found.
    fn object(&self, image: c_int) -> Object<'static> {
        let Near { instance, token, .. } = self.near;
        let rank = instance.image.stack().rank_of_index(image).expect("it has a segment");
        Object::near(instance, token, rank, self.near.start(), Use::Get)
    }
}

/// The segment of an image of this host, in a team that is no formula or where there are several hosts.
#[inline(never)]
fn segment_of(instance: &Instance, image: c_int) -> Option<*mut u8> {
    instance.image.near(instance.image.stack().rank_of_index(image)?, 0)
}
