//! NEW_INDEX= of FORM TEAM, as gfortran 16 passes it.

use crate::gnu::home::is_mapped;
use std::ffi::c_int;

/// The index, if there is one, in a team of some of `images` images.
///
/// The compiler passes the address of a variable, but of a constant or an expression the address of its address. No address
/// looks like an index in a team: so what is none is taken for an address if there is an index.
///
/// # Safety
/// `place` is what the compiler passes.
pub unsafe fn new_index(place: *const c_int, images: usize) -> Option<c_int> {
    // SAFETY: the caller's guarantee: null or the address of at least 4 bytes.
    let index = unsafe { *place.as_ref()? };
    let is_index = |index: c_int| usize::try_from(index).is_ok_and(|i| (1..=images).contains(&i));
    let address_at = place.cast::<*const c_int>();
    if is_index(index) || !address_at.is_aligned() {
        return Some(index);
    }
    // SAFETY: an aligned word is readable as a whole if its first half is; volatile, because the second half may be
    // undefined. What it says is looked at only if it is there.
    unsafe {
        let address = address_at.read_volatile();
        let there = address.is_aligned() && is_mapped(address.cast(), size_of::<c_int>());
        Some(if there && is_index(*address) { *address } else { index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_addresses_are_followed() {
        // SAFETY: variables and their addresses.
        unsafe {
            let index = &raw const *Box::leak(Box::new(3));
            assert_eq!(new_index(std::ptr::null(), 4), None);
            assert_eq!(new_index(index, 4), Some(3));
            assert_eq!(new_index((&raw const index).cast(), 4), Some(3));
            // No index of this team, either way.
            assert_eq!(new_index(index, 2), Some(3));
            let aligned: [u64; 1] = [7];
            assert_eq!(new_index(aligned.as_ptr().cast(), 4), Some(7));
        }
    }
}
