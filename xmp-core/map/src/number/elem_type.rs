//! Type and kind of an element, as Fortran names them.

use crate::counted::counted;
use crate::error::{Error, Result};
use std::fmt;

/// The type of an element: what kind of value it holds, and how large it is. A kind is what Fortran
/// calls so: for numbers and logicals the size in bytes, but for `real(10)` and `complex(10)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElemType {
    /// Integer of kind 1, 2, 4, 8 or 16, in two's complement.
    Integer(u8),
    /// Logical of kind 1, 2, 4, 8 or 16: zero is false.
    Logical(u8),
    /// Real of kind 4, 8, 10 ([`crate::number::F80`]) or 16 ([`crate::number::F128`]).
    Real(u8),
    /// Two reals of this kind.
    Complex(u8),
    /// String of `len` characters of kind 1 or 4.
    Character {
        /// Bytes of a character.
        kind: u8,
        /// Number of characters.
        len: usize,
    },
    /// Anything else, for instance a derived type: this many bytes.
    Bytes(usize),
}

impl ElemType {
    /// Checks that there is such a kind.
    ///
    /// # Errors
    /// [`Error::Invalid`] if not; [`Error::SizeOverflow`] for strings of 2^63 bytes or more.
    pub fn check(&self) -> Result<()> {
        let (name, kind, kinds): (_, _, &[u8]) = match *self {
            ElemType::Integer(kind) => ("an integer", kind, &[1, 2, 4, 8, 16]),
            ElemType::Logical(kind) => ("a logical", kind, &[1, 2, 4, 8, 16]),
            ElemType::Real(kind) => ("a real", kind, &[4, 8, 10, 16]),
            ElemType::Complex(kind) => ("a complex", kind, &[4, 8, 10, 16]),
            ElemType::Character { kind, len } => {
                if len > i64::MAX as usize / 4 {
                    return Err(Error::SizeOverflow(format!("a string of {len} characters")));
                }
                ("a character", kind, &[1, 4])
            }
            ElemType::Bytes(_) => return Ok(()),
        };
        if kinds.contains(&kind) {
            return Ok(());
        }
        Err(Error::Invalid(format!("{name} of kind {kind} does not exist")))
    }

    /// Bytes of an element.
    pub fn size(&self) -> usize {
        match *self {
            ElemType::Integer(kind) | ElemType::Logical(kind) => usize::from(kind),
            ElemType::Real(kind) => real_size(kind),
            ElemType::Complex(kind) => 2 * real_size(kind),
            ElemType::Character { kind, len } => usize::from(kind) * len,
            ElemType::Bytes(len) => len,
        }
    }

    /// Alignment of an element in bytes, as Fortran and C compilers for this machine choose it. Of a
    /// derived type it is not known: the greatest that its size permits is assumed, up to 16.
    pub fn align(&self) -> usize {
        match *self {
            ElemType::Integer(kind) | ElemType::Logical(kind) => usize::from(kind),
            ElemType::Real(kind) | ElemType::Complex(kind) => real_size(kind),
            ElemType::Character { kind, .. } => usize::from(kind),
            ElemType::Bytes(0) => 1,
            ElemType::Bytes(len) => 1 << len.trailing_zeros().min(4),
        }
    }
}

impl fmt::Display for ElemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ElemType::Integer(kind) => write!(f, "integer({kind})"),
            ElemType::Logical(kind) => write!(f, "logical({kind})"),
            ElemType::Real(kind) => write!(f, "real({kind})"),
            ElemType::Complex(kind) => write!(f, "complex({kind})"),
            ElemType::Character { kind, len } => write!(f, "character({len}, kind={kind})"),
            ElemType::Bytes(len) => write!(f, "a type of {}", counted(len, "byte")),
        }
    }
}

fn real_size(kind: u8) -> usize {
    match kind {
        10 => 16,
        kind => usize::from(kind),
    }
}
