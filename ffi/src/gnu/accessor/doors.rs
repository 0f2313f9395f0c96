//! Where the calls for a coarray go: its token knows it, so that they get there by one jump.

use super::{longer, quick};
use crate::gfortran_abi::Descriptor;
use crate::gnu::token::{Access, TokenHandle};
use crate::gnu::types::TeamHandle;
use std::cell::Cell;
use std::ffi::{c_int, c_void};

/// `_gfortran_caf_get_from_remote`.
pub type Get = unsafe extern "C" fn(
    TokenHandle,
    *mut Descriptor,
    *const usize,
    c_int,
    usize,
    *mut *mut c_void,
    *mut usize,
    *mut Descriptor,
    bool,
    c_int,
    *mut c_void,
    usize,
    Option<&Cell<c_int>>,
    *const TeamHandle,
    *const c_int,
);

/// `_gfortran_caf_send_to_remote`.
pub type Put = unsafe extern "C" fn(
    TokenHandle,
    *mut Descriptor,
    *const usize,
    c_int,
    usize,
    *const c_void,
    *const usize,
    *const Descriptor,
    c_int,
    *mut c_void,
    usize,
    Option<&Cell<c_int>>,
    *const TeamHandle,
    *const c_int,
);

/// Who takes the calls for a coarray.
#[derive(Clone, Copy, Debug)]
pub struct Doors {
    /// Of scalars.
    pub get: Get,
    /// Of scalars and arrays.
    pub put: Put,
}

impl Doors {
    /// Those of a coarray with this access.
    pub fn of(access: Access) -> Doors {
        match access {
            Access::Plain => Doors { get: quick::get::<false>, put: quick::put::<false> },
            Access::Following => Doors { get: quick::get::<true>, put: quick::put::<true> },
            Access::Awaiting | Access::Never => Doors { get: longer::get, put: longer::put },
        }
    }
}
