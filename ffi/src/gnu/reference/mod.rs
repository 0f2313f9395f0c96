//! By-reference transfers: coindexed objects that are reached through allocatable or pointer components, or assigned
//! to allocatable variables. (GNU-LIBCAF section 7)
//!
//! The compiler describes the object by a chain of steps from the coarray (`types`). The chain is followed here, on
//! the image that executes the statement (`walk`, `elements`); what is found is a section as any other, and transferred
//! like one.

mod coindexed;
mod element;
mod elements;
mod links;
mod own;
mod piece;
pub mod result;
mod surplus;
mod types;
mod walk;

use super::component::copies::may_have_components;
use super::token::Token;
use super::transfer::{Resolved, Section, assign};
use crate::arch::word_entries;
use crate::entry::{Slot, entries};
use crate::gfortran_abi::{Descriptor, Outcome, set_ok};
use crate::process::{current, enter, instance};
use coindexed::Coindexed;
use result::Former;
use std::cell::Cell;
use std::ffi::c_int;
use types::Reference;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::transfer::{self, MemoryRef};
use xmp_core::{Error, Result};

/// A local object as one side of an assignment.
fn local(descriptor: &Descriptor, kind: c_int) -> Result<Resolved> {
    let section = Section::of(descriptor)?;
    let place = MemoryRef::Local(descriptor.base.cast());
    Ok(Resolved { place, section, dtype: descriptor.dtype, kind, limits: None })
}

/// The arguments of a get or a put from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
struct More<'a> {
    may_require_tmp: Slot<bool>,
    reallocatable: Slot<bool>,
    stat: Option<&'a Cell<c_int>>,
    /// Type of the coindexed object.
    basic: Slot<c_int>,
}

word_entries! {
    /// `local = a[image]%..`; if `reallocatable`, `local` takes the shape of the object.
    fn _gfortran_caf_get_by_ref(
        token: Option<&Token>,
        image: c_int,
        dst: &mut Descriptor,
        refs: Option<&Reference<'_>>,
        dst_kind: c_int,
        src_kind: c_int;
        more: More<'_> as [usize; 4],
    ) {
        let object = Coindexed { token, image, refs, basic: more.basic.0, kind: src_kind };
        if !may_have_components(&dst.dtype)
            && let Some(from) = element::beside(&object, dst, dst_kind)
        {
            set_ok(more.stat);
            // SAFETY: what was found has the length of the local scalar.
            return unsafe { copy_block(dst.base.cast(), from, dst.dtype.elem_len) };
        }
    } otherwise get;

    /// `a[image]%.. = local`. The object keeps its shape: that of an object of another image cannot change. One of this
    /// image that is not allocated takes that of the source.
    fn _gfortran_caf_send_by_ref(
        token: Option<&Token>,
        image: c_int,
        src: &Descriptor,
        refs: Option<&Reference<'_>>,
        dst_kind: c_int,
        src_kind: c_int;
        more: More<'_> as [usize; 4],
    ) {
        let object = Coindexed { token, image, refs, basic: more.basic.0, kind: dst_kind };
        if let Some(to) = element::beside(&object, src, src_kind) {
            set_ok(more.stat);
            // SAFETY: what was found has the length of the local scalar.
            return unsafe { copy_block(to, src.base.cast(), src.dtype.elem_len) };
        }
    } otherwise put;
}

entries! {
    /// `a[i]%.. = b[j]%..`.
    fn _gfortran_caf_sendget_by_ref(
        dst_token: Option<&Token>,
        dst_image: c_int,
        dst_refs: Option<&Reference<'_>>,
        src_token: Option<&Token>,
        src_image: c_int,
        src_refs: Option<&Reference<'_>>,
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
        let operation = "copy";
        let find = || {
            let _entered = enter();
            from.resolve(instance(), 0)
        };
        let name = |error: &Error| from.named("copy of", error);
        if let Some(src) = Outcome::new(operation, src_stat).deliver_named(find(), name) {
            let name = |error: &Error| to.named("copy to", error);
            Outcome::new(operation, dst_stat).deliver_named(copy(&to, &src), name);
        }
    }

    /// `allocated(a[image]%..)`, and `associated`.
    fn _gfortran_caf_is_present(
        token: Option<&Token>,
        image: c_int,
        refs: Option<&Reference<'_>>,
    ) -> c_int {
        let object = Coindexed { token, image, refs, basic: 0, kind: 0 };
        let _entered = enter();
        let (_, found) = Outcome::value("allocated", object.find(instance()));
        found.is_some().into()
    }
}

