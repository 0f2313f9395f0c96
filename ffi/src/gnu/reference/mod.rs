//! By-reference transfers: coindexed objects that are reached through allocatable or pointer components, or assigned
//! to allocatable variables. (GNU-LIBCAF section 7)
//!
//! The compiler describes the object by a chain of steps from the coarray (`types`). The chain is followed here, on
//! the image that executes the statement (`walk`, `elements`); what is found is a section as any other, and transferred
//! like one.

mod element;
mod elements;
mod own;
pub mod result;
mod surplus;
mod types;
mod walk;

use super::component::copies::{self, Copies, may_have_components};
use super::token::{Token, TokenHandle, rank_of};
use super::transfer::{Resolved, Section, assign};
use crate::gfortran_abi::{DType, Descriptor, Outcome, set_ok};
use crate::process::{Instance, enter, instance};
use result::Former;
use std::cell::Cell;
use std::ffi::c_int;
use types::Reference;
use walk::{Found, follow};
use xmp_coarray::plan::copy_block;
use xmp_coarray::transfer::Place;
use xmp_core::{Error, Rank, Result, failure};

/// A coindexed object.
struct Coindexed {
    token: TokenHandle,
    image: c_int,
    refs: *const Reference,
    /// Type and kind of its elements.
    basic: c_int,
    kind: c_int,
}

impl Coindexed {
    /// Where it is; `None` when it is not allocated.
    ///
    /// # Safety
    /// The compiler made it.
    unsafe fn find(&self, instance: &Instance) -> Result<(Rank, Option<Found>)> {
        // SAFETY: the caller's guarantee.
        unsafe {
            let token = Token::of(self.token)?;
            let rank = rank_of(instance, self.image)?;
            // What a failed image has is lost.
            failure::check_failed(instance.image.job(), rank)?;
            Ok((rank, follow(instance, token, rank, self.refs)?))
        }
    }

    /// Gives what was got, byte by byte, components of its own.
    ///
    /// # Errors
    /// No memory.
    ///
    /// # Safety
    /// The compiler made the descriptor.
    unsafe fn separate(&self, instance: &Instance, got: &Descriptor) -> Result<()> {
        let rank = rank_of(instance, self.image)?;
        // SAFETY: the caller's guarantee.
        unsafe { copies::of_array(&instance.image, rank, got).map(Copies::leave) }
    }

    /// As one side of an assignment; characters of deferred length are as long as those of the other side.
    ///
    /// # Errors
    /// When it is not allocated.
    ///
    /// # Safety
    /// The compiler made it.
    unsafe fn resolve(&self, instance: &Instance, other: usize) -> Result<Resolved> {
        // SAFETY: the caller's guarantee.
        let (rank, found) = unsafe { self.find(instance)? };
        let Found { place, section, item_size, limits } = found.ok_or_else(|| {
            Error::Invalid(format!(
                "a component on {rank}, or what it is part of, is not allocated"
            ))
        })?;
        let elem_len = if item_size == 0 { other } else { item_size };
        let rank = section.rank() as i8;
        let dtype = DType { elem_len, version: 0, rank, basic: self.basic as i8, attribute: 0 };
        Ok(Resolved { place, section, dtype, kind: self.kind, limits })
    }
}

/// A local object as one side of an assignment.
///
/// # Safety
/// The compiler made the descriptor.
unsafe fn local(descriptor: &Descriptor, kind: c_int) -> Result<Resolved> {
    // SAFETY: the caller's guarantee.
    let section = unsafe { Section::decode(descriptor, std::ptr::null())? };
    let place = Place::Near(descriptor.base.cast());
    Ok(Resolved { place, section, dtype: descriptor.dtype, kind, limits: None })
}

