//! The variable arguments of a C call, which `ffi/xmp/procedures.c` passes on. How many there are, and of which
//! types, follows from the other arguments.

use crate::global::Descriptor;
use std::cell::Cell;
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
    pub fn integer(&mut self) -> c_int {
        // SAFETY: the contract of entries: there is one more argument of this type. The list is the one of the
        // function.
        unsafe { (self.integer)(self.list) }
    }

    /// The next one, a `long long`.
    pub fn wide(&mut self) -> c_longlong {
        // SAFETY: the contract of entries: there is one more argument, a `long long`, in this list.
        unsafe { (self.wide)(self.list) }
    }

    /// The next one, a place or a value of the program.
    pub fn place<'a, T>(&mut self) -> &'a Cell<T> {
        // SAFETY: the contract of entries: there is one more argument, the address of a valid `T`.
        unsafe { &*self.pointer().cast::<Cell<T>>() }
    }

    /// The next one, the address of memory.
    pub fn pointer(&mut self) -> *mut c_void {
        // SAFETY: the contract of entries: there is one more argument, an address, in this list.
        unsafe { (self.pointer)(self.list) }
    }

    /// The next one, a descriptor.
    pub fn descriptor(&mut self) -> Descriptor {
        Descriptor::of_address(self.pointer())
    }
}
