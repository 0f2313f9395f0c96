//! Types of elements and operators, by their codes in `xmprt.h`.

use super::argument::Data;
use crate::arch::{LONG_DOUBLE_KIND, LongDouble};
use crate::process::instance;
use std::ffi::c_uint;
use xmp_collectives::global::{Element, Operator};
use xmp_collectives::{Located, Number, Op, Reduction, allreduce};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};

/// The type of an `xmprt_type`.
#[derive(Clone, Copy)]
pub struct Type {
    combine: fn(Combination<'_>) -> Result<()>,
    reduction: fn(Op) -> Reduction<'static>,
    /// The least and the greatest with their locations, unless the numbers are not ordered.
    located: Option<[fn() -> Located; 2]>,
}

/// A reduction of `count` elements of all images of a set, for all of them or for the one at a position.
#[derive(Clone, Copy)]
pub struct Combination<'a> {
    /// The images.
    pub set: &'a ImageSet,
    /// The position of the image that gets the result; `None` for all.
    pub root: Option<usize>,
    /// The elements of this image, and the result.
    pub data: Data,
    /// Their number.
    pub count: usize,
    /// The operation.
    pub op: Op,
}

impl Type {
    /// Combines elements of the type.
    ///
    /// # Errors
    /// When the data is not aligned; as [`allreduce`].
    pub fn combine(self, what: Combination<'_>) -> Result<()> {
        (self.combine)(what)
    }

    /// The type with this code.
    pub fn of(code: c_uint) -> Result<Type> {
        Ok(match code {
            1 => Type::number::<i8>(),
            2 => Type::number::<i16>(),
            3 => Type::number::<i32>(),
            4 => Type::number::<i64>(),
            5 => Type::number::<u8>(),
            6 => Type::number::<u16>(),
            7 => Type::number::<u32>(),
            8 => Type::number::<u64>(),
            9 => Type::number::<f32>(),
            10 => Type::number::<f64>(),
            // C's long double.
            11 => Type::number::<LongDouble>(),
            12 => Type::complex::<f32>(),
            13 => Type::complex::<f64>(),
            14 => Type::complex::<LongDouble>(),
            _ => return Err(not_a_number(code)),
        })
    }

    fn number<T: Number>() -> Type {
        let reduction = Reduction::number::<T>;
        let located = Some([Located::least::<T> as fn() -> Located, Located::greatest::<T>]);
        Type { combine: numbers::<T>, reduction, located }
    }

    fn complex<T: Number>() -> Type {
        let reduction = |_| Reduction::complex_sum::<T>();
        // The sum of pairs is the pair of sums.
        let combine =
            |what: Combination<'_>| numbers::<T>(Combination { count: 2 * what.count, ..what });
        Type { combine, reduction, located: None }
    }

    /// The combination of elements of the type.
    ///
    /// # Errors
    /// For complex numbers, which are not ordered, when `op` is not the sum.
    pub fn reduction(self, op: Op) -> Result<Reduction<'static>> {
        if op != Op::Sum {
            self.ordered()?;
        }
        Ok((self.reduction)(op))
    }

    /// The reduction that finds the least or the greatest values with their locations.
    ///
    /// # Errors
    /// For complex numbers.
    pub fn located(self, is_greatest: bool) -> Result<Located> {
        Ok(self.ordered()?[usize::from(is_greatest)]())
    }

    fn ordered(self) -> Result<[fn() -> Located; 2]> {
        self.located
            .ok_or_else(|| Error::Invalid("complex numbers have no minimum and no maximum".into()))
    }
}

/// The error of a type that the collectives of `xmprt.h` do not combine.
fn not_a_number(code: c_uint) -> Error {
    Error::Invalid(match code {
        15..=19 => format!(
            "type {code} is for functions with an xmprt_op only; here the types are XMPRT_INT8 to XMPRT_LONG_DOUBLE_COMPLEX"
        ),
        _ => format!("type {code} is not an xmprt_type"),
    })
}

/// Combines numbers of the type.
fn numbers<T: Number>(what: Combination<'_>) -> Result<()> {
    let Combination { set, root, data, count, op } = what;
    let start = data.start().cast::<T>();
    if !start.is_aligned() {
        return Err(Error::Invalid(format!("data at {start:p} is not aligned for its type")));
    }
    let data = match count {
        0 => &mut [],
        // SAFETY: the contract of entries: `data` has `count` numbers.
        _ => unsafe { std::slice::from_raw_parts_mut(start, count) },
    };
    match root {
        None => allreduce(&instance().image, set, data, op),
        Some(root) => xmp_collectives::reduce(&instance().image, set, root, data, op),
    }
}

/// The type of elements with this code.
///
/// # Errors
/// When it is none of the global view.
pub fn element_of(code: c_uint) -> Result<Element> {
    Ok(match code {
        1 => Element::Integer(1),
        2 => Element::Integer(2),
        3 => Element::Integer(4),
        4 => Element::Integer(8),
        5 => Element::Unsigned(1),
        6 => Element::Unsigned(2),
        7 => Element::Unsigned(4),
        8 => Element::Unsigned(8),
        9 => Element::Real(4),
        10 => Element::Real(8),
        11 => Element::Real(LONG_DOUBLE_KIND),
        12 => Element::Complex(4),
        13 => Element::Complex(8),
        14 => Element::Complex(LONG_DOUBLE_KIND),
        15 => Element::Logical(1),
        16 => Element::Real(16),
        17 => Element::Logical(2),
        18 => Element::Logical(4),
        19 => Element::Logical(8),
        _ => return Err(not_a_number(code)),
    })
}

/// The combination of elements of a type by an operator of the global view. Truth values have the values of C: on
/// integers, too, the operators `&&`, `||`, `==` and `!=` make 0 and 1.
///
/// # Errors
/// When there is no such type or operator, or not both together.
pub fn reduction_of(code: c_uint, op: c_uint) -> Result<Reduction<'static>> {
    if let (1..=3, ..15) = (op, code) {
        let op = op_of(op).expect("one of these operators");
        return Type::of(code)?.reduction(op);
    }
    let element = match element_of(code)? {
        Element::Integer(size) | Element::Unsigned(size) if op >= 8 => Element::Logical(size),
        element => element,
    };
    operator_of(op)?.on(element)
}

/// The operation of an `xmprt_op` without locations.
///
/// # Errors
/// When it is none.
pub fn operator_of(op: c_uint) -> Result<Operator> {
    Ok(match op {
        1 => Operator::Sum,
        2 => Operator::Min,
        3 => Operator::Max,
        4 => Operator::Product,
        5 => Operator::BitAnd,
        6 => Operator::BitOr,
        7 => Operator::BitXor,
        8 => Operator::And,
        9 => Operator::Or,
        10 => Operator::Eqv,
        11 => Operator::Neqv,
        12..=15 => {
            return Err(Error::Invalid(format!("operator {op} is for xmprt_reduce_located only")));
        }
        _ => return Err(Error::Invalid(format!("operator {op} is not an xmprt_op"))),
    })
}

/// The operation of an `xmprt_op`, if it is one of those that functions of their own have.
pub fn op_of(op: c_uint) -> Option<Op> {
    match op {
        1 => Some(Op::Sum),
        2 => Some(Op::Min),
        3 => Some(Op::Max),
        _ => None,
    }
}
