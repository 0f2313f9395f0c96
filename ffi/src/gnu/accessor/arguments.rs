//! The arguments of gets and puts as the compiler passes them. Those from the seventh on are structures, which stay on
//! the stack ([`crate::entry::Slot`]).

use crate::entry::Slot;
use crate::gfortran_abi::Descriptor;
use crate::gnu::types::{TeamHandle, TokenHandle};
use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// The arguments of a get from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfGet<'a> {
    /// Characters of the local scalar, or null.
    pub dst_len: *mut usize,
    /// The local array; null for a scalar.
    pub dst_descriptor: *mut Descriptor,
    /// Whether the accessor allocates the local array.
    pub may_reallocate: Slot<bool>,
    /// The index of the accessor.
    pub accessor: Slot<c_int>,
    /// The values of the statement, such as its subscripts.
    pub add_data: *mut c_void,
    /// Bytes of these.
    pub add_data_size: usize,
    /// `STAT=`.
    pub stat: Option<&'a Cell<c_int>>,
    /// The variable of `TEAM=`.
    pub team: Option<&'a TeamHandle>,
    /// The value of `TEAM_NUMBER=`.
    pub team_number: Option<&'a c_int>,
}

/// The arguments of a put from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfPut<'a> {
    /// Characters of the local scalar, or null.
    pub src_len: *const usize,
    /// The local array; null for a scalar.
    pub src_descriptor: *const Descriptor,
    /// The index of the accessor.
    pub accessor: Slot<c_int>,
    /// The values of the statement, such as its subscripts.
    pub add_data: *mut c_void,
    /// Bytes of these.
    pub add_data_size: usize,
    /// `STAT=`.
    pub stat: Option<&'a Cell<c_int>>,
    /// The variable of `TEAM=`.
    pub team: Option<&'a TeamHandle>,
    /// The value of `TEAM_NUMBER=`.
    pub team_number: Option<&'a c_int>,
}

/// The arguments of an assignment between images from the seventh on.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MoreOfBetween {
    /// Bytes of the values of the destination.
    pub dst_add_data_size: usize,
    /// The coarray that is read.
    pub src_token: TokenHandle,
    /// This image's descriptor of it, or null.
    pub src_descriptor: *mut Descriptor,
    /// Characters of it, or null.
    pub src_len: *const usize,
    /// The image that is read.
    pub src_image: Slot<c_int>,
    /// The index of the accessor that gets.
    pub src_accessor: Slot<c_int>,
    /// The values of the source.
    pub src_add_data: *mut c_void,
    /// Bytes of these.
    pub src_add_data_size: usize,
    /// Bytes of a scalar, or of a character.
    pub src_size: usize,
    /// Whether a scalar is assigned.
    pub is_scalar: Slot<bool>,
    /// `STAT=`, `TEAM=` and `TEAM_NUMBER=` of both ([`super::selector::Specifiers::of_both`]).
    pub specifiers: [*mut c_void; 6],
}

/// `_gfortran_caf_get_from_remote`: token, this image's descriptor of the coarray, characters of the coarray, image
/// index, bytes of the local scalar, and the place of the address of the local scalar.
pub type Get = extern "C" fn(
    TokenHandle,
    *mut Descriptor,
    *const usize,
    c_int,
    usize,
    *mut *mut c_void,
    MoreOfGet<'_>,
);

/// `_gfortran_caf_send_to_remote`: token, this image's descriptor of the coarray, characters of the coarray, image
/// index, bytes of the local scalar, and its address.
pub type Put = extern "C" fn(
    TokenHandle,
    *mut Descriptor,
    *const usize,
    c_int,
    usize,
    *const c_void,
    MoreOfPut<'_>,
);

const _: () = assert!(size_of::<MoreOfGet<'_>>() == 72 && size_of::<MoreOfPut<'_>>() == 64);
const _: () = assert!(size_of::<MoreOfBetween>() == 16 * 8);
