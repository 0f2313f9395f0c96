//! A coarray on an image of this host, as accessors are called with it. The segment of the image is at the same address
//! in all processes of the host. All of this is inlined, because every transfer executes it.

use super::guard;
use crate::gfortran_abi::{Descriptor, StackDescriptor};
use crate::gnu::token::{Access, Token};
use crate::process::{Instance, created};
use std::ffi::{c_int, c_void};

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

/// The instance that a token was registered with.
#[inline(always)]
fn instance_of(_: &Token) -> &'static Instance {
    // SAFETY: registration of a token creates the instance, which lives as long as the process.
    unsafe { created().unwrap_unchecked() }
}

impl LocalCoarray<'static> {
    /// The coarray of a token on an image of this host, in any current team.
    #[inline(always)]
    pub fn on(token: &'static Token, image: c_int) -> Option<LocalCoarray<'static>> {
        LocalCoarray::on_formula(token, image).or_else(|| {
            let instance = instance_of(token);
            let segment = segment_of(instance, image)?;
            Some(LocalCoarray { instance, token, segment })
        })
    }

    /// The same in a team that is a formula, on one host.
    #[inline(always)]
    pub fn on_formula(token: &'static Token, image: c_int) -> Option<LocalCoarray<'static>> {
        let instance = instance_of(token);
        let segment = instance.image.stack().segment_of_index(image)?;
        Some(LocalCoarray { instance, token, segment })
    }
}

impl LocalCoarray<'_> {
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

    /// Before an accessor is called, which puts or only gets. Returns what it wants to see. That is the object's address;
    /// or, if this image's descriptor of the coarray is given, a copy of that descriptor in `room` with the object's
    /// address. `follows` says whether it may follow pointers ([`LocalCoarray::follows`]); [`LocalCoarray::wait`] comes
    /// before it, and [`LocalCoarray::end`] after it.
    ///
    /// The descriptor itself stays as it is: other threads of the program may access the local array by it, and so may a pure
    /// function in a subscript, which the accessor calls. Accessors use its rank's dimensions, and not the cobounds after these.
    #[inline(always)]
    pub fn begin(
        &self,
        follows: bool,
        puts: bool,
        descriptor: *const Descriptor,
        room: &mut StackDescriptor,
    ) -> *mut c_void {
        if follows {
            guard::begin(self.segment, puts);
        }
        // SAFETY: the contract of entries: null, or this image's descriptor of the coarray or a part of it.
        let Some(own) = (unsafe { descriptor.as_ref() }) else { return self.start().cast() };
        let object = self.start().wrapping_add(self.distance(own.base));
        room.copy(own, object.cast()).cast()
    }

    /// The accessor has returned; `follows` as before it.
    #[inline(always)]
    pub fn end(follows: bool) {
        if follows {
            guard::end();
        }
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

/// The segment of an image of this host, in a team that is no formula or where there are several hosts.
#[inline(never)]
fn segment_of(instance: &Instance, image: c_int) -> Option<*mut u8> {
    instance.image.local_address(instance.image.stack().rank_of_index(image)?, 0)
}
