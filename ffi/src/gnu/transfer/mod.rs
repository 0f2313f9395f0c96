//! Coindexed assignment and reference for gfortran 12 to 14. (GNU-LIBCAF section 7)
//!
//! Scalars of equal type take a path of their own, first in each entry: a store or load after the checks.
//! Everything else (`side`) becomes a plan of two sections (`section`) and, if the types differ, a
//! conversion (`element`).
//!
//! The scalar path is counted in instructions. Arguments from the seventh on lie in memory, in slots of eight
//! bytes each, and that is just how a structure of more than 16 bytes is passed by value (System V ABI,
//! 3.2.3). Declared as one ([`MoreOfSend`], [`MoreOfGet`]) they stay where they are until they are needed,
//! instead of being loaded into registers that would have to be saved first.

mod assign;
mod element;
mod section;
mod side;

pub use assign::{Limits, Resolved, assign};
pub use section::{Section, count, offsets, too_large};
pub use side::block_of_both;

use super::component::copies::may_have_components;
use super::token::{TokenHandle, near_coindexed, nobody_has_ended};
use super::types::{DType, Descriptor, Subscript, TeamHandle};
use side::{general_get, general_send, general_sendget};
use std::ffi::c_int;
use xmp_coarray::plan::copy_block;

/// The arguments of a put from the seventh on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MoreOfSend {
    dst_kind: Slot<c_int>,
    src_kind: Slot<c_int>,
    may_require_tmp: Slot<bool>,
    stat: *mut c_int,
    team: *const TeamHandle,
}

/// The arguments of a get from the seventh on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MoreOfGet {
    src_kind: Slot<c_int>,
    dst_kind: Slot<c_int>,
    may_require_tmp: Slot<bool>,
    stat: *mut c_int,
}

/// An argument of less than eight bytes in its slot; the bytes behind it are undefined.
#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<T>(T);

/// `a(..)[image] = local`: puts the section `src` into the section `dst`, whose first element is at byte
/// `offset` of the coarray.
///
/// # Safety
/// The arguments are those that the compiler passes for such a statement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_send(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    dst: *const Descriptor,
    dst_subscripts: *const Subscript,
    src: *const Descriptor,
    more: MoreOfSend,
) {
    // SAFETY: the caller's guarantee, here and below.
    let (dst, src) = unsafe { (&*dst, &*src) };
    if is_plain(dst, src, more.dst_kind == more.src_kind)
        && dst_subscripts.is_null()
        && more.team.is_null()
    {
        // SAFETY: as above.
        if let Some(remote) = unsafe { near_coindexed(token, offset, image, dst.dtype.elem_len) } {
            // SAFETY: within the coarray, as checked; the source is a scalar of that length.
            unsafe {
                set_ok(more.stat);
                return copy_block(remote, src.base.cast(), dst.dtype.elem_len);
            }
        }
    }
    // SAFETY: as above.
    unsafe { general_send(token, offset, image, dst, dst_subscripts, src, &more) };
}

/// `local = a(..)[image]`: gets the section `src`, whose first element is at byte `offset` of the coarray,
/// into the section `dst`. The kinds come in the order (source, destination).
///
/// # Safety
/// The arguments are those that the compiler passes for such an expression.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_get(
    token: TokenHandle,
    offset: usize,
    image: c_int,
    src: *const Descriptor,
    src_subscripts: *const Subscript,
    dst: *const Descriptor,
    more: MoreOfGet,
) {
    // SAFETY: the caller's guarantee, here and below.
    let (dst, src) = unsafe { (&*dst, &*src) };
    if is_plain(dst, src, more.dst_kind == more.src_kind)
        && !may_have_components(&dst.dtype)
        && src_subscripts.is_null()
        && nobody_has_ended()
    {
        // SAFETY: as above.
        if let Some(remote) = unsafe { near_coindexed(token, offset, image, dst.dtype.elem_len) } {
            // SAFETY: within the coarray, as checked; the destination is a scalar of that length.
            unsafe {
                set_ok(more.stat);
                return copy_block(dst.base.cast(), remote, dst.dtype.elem_len);
            }
        }
    }
    // SAFETY: as above.
    unsafe { general_get(token, offset, image, src, src_subscripts, dst, &more) };
}

/// `a(..)[i] = b(..)[j]`.
///
/// # Safety
/// The arguments are those that the compiler passes for such a statement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _gfortran_caf_sendget(
    dst_token: TokenHandle,
    dst_offset: usize,
    dst_image: c_int,
    dst: *const Descriptor,
    dst_subscripts: *const Subscript,
    src_token: TokenHandle,
    src_offset: usize,
    src_image: c_int,
    src: *const Descriptor,
    src_subscripts: *const Subscript,
    dst_kind: c_int,
    src_kind: c_int,
    may_require_tmp: bool,
    stat: *mut c_int,
) {
    // SAFETY: the caller's guarantee, here and below.
    let (dst, src) = unsafe { (&*dst, &*src) };
    let len = dst.dtype.elem_len;
    if is_plain(dst, src, dst_kind == src_kind)
        && dst_subscripts.is_null()
        && src_subscripts.is_null()
        && len > 0
        && nobody_has_ended()
    {
        // SAFETY: as above.
        unsafe {
            if let Some(to) = near_coindexed(dst_token, dst_offset, dst_image, len)
                && let Some(from) = near_coindexed(src_token, src_offset, src_image, len)
            {
                set_ok(stat);
                return copy_block(to, from, len);
            }
        }
    }
    // SAFETY: as above.
    unsafe {
        general_sendget(
            dst_token,
            dst_offset,
            dst_image,
            dst,
            dst_subscripts,
            src_token,
            src_offset,
            src_image,
            src,
            src_subscripts,
            dst_kind,
            src_kind,
            may_require_tmp,
            stat,
        );
    }
}

/// Whether both sides are scalars of one type and length, so that the bytes are copied as they are.
#[inline(always)]
fn is_plain(dst: &Descriptor, src: &Descriptor, same_kind: bool) -> bool {
    let (d, s) = (&dst.dtype, &src.dtype);
    let shape = |t: &DType| (t.rank as u8 as u16) | (t.basic as u8 as u16) << 8;
    same_kind && d.rank == 0 && shape(d) == shape(s) && d.elem_len == s.elem_len
}

/// # Safety
/// `stat` is null or valid.
#[inline(always)]
pub unsafe fn set_ok(stat: *mut c_int) {
    if !stat.is_null() {
        // SAFETY: the caller's guarantee.
        unsafe { *stat = super::status::stat::OK };
    }
}
