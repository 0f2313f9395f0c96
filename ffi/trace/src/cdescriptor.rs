//! C descriptors (`CFI_cdesc_t`; Fortran 2018, 18.5), by which PRIF and programs with directives pass arrays. The
//! types are in `ffi/src/entry/cfi.rs`.

use std::ptr;

/// Most dimensions of an array.
const MAX_RANK: usize = 15;
/// Version word of flang.
const FLANG: u32 = 20_240_719;
/// Type and attribute of a scalar of derived type, as flang numbers them.
const DERIVED: [u8; 2] = [42, 0];

/// A descriptor of the program; null describes nothing.
#[derive(Clone, Copy, Debug)]
pub struct CDescriptor(*const u64);

impl CDescriptor {
    /// The descriptor at an address. The contract of entries holds: it is null, or there is one during the call.
    pub fn of(address: u64) -> CDescriptor {
        CDescriptor(ptr::with_exposed_provenance(address as usize))
    }

    /// A word: base, bytes of an element, header; then lower bound, extent and stride of each dimension.
    fn word(self, number: usize) -> u64 {
        // SAFETY: the contract of entries: a descriptor, whose dimensions are as many as its rank says.
        unsafe { self.0.add(number).read_unaligned() }
    }

    fn rank(self) -> usize {
        ((self.word(2) >> 32) as u8 as usize).min(MAX_RANK)
    }

    fn extent(self, dimension: usize) -> u64 {
        (self.word(3 + 3 * dimension + 1) as i64).max(0) as u64
    }

    /// Bytes of all elements.
    pub fn bytes(self) -> u64 {
        if self.0.is_null() {
            return 0;
        }
        (0..self.rank())
            .map(|dimension| self.extent(dimension))
            .fold(self.word(1), u64::saturating_mul)
    }

    /// The elements of a vector of this type.
    pub fn elements<T: Copy>(self) -> impl Iterator<Item = T> {
        let [base, stride, extent] = if self.0.is_null() || self.rank() != 1 {
            [0; 3]
        } else {
            [self.word(0), self.word(5), self.extent(0)]
        };
        let (base, stride) = (ptr::with_exposed_provenance::<u8>(base as usize), stride as isize);
        let element = move |number: u64| {
            let address = base.wrapping_offset(number as isize * stride).cast::<T>();
            // SAFETY: the contract of entries: this many elements of this type, with this distance.
            unsafe { address.read_unaligned() }
        };
        (0..extent).map(element)
    }

    /// Whether this describes a team variable, as flang 22 does.
    pub fn is_team_variable(self) -> bool {
        if self.0.is_null() {
            return false;
        }
        let [element, header] = [1, 2].map(|number| self.word(number));
        let is_derived = [(header >> 40) as u8, (header >> 48) as u8] == DERIVED;
        header as u32 == FLANG && is_derived && (element, self.rank()) == (8, 0)
    }

    /// The first word of the scalar that this describes.
    pub fn first_word(self) -> u64 {
        let base = ptr::with_exposed_provenance::<u64>(self.word(0) as usize);
        // SAFETY: the contract of entries: the base of the descriptor is the variable.
        if base.is_null() { 0 } else { unsafe { base.read_unaligned() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address<T>(of: &T) -> u64 {
        (&raw const *of).expose_provenance() as u64
    }

    #[test]
    fn bytes_and_elements_are_those_that_the_dimensions_say() {
        let values = [7i32, 8, 9, 10];
        let matrix = [0, 8, 2 << 32 | 1, 0, 3, 8, 0, 5, 24];
        let every_second = [address(&values), 4, 1 << 32 | 1, 0, 2, 8];
        let scalar = [0, 16, 1, 0, 0, 0];
        let [matrix, vector, scalar] = [&matrix[..], &every_second, &scalar]
            .map(|words| CDescriptor::of(words.as_ptr().expose_provenance() as u64));
        assert_eq!([matrix, vector, scalar].map(CDescriptor::bytes), [120, 8, 16]);
        assert_eq!(vector.elements::<i32>().collect::<Vec<_>>(), [7, 9]);
        assert_eq!(
            (CDescriptor::of(0).bytes(), CDescriptor::of(0).elements::<i32>().count()),
            (0, 0)
        );
    }

    #[test]
    fn a_team_variable_is_told_from_its_descriptor() {
        let variable = [0x7ea3_0000_0000_0001u64, 0, 0, 0, 0];
        let described = [address(&variable), 8, 42 << 40 | u64::from(FLANG), 0];
        assert!(!CDescriptor::of(address(&variable)).is_team_variable());
        assert!(CDescriptor::of(address(&described)).is_team_variable());
        assert_eq!(CDescriptor::of(address(&described)).first_word(), variable[0]);
    }
}
