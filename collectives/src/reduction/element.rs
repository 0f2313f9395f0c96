//! Reductions of elements as Fortran names their types.

use super::character::CharacterKind;
use super::kernel::Typed;
use super::{Method, Op, Reduction};
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
        let missing = || {
            let name = match op {
                Op::Sum => "sum",
                Op::Min => "minimum",
                Op::Max => "maximum",
            };
            Error::Invalid(format!("there is no {name} of {element}"))
        };
        let numbers = |typed, atoms| Method::Typed { typed, atoms };
        let method = match (element, op) {
            (ElemType::Integer(kind), _) => numbers(integer(op, kind).ok_or_else(missing)?, 1),
            (ElemType::Real(kind), _) => numbers(real(op, kind).ok_or_else(missing)?, 1),
            (ElemType::Complex(kind), Op::Sum) => numbers(real(op, kind).ok_or_else(missing)?, 2),
            (ElemType::Character { kind, .. }, Op::Min | Op::Max) => {
                let kind = if kind == 4 { CharacterKind::Four } else { CharacterKind::One };
                Method::Character { kind, greatest: op == Op::Max }
            }
            _ => return Err(missing()),
        };
        Ok(Reduction { element: element.size(), method })
    }
}

fn integer(op: Op, kind: u8) -> Option<Typed> {
    Some(match kind {
        1 => Typed::new::<i8>(op),
        2 => Typed::new::<i16>(op),
        4 => Typed::new::<i32>(op),
        8 => Typed::new::<i64>(op),
        16 => Typed::new::<i128>(op),
        _ => return None,
    })
}

fn real(op: Op, kind: u8) -> Option<Typed> {
    Some(match kind {
        4 => Typed::new::<f32>(op),
        8 => Typed::new::<f64>(op),
        10 => Typed::new::<F80>(op),
        16 => Typed::new::<F128>(op),
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
