//! A coarray on an image of this host, as accessors are called with it. The segment of the image is at the same address
//! in all processes of the host. All of this is inlined, because every transfer executes it.

use super::guard;
use crate::gfortran_abi::{Descriptor, FullDescriptor};
use crate::gnu::token::{Access, Token};
use crate::process::Instance;
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};
use xmp_core::threads::Alone;

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
pub struct Seen<'a> {
    /// What it is called with.
    pub object: *mut c_void,
    shown: Shown<'a>,
    follows: bool,
}

/// How an accessor sees this image's descriptor.
enum Shown<'a> {
    /// Not at all: it is called with the object's address.
    Nothing,
    /// With the object's address in place of the one that is `own`.
    Changed { descriptor: *mut Descriptor, own: *mut c_void, _alone: Alone<'a> },
    /// As a copy.
    Copy { _copy: Box<FullDescriptor> },
}

/// The address in a descriptor that the first thread of the program may be changing.
///
/// # Safety
/// The descriptor is valid, and only the program and [`LocalCoarray`] change it.
#[inline(always)]
unsafe fn base_of<'a>(descriptor: *const Descriptor) -> &'a AtomicPtr<c_void> {
    // SAFETY: aligned and valid as the descriptor is. Threads of this library access it by this function only.
    unsafe { AtomicPtr::from_ptr((&raw const (*descriptor).base).cast_mut()) }
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

    /// Whether this image's descriptor, or null, is that of all of the coarray. Another thread may get a wrong answer
    /// while the first one changes it; [`LocalCoarray::begin_whole`] then makes a copy.
    #[inline(always)]
    pub fn is_whole(&self, descriptor: *const Descriptor) -> bool {
        if descriptor.is_null() {
            return true;
        }
        // Relaxed: a hint.
        // SAFETY: the contract of entries: this image's descriptor of the coarray or a part of it.
        let own = unsafe { base_of(descriptor) }.load(Ordering::Relaxed);
        own.addr() == self.token.block.local(&self.instance.image).addr()
    }

    /// As [`LocalCoarray::begin`], for a descriptor that [is whole](LocalCoarray::is_whole).
    #[inline(always)]
    pub fn begin_whole(&self, follows: bool, puts: bool, descriptor: *mut Descriptor) -> Seen<'a> {
        self.begin_at(follows, puts, descriptor, |_| self.start().cast())
    }

    /// Before an accessor is called, which puts or only gets: what it wants to see. That is the object's address; or,
    /// if this image's descriptor of the coarray is given, that descriptor with the object's address in it. `follows`
    /// says whether it may follow pointers ([`LocalCoarray::follows`]); [`LocalCoarray::wait`] comes before it, and
    /// [`LocalCoarray::end`] after it.
    #[inline(always)]
    pub fn begin(&self, follows: bool, puts: bool, descriptor: *mut Descriptor) -> Seen<'a> {
        self.begin_at(follows, puts, descriptor, |own| self.place_of(own))
    }

    /// `place`: where the object is whose address on this image is given.
    #[inline(always)]
    fn begin_at(
        &self,
        follows: bool,
        puts: bool,
        descriptor: *mut Descriptor,
        place: impl FnOnce(*mut c_void) -> *mut c_void,
    ) -> Seen<'a> {
        if follows {
            guard::begin(self.segment, puts);
        }
        if descriptor.is_null() {
            return Seen { object: self.start().cast(), shown: Shown::Nothing, follows };
        }
        let Some(alone) = self.instance.image.threads().enter_alone() else {
            let mut copy = self.copy_of(descriptor);
            let object = copy.exposed().cast();
            return Seen { object, shown: Shown::Copy { _copy: copy }, follows };
        };
        // Relaxed, both: other threads copy it after this one is outside, which `Alone` orders.
        // SAFETY: the contract of entries: this image's descriptor of the coarray or a part of it. It is the program's,
        // and as it was after the call.
        let base = unsafe { base_of(descriptor) };
        let own = base.load(Ordering::Relaxed);
        base.store(place(own), Ordering::Relaxed);
        let shown = Shown::Changed { descriptor, own, _alone: alone };
        Seen { object: descriptor.cast(), shown, follows }
    }

    /// The accessor has returned.
    #[inline(always)]
    pub fn end(seen: Seen<'a>) {
        if let Shown::Changed { descriptor, own, _alone } = seen.shown {
            // SAFETY: `begin` has changed this descriptor.
            unsafe { base_of(descriptor) }.store(own, Ordering::Relaxed);
        }
        if seen.follows {
            guard::end();
        }
    }

    /// A copy of the program's descriptor, with the object's address, where other threads of the program may use it.
    /// Accessors use its rank's dimensions, and not the cobounds behind these. (By value: a reference would have the
    /// coarray stored for every transfer.)
    #[cold]
    #[inline(never)]
    fn copy_of(self, descriptor: *const Descriptor) -> Box<FullDescriptor> {
        self.instance.image.threads().end_alone();
        // SAFETY: the descriptor is this image's, of the coarray or a part of it. No thread changes it any more.
        let mut copy = unsafe { FullDescriptor::of(&*descriptor) };
        copy.header.base = self.place_of(copy.header.base);
        Box::new(copy)
    }

    /// Where the object is whose address on this image is `own`.
    #[inline(always)]
    fn place_of(&self, own: *mut c_void) -> *mut c_void {
        self.start().wrapping_add(self.distance(own)).cast()
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