/// `local = a[image]%..`; if `reallocatable`, `local` takes the shape of the object.
///
/// # Safety
/// The arguments are those that the compiler passes for such an expression.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_get_by_ref(
    token: TokenHandle,
    image: c_int,
    dst: *mut Descriptor,
    refs: *const Reference,
    dst_kind: c_int,
    src_kind: c_int,
    _may_require_tmp: bool,
    reallocatable: bool,
    stat: Option<&Cell<c_int>>,
    src_type: c_int,
) {
    let object = Coindexed { token, image, refs, basic: src_type, kind: src_kind };
    // SAFETY: the caller's guarantee; what was found has the length of the local scalar.
    unsafe {
        if !may_have_components(&(*dst).dtype)
            && let Some(from) = element::beside(&object, &*dst, dst_kind)
        {
            set_ok(stat);
            return copy_block((*dst).base.cast(), from, (*dst).dtype.elem_len);
        }
    }
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: the caller's guarantee.
        unsafe {
            let src = object.resolve(instance, (*dst).dtype.elem_len)?;
            let former = match reallocatable {
                true => Some(result::allocate(instance, dst, None, &src.section.shape())?),
                false => None,
            };
            let assigned = assign(instance, &local(&*dst, dst_kind)?, &src);
            former.into_iter().for_each(Former::release);
            assigned?;
            object.separate(instance, &*dst)
        }
    };
    Outcome::new("get", stat).deliver(attempt());
}

/// `a[image]%.. = local`. The object keeps its shape: that of an object of another image cannot change. One of this image that
/// is not allocated takes that of the source.
///
/// # Safety
/// The arguments are those that the compiler passes for such a statement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_send_by_ref(
    token: TokenHandle,
    image: c_int,
    src: *const Descriptor,
    refs: *const Reference,
    dst_kind: c_int,
    src_kind: c_int,
    _may_require_tmp: bool,
    _reallocatable: bool,
    stat: Option<&Cell<c_int>>,
    dst_type: c_int,
) {
    let object = Coindexed { token, image, refs, basic: dst_type, kind: dst_kind };
    // SAFETY: the caller's guarantee; what was found has the length of the local scalar.
    unsafe {
        if let Some(to) = element::beside(&object, &*src, src_kind) {
            set_ok(stat);
            return copy_block(to, (*src).base.cast(), (*src).dtype.elem_len);
        }
    }
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: the caller's guarantee.
        unsafe {
            let mut from = local(&*src, src_kind)?;
            object.allocate(instance, &(*src).dtype, &from.section.shape())?;
            let dst = object.resolve(instance, (*src).dtype.elem_len)?;
            surplus::drop_surplus(instance, refs, &dst, &mut from);
            assign(instance, &dst, &from)
        }
    };
    Outcome::new("put", stat).deliver(attempt());
}

/// `a[i]%.. = b[j]%..`.
///
/// # Safety
/// The arguments are those that the compiler passes for such a statement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sendget_by_ref(
    dst_token: TokenHandle,
    dst_image: c_int,
    dst_refs: *const Reference,
    src_token: TokenHandle,
    src_image: c_int,
    src_refs: *const Reference,
    dst_kind: c_int,
    src_kind: c_int,
    _may_require_tmp: bool,
    dst_stat: Option<&Cell<c_int>>,
    src_stat: Option<&Cell<c_int>>,
    dst_type: c_int,
    src_type: c_int,
) {
    let to = Coindexed {
        token: dst_token,
        image: dst_image,
        refs: dst_refs,
        basic: dst_type,
        kind: dst_kind,
    };
    let from = Coindexed {
        token: src_token,
        image: src_image,
        refs: src_refs,
        basic: src_type,
        kind: src_kind,
    };
    let operation = "put of a coindexed object";
    // SAFETY: the caller's guarantee, here and below.
    let attempt = || unsafe {
        let _entered = enter();
        from.resolve(instance(), 0)
    };
    let src = Outcome::new(operation, src_stat).deliver(attempt());
    let Some(src) = src else { return };
    let attempt = || -> Result<()> {
        let _entered = enter();
        let instance = instance();
        // SAFETY: as above.
        unsafe {
            let former = to.reshape(instance, &src.section.shape())?;
            let assigned = to
                .resolve(instance, src.dtype.elem_len)
                .and_then(|dst| assign(instance, &dst, &src));
            former.into_iter().for_each(Former::release);
            assigned
        }
    };
    Outcome::new(operation, dst_stat).deliver(attempt());
}

/// `allocated(a[image]%..)`, and `associated`.
///
/// # Safety
/// The arguments are those that the compiler passes for such an expression.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_is_present(
    token: TokenHandle,
    image: c_int,
    refs: *const Reference,
) -> c_int {
    let object = Coindexed { token, image, refs, basic: 0, kind: 0 };
    let _entered = enter();
    // SAFETY: the caller's guarantee.
    let found = unsafe { object.find(instance()) };
    let found = Outcome::new("allocated", None).deliver(found);
    c_int::from(found.is_some_and(|(_, found)| found.is_some()))
}
