//! The variable arguments of a C call, which `ffi/omni/variadic.c` lets us read.

use std::ffi::{c_int, c_longlong, c_void};

/// A reader of variable arguments: `struct arguments` of the shim.
#[repr(C)]
#[derive(Debug)]
pub struct Arguments {
    list: *mut c_void,
    integer: unsafe extern "C" fn(*mut c_void) -> c_int,
    wide: unsafe extern "C" fn(*mut c_void) -> c_longlong,
    pointer: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
}

impl Arguments {
    /// The next one, an `int`.
    ///
    /// # Safety
    /// There is one more argument, and it is one.
    pub unsafe fn integer(&mut self) -> c_int {
        // SAFETY: the caller's guarantee; the list is the one that the function is for.
        unsafe { (self.integer)(self.list) }
    }

    /// The next one, a `long long`.
    ///
    /// # Safety
    /// As [`Arguments::integer`].
    pub unsafe fn wide(&mut self) -> c_longlong {
        // SAFETY: as in `integer`.
        unsafe { (self.wide)(self.list) }
    }

    /// The next one, a pointer.
    ///
    /// # Safety
    /// As [`Arguments::integer`].
    pub unsafe fn pointer<T>(&mut self) -> *mut T {
        // SAFETY: as in `integer`.
        unsafe { (self.pointer)(self.list).cast() }
    }
}
