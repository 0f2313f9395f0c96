//! The place where the program keeps a coarray, and how END TEAM makes the variable there unallocated.
//!
//! Its descriptor still has to be where it was when it was allocated, and hold both the address and the token that it
//! was given then. After MOVE_ALLOC it does not: the token has moved to another variable, which stays "allocated".
//! Nothing else than such a descriptor can hold both words at these places, except what is left of one in memory that
//! is not in use; there it does no harm. (A procedure that ends has deregistered its variables before.) The memory may
//! even be gone - the stack of a thread, the data of a library -, so the system is asked whether something is there
//! before it is looked at.

use super::types::TokenHandle;
use crate::gfortran_abi::Descriptor;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{self, NonNull};
use xmp_core::region::pages_around;

/// Where the program keeps a coarray: its token and its descriptor.
#[derive(Clone, Copy, Debug)]
pub struct VariableLocation {
    /// The place of the token.
    pub token: *mut TokenHandle,
    /// The descriptor.
    pub descriptor: *mut Descriptor,
}

impl VariableLocation {
    /// Where a variable is that is being registered.
    pub fn of(token: &Cell<TokenHandle>, descriptor: &mut Descriptor) -> VariableLocation {
        VariableLocation { token: token.as_ptr(), descriptor }
    }

    /// The variable's place when its token is in this place now, because MOVE_ALLOC has moved it to a variable
    /// that has as many dimensions and codimensions.
    pub fn moved_to(self, token: *mut TokenHandle) -> VariableLocation {
        let distance = self.token.addr().wrapping_sub(self.descriptor.addr());
        VariableLocation { token, descriptor: token.wrapping_byte_sub(distance).cast() }
    }

    /// Makes the variable unallocated if it is here still: if it has this token and this address.
    pub fn clear(self, token: NonNull<c_void>, base: *mut u8) {
        if self.is_of(token, base) {
            // SAFETY: the memory is there, and belongs to the program, whose descriptor this is.
            unsafe { (&raw mut (*self.descriptor).base).write_volatile(ptr::null_mut()) };
        }
    }

    /// Whether an allocatable variable is here still: one with this token and this address.
    pub fn is_of(self, token: NonNull<c_void>, base: *mut u8) -> bool {
        let VariableLocation { token: place, descriptor } = self;
        // The token follows the bounds of a descriptor; a static coarray has its token elsewhere, and is not
        // allocated in teams.
        let distance = place.addr().wrapping_sub(descriptor.addr());
        if !(size_of::<Descriptor>()..LONGEST).contains(&distance)
            || !is_mapped(descriptor.cast(), distance + size_of::<TokenHandle>())
        {
            return false;
        }
        // SAFETY: the memory is there, and belongs to the program, which had both words at these places. Volatile:
        // if they are something else now they need not be initialised.
        unsafe {
            let found = (place.read_volatile(), (&raw const (*descriptor).base).read_volatile());
            found == (token.as_ptr(), base.cast::<c_void>())
        }
    }
}

/// More than a descriptor is long: 15 dimensions and codimensions of 24 bytes.
const LONGEST: usize = size_of::<Descriptor>() + 16 * 24;

/// Whether `len` bytes at `start` are mapped memory.
pub fn is_mapped(start: *const c_void, len: usize) -> bool {
    let pages = pages_around(start.addr() as u64..(start.addr() + len) as u64);
    let first = start.with_addr(pages.start as usize).cast_mut();
    // SAFETY: without MS_SYNC or MS_INVALIDATE it changes nothing; it fails where nothing is mapped.
    unsafe { libc::msync(first, (pages.end - pages.start) as usize, libc::MS_ASYNC) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::region::page_size;

    #[test]
    fn memory_that_is_not_there_is_not_mapped() {
        let here = 0u64;
        assert!(is_mapped((&raw const here).cast(), 8));
        assert!(!is_mapped(ptr::null(), 8));
        assert!(!is_mapped(ptr::without_provenance(0x10_0000), 100));
        // SAFETY: a mapping of its own, given back below.
        unsafe {
            let page = page_size();
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let map = libc::mmap(ptr::null_mut(), 2 * page, libc::PROT_READ, flags, -1, 0);
            assert_ne!(map, libc::MAP_FAILED);
            assert!(is_mapped(map.byte_add(page - 4), 8));
            assert_eq!(libc::munmap(map.byte_add(page), page), 0);
            assert!(is_mapped(map.byte_add(page - 8), 8));
            assert!(!is_mapped(map.byte_add(page - 4), 8));
            assert_eq!(libc::munmap(map, page), 0);
        }
    }
}
