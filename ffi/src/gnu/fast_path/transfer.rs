//! The fast path of gfortran 12 to 14, on the same host: by a load and a store after the checks.
//!
//! The entries execute assignments of scalars of equal type. All else goes on to `send`, `get` and `sendget`, which copy
//! arrays: both sides have the same elements and shape, and each is in one piece. `send` and `get` convert scalars, too. What is
//! left goes on to the [`slow_path`].

use crate::arch::word_entries;
use crate::gfortran_abi::{DType, Descriptor, set_ok};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::token::{Token, all_running, local_coindexed};
use crate::gnu::transfer::slow_path::{self, MoreOfGet, MoreOfSend, MoreOfSendget};
use crate::gnu::transfer::{block_of_both, conversion_of_scalars};
use crate::gnu::types::Subscript;
use std::ffi::c_int;
use xmp_coarray::front_end::plan::copy_block;

word_entries! {
    /// `a(..)[image] = local`: puts the section `src` into the section `dst`, whose first element is at byte
    /// `offset` of the coarray.
    fn _gfortran_caf_send(
        token: Option<&Token>,
        offset: usize,
        image: c_int,
        dst: &Descriptor,
        dst_subscripts: *const Subscript,
        src: &Descriptor;
        more: MoreOfSend<'_> as [usize; 5],
    ) {
        if is_plain(dst, src, more.dst_kind == more.src_kind)
            && dst_subscripts.is_null()
            && more.team.is_none()
            && let Some(remote) = local_coindexed(token, offset, image, dst.dtype.elem_len)
        {
            set_ok(more.stat);
            // SAFETY: within the coarray, as checked; the source is a scalar of that length.
            return unsafe { copy_block(remote, src.base.cast(), dst.dtype.elem_len) };
        }
    } otherwise send;

    /// `local = a(..)[image]`: gets the section `src`, whose first element is at byte `offset` of the coarray,
    /// into the section `dst`. The kinds come in the order (source, destination).
    fn _gfortran_caf_get(
        token: Option<&Token>,
        offset: usize,
        image: c_int,
        src: &Descriptor,
        src_subscripts: *const Subscript,
        dst: &Descriptor;
        more: MoreOfGet<'_> as [usize; 4],
    ) {
        if is_plain(dst, src, more.dst_kind == more.src_kind)
            && !may_have_components(&dst.dtype)
            && src_subscripts.is_null()
            && all_running()
            && let Some(remote) = local_coindexed(token, offset, image, dst.dtype.elem_len)
        {
            set_ok(more.stat);
            // SAFETY: within the coarray, as checked; the destination is a scalar of that length.
            return unsafe { copy_block(dst.base.cast(), remote, dst.dtype.elem_len) };
        }
    } otherwise get;

    /// `a(..)[i] = b(..)[j]`.
    fn _gfortran_caf_sendget(
        token: Option<&Token>,
        offset: usize,
        image: c_int,
        dst: &Descriptor,
        dst_subscripts: *const Subscript,
        src_token: Option<&Token>;
        more: MoreOfSendget<'_> as [usize; 8],
    ) {
        let len = dst.dtype.elem_len;
        if is_plain(dst, more.src, more.dst_kind == more.src_kind)
            && dst_subscripts.is_null()
            && more.src_subscripts.is_null()
            && len > 0
            && all_running()
            && let Some(to) = local_coindexed(token, offset, image, len)
            && let Some(from) = local_coindexed(src_token, more.src_offset, more.src_image.0, len)
        {
            set_ok(more.stat);
            // SAFETY: both are within their coarrays, as checked.
            return unsafe { copy_block(to, from, len) };
        }
    } otherwise sendget;
}

/// Whether both sides are scalars of one type and length, so that the bytes are copied as they are.
#[inline(always)]
fn is_plain(dst: &Descriptor, src: &Descriptor, same_kind: bool) -> bool {
    let (d, s) = (&dst.dtype, &src.dtype);
    let shape = |t: &DType| (t.rank as u8 as u16) | (t.basic as u8 as u16) << 8;
    same_kind && d.rank == 0 && shape(d) == shape(s) && d.elem_len == s.elem_len
}