/// A get that is not of one element; the arguments of `_gfortran_caf_get_by_ref`.
#[inline(never)]
fn get(
    token: Option<&Token>,
    image: c_int,
    dst: &mut Descriptor,
    refs: Option<&Reference<'_>>,
    dst_kind: c_int,
    src_kind: c_int,
    more: &More<'_>,
) {
    let object = Coindexed { token, image, refs, basic: more.basic.0, kind: src_kind };
    if !may_have_components(&dst.dtype)
        && let Some(from) = piece::beside(&object, dst, dst_kind)
    {
        set_ok(more.stat);
        // SAFETY: what was found has the length of the local object.
        return unsafe { copy_block(dst.base.cast(), from.start, from.len) };
    }
    if get_element(&object, dst, dst_kind) {
        return set_ok(more.stat);
    }
    let got = get_any(&object, dst, dst_kind, more.reallocatable.0);
    let name = |error: &Error| object.named("get from", error);
    Outcome::new("get", more.stat).deliver_named(got, name);
}

/// A put that is not to one element; the arguments of `_gfortran_caf_send_by_ref`.
#[inline(never)]
fn put(
    token: Option<&Token>,
    image: c_int,
    src: &Descriptor,
    refs: Option<&Reference<'_>>,
    dst_kind: c_int,
    src_kind: c_int,
    more: &More<'_>,
) {
    let object = Coindexed { token, image, refs, basic: more.basic.0, kind: dst_kind };
    if let Some(to) = piece::beside(&object, src, src_kind) {
        set_ok(more.stat);
        // SAFETY: what was found has the length of the local object.
        return unsafe { copy_block(to.start, src.base.cast(), to.len) };
    }
    if put_element(&object, src, src_kind) {
        return set_ok(more.stat);
    }
    let name = |error: &Error| object.named("put to", error);
    Outcome::new("put", more.stat).deliver_named(put_any(&object, src, src_kind), name);
}

/// Whether the images share a host, or none has begun.
fn is_on_one_host() -> bool {
    current().is_none_or(|instance| instance.image.one_host())
}

/// Gets an element of an image of another host. Returns false if [`get_any`] has to, or has to report an error.
fn get_element(object: &Coindexed<'_>, dst: &Descriptor, dst_kind: c_int) -> bool {
    if is_on_one_host() || may_have_components(&dst.dtype) {
        return false;
    }
    let entered = enter();
    let found = element::elsewhere(&entered, object, dst, dst_kind);
    // SAFETY: the element has the length of the local scalar, and no other image defines it now (Fortran's segment rules).
    found.is_some_and(|from| unsafe {
        transfer::get(&entered.image, from, dst.base.cast(), dst.dtype.elem_len).is_ok()
    })
}

/// Puts an element to an image of another host. Returns false if [`put_any`] has to, or has to report an error.
fn put_element(object: &Coindexed<'_>, src: &Descriptor, src_kind: c_int) -> bool {
    if is_on_one_host() {
        return false;
    }
    let entered = enter();
    let found = element::elsewhere(&entered, object, src, src_kind);
    // SAFETY: the element has the length of the local scalar, and no other image accesses it now (Fortran's segment rules).
    found.is_some_and(|to| unsafe {
        transfer::put(&entered.image, to, src.base.cast(), src.dtype.elem_len).is_ok()
    })
}

/// Any get.
fn get_any(
    object: &Coindexed<'_>,
    dst: &mut Descriptor,
    dst_kind: c_int,
    reallocatable: bool,
) -> Result<()> {
    let _entered = enter();
    let instance = instance();
    let src = object.resolve(instance, dst.dtype.elem_len)?;
    object.check_length(&src, dst.dtype.elem_len)?;
    let mut former = None;
    if reallocatable {
        // SAFETY: the contract of entries: an allocatable variable.
        former = Some(unsafe { result::allocate(instance, dst, None, &src.section.shape())? });
    }
    let assigned = local(dst, dst_kind).and_then(|dst| assign(instance, &dst, &src));
    former.into_iter().for_each(Former::release);
    assigned?;
    object.separate(instance, dst)
}

/// Any put.
fn put_any(object: &Coindexed<'_>, src: &Descriptor, src_kind: c_int) -> Result<()> {
    let _entered = enter();
    let instance = instance();
    let mut from = local(src, src_kind)?;
    object.allocate(instance, &src.dtype, &from.section.shape())?;
    let dst = object.resolve(instance, src.dtype.elem_len)?;
    surplus::drop_surplus(instance, object.refs, &dst, &mut from);
    assign(instance, &dst, &from)
}

/// Any copy of a coindexed object that was found.
fn copy(to: &Coindexed<'_>, src: &Resolved) -> Result<()> {
    let _entered = enter();
    let instance = instance();
    let former = to.reshape(instance, &src.section.shape())?;
    let dst = to.resolve(instance, src.dtype.elem_len);
    let assigned = dst.and_then(|dst| assign(instance, &dst, src));
    former.into_iter().for_each(Former::release);
    assigned
}
