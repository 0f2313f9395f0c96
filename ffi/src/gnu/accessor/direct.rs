//! The common case, in few steps: the other side is one number or one array, of no characters, the image is one of this host
//! and of the current team, and no image has ended. What is said here about the object is the same as in [`super::object`];
//! whatever is not of this kind has not been touched, and is left to the general way.

use super::object::{Object, Use};
use super::selector::Selector;
use super::table;
use super::{NO_OFFSET, given};
use crate::gnu::token::{Role, Token};
use crate::gnu::types::Descriptor;
use crate::process::{Instance, current};
use std::ffi::{c_int, c_void};
use std::ptr;
use xmp_core::{Rank, failure};

/// A coarray on an image of this host, where nothing has to be looked at more closely.
#[derive(Clone, Copy)]
pub struct Direct {
    instance: &'static Instance,
    token: &'static Token,
    rank: Rank,
    start: *mut u8,
}

/// An accessor's number and what it is given, as the compiler passes them.
#[derive(Clone, Copy)]
pub struct Accessor {
    /// Its number.
    pub number: c_int,
    /// The values of the statement.
    pub values: *mut c_void,
    /// The image index.
    pub image: c_int,
}

impl Direct {
    /// The coarray on the image that the selector means; `None` if the general way has to find it, or what is wrong.
    ///
    /// # Safety
    /// The compiler made the selector, and the token is a coarray's. It is not used when the statement has ended.
    #[inline(always)]
    pub unsafe fn find(selector: &Selector) -> Option<Direct> {
        if !selector.team.is_null() || !selector.team_number.is_null() {
            return None;
        }
        let instance = current()?;
        // SAFETY: the caller's guarantee: null or a token.
        let token = unsafe { selector.token.cast::<Token>().as_ref() }?;
        let rank = instance.image.stack().rank_of_index(selector.image)?;
        if token.role == Role::Dead || !failure::all_running(instance.image.job()) {
            return None;
        }
        let start = instance.image.near(rank, token.block.offset)?;
        Some(Direct { instance, token, rank, start })
    }

    #[inline(always)]
    fn object(&self, purpose: Use) -> Object<'static> {
        Object::near(self.instance, self.token, self.rank, self.start, purpose)
    }

    /// Whether an address is in the segment of the image.
    #[inline(always)]
    fn has(&self, address: *const c_void) -> bool {
        let segment = self.start.addr().wrapping_sub(self.token.block.offset as usize);
        let stride = self.instance.image.job().geometry().stride;
        (address.addr().wrapping_sub(segment) as u64) < stride
    }

    /// Gets a scalar without characters: as [`super::result::scalar`], which has to end what this returns: the object, and
    /// whether the scalar is to be freed. `Ok` when there is nothing left to do; `None` when nothing has been done.
    ///
    /// # Safety
    /// The arguments are those of such a get.
    #[inline(always)]
    pub unsafe fn get(
        &self,
        accessor: Accessor,
        place: *mut *mut c_void,
        descriptor: *mut Descriptor,
    ) -> Option<Result<(), (Object<'static>, *mut c_void, bool)>> {
        let getter = table::getter(self.instance, accessor.number).ok()?;
        let mut to_free = 0;
        // SAFETY: the caller's guarantee.
        unsafe {
            let own = *place;
            self.object(Use::Get).with(descriptor, |object| {
                getter(
                    accessor.values,
                    &accessor.image,
                    place.cast(),
                    &mut to_free,
                    object,
                    given::token_of(&accessor.values),
                    NO_OFFSET,
                    ptr::null_mut(),
                    ptr::null(),
                );
            });
            let made = *place;
            if made == own || to_free == 0 && self.has(made) {
                return Some(Ok(()));
            }
            Some(Err((self.object(Use::Get), own, to_free != 0)))
        }
    }

    /// Puts a scalar, or the array of a descriptor that is no part of the same image's coarrays, without characters. False
    /// when nothing has been done.
    ///
    /// # Safety
    /// The arguments are those of such a put.
    #[inline(always)]
    pub unsafe fn put(
        &self,
        accessor: Accessor,
        descriptor: *mut Descriptor,
        scalar: *const c_void,
        array: *const Descriptor,
    ) -> bool {
        let Ok(putter) = table::putter(self.instance, accessor.number) else { return false };
        // SAFETY: the caller's guarantee.
        let source = match unsafe { array.as_ref() } {
            None => scalar,
            Some(source) if self.has(source.base) => return false,
            Some(_) => array.cast(),
        };
        // SAFETY: the caller's guarantee.
        unsafe {
            self.object(Use::Put).with(descriptor, |object| {
                let token = given::token_of(&accessor.values);
                let (none, image) = (ptr::null(), &accessor.image);
                putter(accessor.values, image, object, source, token, NO_OFFSET, none, none);
            });
        }
        true
    }
}