/// Contiguous `a(..)[image] = local`; the arguments of `_gfortran_caf_send`.
#[inline(never)]
fn send(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    dst: &Descriptor,
    dst_subscripts: *const Subscript,
    src: &Descriptor,
    more: &MoreOfSend<'_>,
) {
    if more.dst_kind == more.src_kind
        && dst_subscripts.is_null()
        && more.team.is_none()
        && let Some(len) = one_block(dst, src)
    {
        // It needs no conversion.
        if let Some(remote) = local_coindexed(token, offset, image, len) {
            set_ok(more.stat);
            // SAFETY: within the coarray, as checked; the source is an object of that length.
            return unsafe { copy_block(remote, src.base.cast(), len) };
        }
    } else if dst_subscripts.is_null()
        && more.team.is_none()
        && let Some(converter) = conversion_of_scalars(dst, more.dst_kind.0, src, more.src_kind.0)
        && let Some(remote) = local_coindexed(token, offset, image, converter.to_size())
    {
        set_ok(more.stat);
        // SAFETY: within the coarray, as checked; the source is a scalar of its type, and of another one.
        return unsafe { converter.convert(remote, src.base.cast()) };
    }
    slow_path::send(token, offset, image, dst, dst_subscripts, src, more);
}

/// Contiguous `local = a(..)[image]`; the arguments of `_gfortran_caf_get`.
#[inline(never)]
fn get(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    src: &Descriptor,
    src_subscripts: *const Subscript,
    dst: &Descriptor,
    more: &MoreOfGet<'_>,
) {
    if more.dst_kind == more.src_kind
        && src_subscripts.is_null()
        && let Some(len) = one_block(dst, src)
    {
        // It needs no conversion.
        if let Some(remote) = local_coindexed(token, offset, image, len) {
            set_ok(more.stat);
            // SAFETY: within the coarray, as checked; the destination is an object of that length.
            return unsafe { copy_block(dst.base.cast(), remote, len) };
        }
    } else if src_subscripts.is_null()
        && all_running()
        && let Some(converter) = conversion_of_scalars(dst, more.dst_kind.0, src, more.src_kind.0)
        && let Some(remote) = local_coindexed(token, offset, image, converter.from_size())
    {
        set_ok(more.stat);
        // SAFETY: within the coarray, as checked; the destination is a scalar of its type, and of another one.
        return unsafe { converter.convert(dst.base.cast(), remote) };
    }
    slow_path::get(token, offset, image, src, src_subscripts, dst, more);
}

/// Contiguous `a(..)[i] = b(..)[j]`; the arguments of `_gfortran_caf_sendget`.
#[inline(never)]
fn sendget(
    token: Option<&Token>,
    offset: usize,
    image: c_int,
    dst: &Descriptor,
    dst_subscripts: *const Subscript,
    src_token: Option<&Token>,
    more: &MoreOfSendget<'_>,
) {
    if more.dst_kind == more.src_kind
        && dst_subscripts.is_null()
        && more.src_subscripts.is_null()
        && let Some(len) = one_block(dst, more.src)
        && let Some(to) = local_coindexed(token, offset, image, len)
        && let Some(from) = local_coindexed(src_token, more.src_offset, more.src_image.0, len)
    {
        set_ok(more.stat);
        // SAFETY: both are within their coarrays, as checked.
        return unsafe { copy_block(to, from, len) };
    }
    slow_path::sendget(token, offset, image, dst, dst_subscripts, src_token, more);
}

/// The length of both sides in bytes, if there is nothing to plan, to follow or to refuse. Elements of length 0 may
/// have another one: that of the registered coarray.
#[inline(always)]
fn one_block(dst: &Descriptor, src: &Descriptor) -> Option<usize> {
    if may_have_components(&dst.dtype) || !all_running() {
        return None;
    }
    block_of_both(dst, src).filter(|&len| len > 0)
}
