//! The fast path of gfortran 12 to 14 for arrays: both sides have the same elements and shape, each lies in one piece,
//! and the image is on the same host. The entries of [`super::transfer`] call it for what is no scalar.

use crate::gfortran_abi::{Descriptor, set_ok};
use crate::gnu::component::copies::may_have_components;
use crate::gnu::token::{Token, all_running, local_coindexed};
use crate::gnu::transfer::arguments::{MoreOfGet, MoreOfSend, MoreOfSendget};
use crate::gnu::transfer::{block_of_both, slow_path};
use crate::gnu::types::Subscript;
use std::ffi::c_int;
use xmp_coarray::plan::copy_block;

/// `a(..)[image] = local`; the arguments of `_gfortran_caf_send`.
#[inline(never)]
pub fn send(
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
        && let Some(remote) = local_coindexed(token, offset, image, len)
    {
        set_ok(more.stat);
        // SAFETY: within the coarray, as checked; the source is an object of that length.
        return unsafe { copy_block(remote, src.base.cast(), len) };
    }
    slow_path::send(token, offset, image, dst, dst_subscripts, src, more);
}

/// `local = a(..)[image]`; the arguments of `_gfortran_caf_get`.
#[inline(never)]
pub fn get(
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
        && let Some(remote) = local_coindexed(token, offset, image, len)
    {
        set_ok(more.stat);
        // SAFETY: within the coarray, as checked; the destination is an object of that length.
        return unsafe { copy_block(dst.base.cast(), remote, len) };
    }
    slow_path::get(token, offset, image, src, src_subscripts, dst, more);
}

/// `a(..)[i] = b(..)[j]`; the arguments of `_gfortran_caf_sendget`.
#[inline(never)]
pub fn sendget(
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
