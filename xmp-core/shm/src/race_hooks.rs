//! The interface between this library and the library of hooks (`ffi/races`). A program that is compiled with
//! `--check=races` calls the hooks for its loads and stores.

use std::ffi::c_void;
use std::sync::atomic::AtomicUsize;

/// The version of these types: both libraries have the same one.
pub const VERSION: u32 = 6;

/// The symbol of the [`Hooks`].
pub const SYMBOL: &std::ffi::CStr = c"xmprt_race_hooks";

/// The memory whose loads and stores are of interest: `len` bytes from `start`. The hooks read both at each load and store.
#[derive(Debug)]
#[repr(C)]
pub struct Filter {
    /// The first address.
    pub start: AtomicUsize,
    /// The number of bytes; 0 while nothing is of interest.
    pub len: AtomicUsize,
}

/// The functions of the hooks.
#[derive(Debug)]
#[repr(C)]
pub struct Hooks {
    /// [`VERSION`].
    pub version: u32,
    /// Has loads and stores entered by these functions. The filter is set after this.
    pub attach: extern "C" fn(Entry),
    /// Enters accesses that are held back.
    pub flush: extern "C" fn(),
    /// From now on nothing is entered: the process ends, perhaps within a call of [`Hooks::flush`] or [`Entry::enter`].
    pub end: extern "C" fn(),
    /// The memory that is of interest.
    pub filter: &'static Filter,
    /// From now on gathers the loads and stores of this thread instead of having them entered: those of the memory that is of interest,
    /// and of this many pieces of this process's, in the order of their addresses, which nothing else uses meanwhile. False at the
    /// end of the process. Within a gathering this begins an inner one.
    ///
    /// # Safety
    /// So many pieces are at the pointer.
    pub gather: unsafe extern "C" fn(*const Piece, usize) -> bool,
    /// Ends the innermost gathering, and calls a function with each of its loads and stores, and its first argument.
    pub gathered: extern "C" fn(extern "C" fn(*mut c_void, Gathered), *mut c_void),
}

/// A piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Piece {
    /// The address of the first byte.
    pub start: usize,
    /// The number of bytes.
    pub len: usize,
}

impl Piece {
    /// Whether the address is in it.
    #[inline]
    pub fn has(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.len
    }
}

/// A load or store, or several contiguous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Gathered {
    /// The address.
    pub address: usize,
    /// The number of bytes.
    pub len: usize,
    /// Whether they are written.
    pub writes: bool,
}

/// The functions that the hooks call.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Entry {
    /// Enters that the program reads or writes `len` bytes at an address, at a site.
    pub enter: extern "C" fn(address: usize, len: usize, writes: bool, site: u16),
    /// The same of an atomic operation.
    pub enter_atomic: extern "C" fn(address: usize, len: usize, writes: bool, site: u16),
    /// The site of an instruction: the return address of the call of its hook.
    pub site: extern "C" fn(return_address: usize) -> u16,
}
