//! NEW_INDEX= of FORM TEAM, as gfortran 16 passes it.

use crate::gnu::variable_location::is_mapped;
use std::ffi::c_int;
use std::ptr;

/// NEW_INDEX=: the place that the compiler passes.
///
/// That is the address of a variable, but of a constant or an expression the address of its address. No address looks
/// like an index in a team. So what is no index is taken for an address if there is an index at it.
pub struct NewIndex<'a>(pub &'a c_int);

impl NewIndex<'_> {
    /// The index, in a team of some of `images` images.
    pub fn among(&self, images: usize) -> c_int {
        let is_index =
            |index: c_int| usize::try_from(index).is_ok_and(|i| (1..=images).contains(&i));
        let index = *self.0;
        let address_at =
            ptr::with_exposed_provenance::<*const c_int>(ptr::from_ref(self.0).expose_provenance());
        if is_index(index) || !address_at.is_aligned() {
            return index;
        }
        // SAFETY: an aligned word is readable as a whole if its first half is; volatile, because the second half may be
        // undefined. What it says is read only if memory is there.
        unsafe {
            let address = address_at.read_volatile();
            let there = address.is_aligned() && is_mapped(address.cast(), size_of::<c_int>());
            if there && is_index(*address) { *address } else { index }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_addresses_are_followed() {
        let index: &c_int = Box::leak(Box::new(3));
        let among = |place: &c_int, images| NewIndex(place).among(images);
        assert_eq!(among(index, 4), 3);
        // SAFETY: a word is aligned and long enough for its first half.
        let address = |word: &'static usize| unsafe { &*ptr::from_ref(word).cast::<c_int>() };
        let at_index = address(Box::leak(Box::new(ptr::from_ref(index).expose_provenance())));
        assert_eq!(among(at_index, 4), 3);
        // No index of this team, either way.
        assert_eq!(among(index, 2), 3);
        assert_eq!(among(address(&7), 4), 7);
    }
}
