//! Reductions of elements as Fortran names their types.

use super::{CharacterKind, Op, Reduction};
use xmp_core::number::{ElemType, F80, F128};
use xmp_core::{Error, Result};

impl Reduction<'_> {
    /// The sum, minimum or maximum of elements of this type (Fortran 2018, 16.9.47-50): sums of integer, real
    /// and complex, minima and maxima of integer, real and character.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the type or its kind has no such reduction.
    pub fn of(op: Op, element: ElemType) -> Result<Reduction<'static>> {
        element.check()?;
        let greatest = op == Op::Max;
        let found = match (element, op) {
            (ElemType::Integer(kind), _) => integer(op, kind),
            (ElemType::Real(kind), _) => real(op, kind),
            (ElemType::Complex(kind), Op::Sum) => complex(kind),
            (ElemType::Character { kind: 1, len }, Op::Min | Op::Max) => {
                Some(Reduction::character(CharacterKind::One, len, greatest))
            }
            (ElemType::Character { kind: 4, len }, Op::Min | Op::Max) => {
                Some(Reduction::character(CharacterKind::Four, len, greatest))
            }
            _ => None,
        };
        found.ok_or_else(|| Error::Invalid(format!("there is no {} of {element}", op.name())))
    }
}

fn integer(op: Op, kind: u8) -> Option<Reduction<'static>> {
    Some(match kind {
        1 => Reduction::number::<i8>(op),
        2 => Reduction::number::<i16>(op),
        4 => Reduction::number::<i32>(op),
        8 => Reduction::number::<i64>(op),
        16 => Reduction::number::<i128>(op),
        _ => return None,
    })
}

fn real(op: Op, kind: u8) -> Option<Reduction<'static>> {
    Some(match kind {
        4 => Reduction::number::<f32>(op),
        8 => Reduction::number::<f64>(op),
        10 => Reduction::number::<F80>(op),
        16 => Reduction::number::<F128>(op),
        _ => return None,
    })
}

fn complex(kind: u8) -> Option<Reduction<'static>> {
    Some(match kind {
        4 => Reduction::complex_sum::<f32>(),
        8 => Reduction::complex_sum::<f64>(),
        10 => Reduction::complex_sum::<F80>(),
        16 => Reduction::complex_sum::<F128>(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_such_reduction_is_named() {
        for (op, element, text) in [
            (Op::Min, ElemType::Complex(8), "there is no minimum of complex(8)"),
            (Op::Sum, ElemType::Logical(4), "there is no sum of logical(4)"),
            (Op::Max, ElemType::Bytes(24), "there is no maximum of a type of 24 bytes"),
            (Op::Sum, ElemType::Real(3), "a real of kind 3 does not exist"),
        ] {
            assert_eq!(Reduction::of(op, element).unwrap_err().to_string(), text);
        }
        let strings = ElemType::Character { kind: 1, len: 5 };
        assert!(Reduction::of(Op::Sum, strings).is_err());
        assert_eq!(Reduction::of(Op::Max, strings).unwrap().element(), 5);
    }
}
