//! The registers in which a structure is returned: in vector registers if it consists of one to four reals of one kind (a homogeneous
//! floating-point aggregate), otherwise in general registers if it has at most 16 bytes, otherwise in memory.
//!
//! gfortran returns derived types as C does structures. The descriptor tells their length but not their components. Most
//! lengths tell enough; for the others the program's debugging information is asked.

use super::call::Registers;
use crate::gnu::debug::Scalar;

/// Bytes of four reals of the widest kind.
pub const LARGEST_HOMOGENEOUS: usize = 64;
/// Bytes of two general registers.
const TWO_REGISTERS: usize = 16;

/// Where a structure is returned; where it is as an argument by value follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// In registers.
    Parts(Parts),
    /// In memory, whose address is in x8.
    Memory,
}

/// A structure in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Reals of `size` bytes, each in a vector register.
    Homogeneous { count: usize, size: usize },
    /// Words in general registers.
    Words,
}

impl Layout {
    /// The layout of structures of `len` bytes, if it is one for all of them.
    pub fn by_length(len: usize) -> Option<Layout> {
        let may_be_homogeneous = [4, 8, 16]
            .iter()
            .any(|size| len.is_multiple_of(*size) && (1..=4).contains(&(len / size)));
        (!may_be_homogeneous).then(|| Layout::general(len))
    }

    /// The layout of a structure of `len` bytes with these scalars. `None` if they do not say.
    pub fn of(scalars: &[(u64, Scalar)], len: usize) -> Option<Layout> {
        let size = |scalar| match scalar {
            Scalar::Single => Some(4),
            Scalar::Double => Some(8),
            Scalar::Quad => Some(16),
            Scalar::Integer | Scalar::X87 => None,
        };
        let &(_, first) = scalars.first()?;
        let count = scalars.len();
        let homogeneous = size(first).filter(|size| {
            let is_alike =
                |(number, &(offset, scalar))| scalar == first && offset == (number * size) as u64;
            count <= 4 && count * size == len && scalars.iter().enumerate().all(is_alike)
        });
        Some(match homogeneous {
            Some(size) => Layout::Parts(Parts::Homogeneous { count, size }),
            None => Layout::general(len),
        })
    }

    /// That of a structure of other things than equal reals.
    fn general(len: usize) -> Layout {
        if len <= TWO_REGISTERS { Layout::Parts(Parts::Words) } else { Layout::Memory }
    }
}

impl Parts {
    /// The structure, as it was returned.
    pub fn result(self, registers: &Registers) -> [u128; 4] {
        let mut result = [0; 4];
        match self {
            Parts::Homogeneous { size, .. } => {
                let bytes: &mut [u8] = bytemuck::bytes_of_mut(&mut result);
                for (part, register) in bytes.chunks_mut(size).zip(registers.vector_results) {
                    part.copy_from_slice(&register.to_ne_bytes()[..size]);
                }
            }
            Parts::Words => {
                let [low, high] = registers.integer_results.map(u128::from);
                result[0] = high << 64 | low;
            }
        }
        result
    }

    /// Puts structures of `len` bytes where a function expects them as arguments by value.
    pub fn pass(self, len: usize, values: &[[u128; 4]; 2], registers: &mut Registers) {
        let values = values.iter().map(bytemuck::bytes_of);
        match self {
            Parts::Homogeneous { count, size } => {
                let parts = values.flat_map(|value| value.chunks(size).take(count));
                for (register, part) in registers.vectors.iter_mut().zip(parts) {
                    let mut bytes = [0; 16];
                    bytes[..size].copy_from_slice(part);
                    *register = u128::from_ne_bytes(bytes);
                }
            }
            Parts::Words => {
                let words = values.flat_map(|value| value.chunks(8).take(len.div_ceil(8)));
                for (register, word) in registers.integers.iter_mut().zip(words) {
                    *register = u64::from_ne_bytes(word.try_into().expect("8 bytes"));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Scalar::{Double as D, Integer as I, Quad as Q, Single as S};

    fn homogeneous(count: usize, size: usize) -> Option<Layout> {
        Some(Layout::Parts(Parts::Homogeneous { count, size }))
    }

    #[test]
    fn equal_reals_are_in_vector_registers_and_others_are_not() {
        let words = Some(Layout::Parts(Parts::Words));
        for (scalars, len, expected) in [
            (&[(0, S)][..], 4, homogeneous(1, 4)),
            (&[(0, S), (4, S), (8, S), (12, S)], 16, homogeneous(4, 4)),
            (&[(0, D), (8, D), (16, D)], 24, homogeneous(3, 8)),
            (&[(0, Q), (16, Q), (32, Q), (48, Q)], 64, homogeneous(4, 16)),
            (&[(0, S), (4, I)], 8, words),
            (&[(0, S), (8, D)], 16, words),
            (&[(0, D), (8, D), (16, I)], 24, Some(Layout::Memory)),
            (&[(0, S), (4, S), (8, S), (12, S), (16, D)], 24, Some(Layout::Memory)),
            (&[], 4, None),
        ] {
            assert_eq!(Layout::of(scalars, len), expected, "{scalars:?}");
        }
    }

    #[test]
    fn most_lengths_need_no_debugging_information() {
        let unknown = |len: &usize| Layout::by_length(*len).is_none();
        assert_eq!((1..100).filter(unknown).collect::<Vec<_>>(), [4, 8, 12, 16, 24, 32, 48, 64]);
        assert_eq!(Layout::by_length(13), Some(Layout::Parts(Parts::Words)));
        assert_eq!(Layout::by_length(40), Some(Layout::Memory));
    }

    #[test]
    fn what_is_passed_is_returned_in_the_same_registers() {
        for (parts, len) in [
            (Parts::Homogeneous { count: 3, size: 4 }, 12),
            (Parts::Homogeneous { count: 3, size: 8 }, 24),
            (Parts::Homogeneous { count: 4, size: 16 }, 64),
            (Parts::Words, 13),
        ] {
            let mut value = [0u128; 4];
            let bytes: &mut [u8] = bytemuck::bytes_of_mut(&mut value);
            bytes[..len].iter_mut().zip(1..).for_each(|(byte, number)| *byte = number);
            let mut registers = Registers::default();
            parts.pass(len, &[value, [0; 4]], &mut registers);
            registers.vector_results.copy_from_slice(&registers.vectors[..4]);
            registers.integer_results.copy_from_slice(&registers.integers[..2]);
            assert_eq!(parts.result(&registers), value, "{parts:?}");
        }
    }
}
