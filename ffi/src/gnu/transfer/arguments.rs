//! The arguments of transfers from the seventh on. They are structures, which stay on the stack
//! ([`crate::entry::Slot`]).

use crate::entry::Slot;
use crate::gfortran_abi::Descriptor;
use crate::gnu::types::{Subscript, TeamHandle};
use std::cell::Cell;
use std::ffi::c_int;

/// The arguments of a put from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfSend<'a> {
    pub dst_kind: Slot<c_int>,
    pub src_kind: Slot<c_int>,
    pub may_require_tmp: Slot<bool>,
    pub stat: Option<&'a Cell<c_int>>,
    pub team: Option<&'a TeamHandle>,
}

/// The arguments of a get from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfGet<'a> {
    pub src_kind: Slot<c_int>,
    pub dst_kind: Slot<c_int>,
    pub may_require_tmp: Slot<bool>,
    pub stat: Option<&'a Cell<c_int>>,
}

/// The arguments of a copy between images from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfSendget<'a> {
    pub src_offset: usize,
    pub src_image: Slot<c_int>,
    pub src: &'a Descriptor,
    pub src_subscripts: *const Subscript,
    pub dst_kind: Slot<c_int>,
    pub src_kind: Slot<c_int>,
    pub may_require_tmp: Slot<bool>,
    pub stat: Option<&'a Cell<c_int>>,
}
