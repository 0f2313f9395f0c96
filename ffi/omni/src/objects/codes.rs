//! The numbers that stand for types, operators and distribution formats in generated code. A number that stands for none is
//! an error.

use std::ffi::c_int;
pub use xmp_collectives::global::{Element, Extreme, Operator};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// The type of elements of a reduction.
pub fn element_of(code: c_int) -> Outcome<Element> {
    Ok(match code {
        502 => Element::Logical(1),
        503 => Element::Integer(1),
        504 => Element::Unsigned(1),
        505 => Element::Integer(2),
        506 => Element::Unsigned(2),
        507 => Element::Integer(4),
        508 => Element::Unsigned(4),
        509 | 511 => Element::Integer(8),
        510 | 512 => Element::Unsigned(8),
        513 | 516 => Element::Real(4),
        514 | 517 => Element::Real(8),
        515 | 518 => Element::Real(10),
        519 => Element::Complex(4),
        520 => Element::Complex(8),
        code => {
            return Err(DirectiveError::because(format!(
                "elements of type {code} cannot be combined"
            )));
        }
    })
}

/// The type of elements with this number in Fortran. Logicals have 4 bytes, and the longest reals are those of kind 16.
pub fn fortran_element_of(code: c_int) -> Outcome<Element> {
    match code {
        502 => Ok(Element::Logical(4)),
        515 => Ok(Element::Real(16)),
        code => element_of(code),
    }
}

/// Elements of a derived type, in Fortran.
pub const DERIVED: c_int = 599;

/// Bytes of an element of an intrinsic type, in Fortran.
///
/// # Errors
/// For a derived type, and for a number that stands for no type.
pub fn fortran_bytes_of(code: c_int) -> Outcome<usize> {
    match code {
        DERIVED => Err(DirectiveError::because("elements of a derived type")),
        code => Ok(fortran_element_of(code)?.size()),
    }
}

/// The operator of a reduction without locations. On integers of C, `&&` and `||` are those of truth values: that
/// is what `element` becomes.
pub fn operator_of(code: c_int, element: Element) -> Outcome<(Operator, Element)> {
    let operator = match code {
        // `-` collects what was subtracted everywhere.
        300 | 316 => Operator::Sum,
        301 => Operator::Product,
        302 => Operator::BitAnd,
        303 => Operator::And,
        304 => Operator::BitOr,
        305 => Operator::Or,
        306 => Operator::BitXor,
        307 | 315 => Operator::Neqv,
        308 => Operator::Max,
        309 => Operator::Min,
        314 => Operator::Eqv,
        code => {
            return Err(DirectiveError::because(format!("there is no reduction operator {code}")));
        }
    };
    let truth = matches!(code, 303 | 305 | 307 | 314 | 315);
    let element = match element {
        Element::Integer(size) | Element::Unsigned(size) if truth => Element::Logical(size),
        element => element,
    };
    Ok((operator, element))
}

/// The operator of a reduction with locations.
pub fn extreme_of(code: c_int) -> Outcome<Extreme> {
    Ok(match code {
        310 | 317 => Extreme::FirstMax,
        311 | 318 => Extreme::FirstMin,
        312 => Extreme::LastMax,
        313 => Extreme::LastMin,
        code => {
            return Err(DirectiveError::because(format!(
                "there is no operator {code} with locations"
            )));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_of_integers_is_not_bits() {
        let (operator, element) = operator_of(303, Element::Integer(4)).ok().unwrap();
        assert_eq!((operator, element), (Operator::And, Element::Logical(4)));
        let (operator, element) = operator_of(302, Element::Integer(4)).ok().unwrap();
        assert_eq!((operator, element), (Operator::BitAnd, Element::Integer(4)));
        assert!(operator_of(310, Element::Integer(4)).is_err());
        assert!(extreme_of(300).is_err() && element_of(599).is_err());
    }
}
