//! A coarray on an image of this host, as accessors are called with it. The segment of the image is at the same address
//! in all processes of the host. All of this is inlined, because every transfer executes it.

use super::guard;
use crate::gfortran_abi::{Descriptor, FullDescriptor};
use crate::gnu::token::{Access, Token};
use crate::process::Instance;
use std::ffi::c_void;
use std::ptr;

/// The coarray on the image.
#[derive(Clone, Copy)]
pub struct LocalCoarray<'a> {
    /// This process.
    pub instance: &'a Instance,
    /// The coarray.
    pub token: &'a Token,
    /// Where the segment of the image begins.
    pub segment: *mut u8,
}

/// What an accessor sees of the coarray.
pub struct Seen {
    /// What it is called with.
    pub object: *mut c_void,
    descriptor: *mut Descriptor,
    /// The address that was in the descriptor; without one that of a copy, or null.
    own: *mut c_void,
    follows: bool,
}

impl<'a> LocalCoarray<'a> {
    /// Its first byte.
    #[inline(always)]
    pub fn start(&self) -> *mut u8 {
        self.segment.wrapping_add(self.token.block.offset as usize)
    }

    /// Whether an address is in the segment of the image.
    #[inline(always)]
    pub fn has(&self, address: *const c_void) -> bool {
        let stride = self.instance.image.job().geometry().stride;
        (address.addr().wrapping_sub(self.segment.addr()) as u64) < stride
    }

    /// Waits until no other thread calls an accessor that follows pointers, if there can be one: another thread of the
    /// program, or, where there are several hosts, that of the server. [`LocalCoarray::begin`] must come next.
    #[inline(always)]
    pub fn wait(&self) {
        let is_alone =
            self.token.access == Access::Following && !self.instance.image.threads().is_shared();
        if self.follows() && !is_alone {
            guard::wait_for_windows(self.segment);
        }
    }

    /// Whether this image's descriptor, or null, is that of all of the coarray, and no other thread uses it.
    #[inline(always)]
    pub fn is_whole(&self, descriptor: *const Descriptor) -> bool {
        if descriptor.is_null() {
            return true;
        }
        // SAFETY: the contract of entries: this image's descriptor of the coarray or a part of it.
        let own = unsafe { (*descriptor).base };
        !self.instance.image.threads().is_shared()
            && own.addr() == self.token.block.local(&self.instance.image).addr()
    }

    /// As [`LocalCoarray::begin`], for a descriptor that [is whole](LocalCoarray::is_whole).
    #[inline(always)]
    pub fn begin_whole(&self, follows: bool, puts: bool, descriptor: *mut Descriptor) -> Seen {
        if follows {
            guard::begin(self.segment, puts);
        }
        let object = self.start().cast();
        if descriptor.is_null() {
            return Seen { object, own: ptr::null_mut(), descriptor, follows };
        }
        // SAFETY: as in `begin`.
        let own = unsafe { std::mem::replace(&mut (*descriptor).base, object) };
        Seen { object: descriptor.cast(), own, descriptor, follows }
    }

    /// Before an accessor is called, which puts or only gets: what it wants to see. That is the object's address; or,
    /// if this image's descriptor of the coarray is given, that descriptor with the object's address in it. `follows`
    /// says whether it may follow pointers ([`LocalCoarray::follows`]); [`LocalCoarray::wait`] comes before it, and
    /// [`LocalCoarray::end`] after it.
    #[inline(always)]
    pub fn begin(&self, follows: bool, puts: bool, descriptor: *mut Descriptor) -> Seen {
        if follows {
            guard::begin(self.segment, puts);
        }
        if descriptor.is_null() {
            return Seen { object: self.start().cast(), own: ptr::null_mut(), descriptor, follows };
        }
        if self.instance.image.threads().is_shared() {
            // Other threads of the program may use the descriptor.
            let copy = self.copy_of(descriptor);
            return Seen {
                object: copy.cast(),
                own: copy.cast(),
                descriptor: ptr::null_mut(),
                follows,
            };
        }
        // SAFETY: the contract of entries: this image's descriptor of the coarray or a part of it. It is the program's,
        // and as it was after the call; a copy would have to be as long as its rank and corank say, and the corank is
        // not in it.
        unsafe {
            let own = (*descriptor).base;
            (*descriptor).base = self.start().wrapping_add(self.distance(own)).cast();
            Seen { object: descriptor.cast(), own, descriptor, follows }
        }
    }

    /// The accessor has returned.
    #[inline(always)]
    pub fn end(seen: Seen) {
        if !seen.descriptor.is_null() {
            // SAFETY: `begin` has returned this: the descriptor is this image's.
            unsafe { (*seen.descriptor).base = seen.own };
        } else if !seen.own.is_null() {
            // SAFETY: a box of `copy_of`, which the accessor does not use any more.
            drop(unsafe { Box::from_raw(seen.own.cast::<FullDescriptor>()) });
        }
        if seen.follows {
            guard::end();
        }
    }

    /// A copy of the program's descriptor, with the object's address. Accessors use its rank's dimensions, and not the
    /// cobounds behind these. (By value: a reference would have the coarray stored for every transfer.)
    #[cold]
    #[inline(never)]
    fn copy_of(self, descriptor: *const Descriptor) -> *mut FullDescriptor {
        // SAFETY: the descriptor is this image's, of the coarray or a part of it.
        let mut copy = unsafe { FullDescriptor::of(&*descriptor) };
        let place = self.start().wrapping_add(self.distance(copy.header.base));
        copy.header.base = place.cast();
        Box::into_raw(Box::new(copy))
    }

    /// Whether an accessor may follow pointers which mean something in the other process only.
    #[inline(always)]
    pub fn follows(&self) -> bool {
        matches!(self.token.access, Access::Following | Access::Awaiting) && self.is_others()
    }

    #[inline(always)]
    fn is_others(&self) -> bool {
        self.segment != self.instance.image.own_segment()
    }

    /// Where in the coarray something of this image's starts that is a part of it: a dummy argument may start anywhere.
    #[inline(always)]
    pub fn distance(&self, own: *mut c_void) -> usize {
        let local = self.token.block.local(&self.instance.image);
        let distance = own.addr().wrapping_sub(local.addr());
        if distance as u64 <= self.token.block.size { distance } else { 0 }
    }
}
