//! The registers in which a function returns a structure of at most 16 bytes: System V's classes of its two halves.
//!
//! gfortran returns derived types as C does structures. The descriptor tells their length but not their components, and
//! what is in registers after a call does not tell either: they all are scratch. So the program's debugging information
//! is asked.

use super::call::Registers;
use crate::gnu::debug::Scalar;

/// The class of half a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// In a general register.
    Integer,
    /// In the low half of a vector register.
    Vector,
}
use Half::{Integer, Vector};

/// Where a structure is returned; where it is as an argument by value follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Each half by itself; structures of up to 8 bytes have the first one only.
    Halves([Half; 2]),
    /// In a whole vector register: nothing but a real(16).
    Quad,
    /// On the x87 stack: nothing but a real(10).
    X87,
}

impl Layout {
    /// The layout of a structure of `len` bytes with these scalars. `None` if they do not say.
    pub fn of(scalars: &[(u64, Scalar)], len: usize) -> Option<Layout> {
        match scalars {
            [(0, Scalar::Quad)] => return Some(Layout::Quad),
            [(0, Scalar::X87)] => return Some(Layout::X87),
            _ => {}
        }
        let half = |number: u64| {
            let mut inside = scalars.iter().filter(|(offset, _)| offset / 8 == number).peekable();
            inside.peek()?;
            inside.try_fold(Vector, |half, (_, scalar)| match scalar {
                Scalar::Integer => Some(Integer),
                Scalar::Single | Scalar::Double => Some(half),
                Scalar::Quad | Scalar::X87 => None,
            })
        };
        let first = half(0)?;
        Some(Layout::Halves([first, if len > 8 { half(1)? } else { first }]))
    }

    /// The structure, as it was returned.
    pub fn result(self, registers: &Registers) -> u128 {
        let mut integers = registers.integer_results.into_iter();
        let mut vectors = registers.vector_results.into_iter();
        match self {
            Layout::Halves(halves) => {
                let [low, high] = halves.map(|half| match half {
                    Integer => integers.next().expect("two"),
                    Vector => vectors.next().expect("two") as u64,
                });
                u128::from(high) << 64 | u128::from(low)
            }
            Layout::Quad => registers.vector_results[0],
            Layout::X87 => registers.x87_results[0],
        }
    }

    /// Puts structures of `len` bytes where a function expects them as arguments by value; what goes on the stack.
    pub fn pass(self, len: usize, values: [u128; 2], registers: &mut Registers) -> Vec<u64> {
        let mut integers = registers.integers.iter_mut();
        let mut vectors = registers.vectors.iter_mut();
        let mut stack = Vec::new();
        for value in values {
            let words = [value as u64, (value >> 64) as u64];
            match self {
                Layout::Halves(halves) => {
                    for (half, word) in halves.into_iter().zip(words).take(len.div_ceil(8)) {
                        match half {
                            Integer => *integers.next().expect("at most four") = word,
                            Vector => *vectors.next().expect("at most four") = word.into(),
                        }
                    }
                }
                Layout::Quad => *vectors.next().expect("at most four") = value,
                Layout::X87 => stack.extend(words),
            }
        }
        stack
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_halves() {
        use Scalar::{Double as D, Integer as I, Quad, Single as S, X87};
        for (scalars, len, expected) in [
            (&[(0, S)][..], 4, Some(Layout::Halves([Vector, Vector]))),
            (&[(0, S), (4, I)], 8, Some(Layout::Halves([Integer, Integer]))),
            (&[(0, I), (8, D)], 16, Some(Layout::Halves([Integer, Vector]))),
            (&[(0, S), (4, S), (8, I)], 12, Some(Layout::Halves([Vector, Integer]))),
            (&[(0, Quad)], 16, Some(Layout::Quad)),
            (&[(0, X87)], 16, Some(Layout::X87)),
            (&[(0, I)], 16, None),
            (&[], 0, None),
        ] {
            assert_eq!(Layout::of(scalars, len), expected, "{scalars:?}");
        }
    }
}
