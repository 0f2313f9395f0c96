//! The operators of `reduction` clauses (XcalableMP 1.4, 4.5.5), on the types of C and Fortran.

use crate::reduction::{Number, OPERATOR, Op, Reduction, UserLoop};
use std::fmt;
use xmp_core::counted::counted;
use xmp_core::number::{F80, F128};
use xmp_core::{Error, Result};

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// Signed integer of 1, 2, 4 or 8 bytes.
    Integer(u8),
    /// Unsigned integer of 1, 2, 4 or 8 bytes.
    Unsigned(u8),
    /// Real of kind 4, 8, 10 (`long double`, 16 bytes) or 16.
    Real(u8),
    /// Two reals of kind 4, 8, 10 or 16.
    Complex(u8),
    /// Truth value of 1, 2, 4 or 8 bytes; zero is false, and true is made 1.
    Logical(u8),
}

impl Element {
    /// Bytes.
    pub fn size(self) -> usize {
        match self {
            Element::Integer(size) | Element::Unsigned(size) | Element::Logical(size) => {
                size.into()
            }
            Element::Real(10) => size_of::<F80>(),
            Element::Real(kind) => kind.into(),
            Element::Complex(kind) => 2 * Element::Real(kind).size(),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Integer(size) => write!(f, "integers of {}", counted(size, "byte")),
            Element::Unsigned(size) => write!(f, "unsigned integers of {}", counted(size, "byte")),
            Element::Real(kind) => write!(f, "reals of kind {kind}"),
            Element::Complex(kind) => write!(f, "complex numbers of kind {kind}"),
            Element::Logical(size) => write!(f, "logicals of {}", counted(size, "byte")),
        }
    }
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`; `-` in a loop directive is the same.
    Sum,
    /// `*`
    Product,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `&`, `iand`
    BitAnd,
    /// `|`, `ior`
    BitOr,
    /// `^`, `ieor`
    BitXor,
    /// `&&`, `.and.`
    And,
    /// `||`, `.or.`
    Or,
    /// `.eqv.`
    Eqv,
    /// `.neqv.`, `^^`
    Neqv,
}

/// The operation in words that all languages have.
impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Sum => "sum",
            Operator::Product => "product",
            Operator::Min => "minimum",
            Operator::Max => "maximum",
            Operator::BitAnd => "bitwise and",
            Operator::BitOr => "bitwise or",
            Operator::BitXor => "bitwise exclusive or",
            Operator::And => "logical and",
            Operator::Or => "logical or",
            Operator::Eqv => "logical equivalence",
            Operator::Neqv => "logical exclusive or",
        })
    }
}

impl Operator {
    /// The reduction of elements of a type.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there is no such operation for them.
    pub fn on(self, element: Element) -> Result<Reduction<'static>> {
        let found = match (self, element) {
            (Operator::Sum | Operator::Min | Operator::Max, _) => self.arithmetic(element),
            (_, Element::Integer(1) | Element::Unsigned(1)) => self.on_bits::<u8>(),
            (_, Element::Integer(2) | Element::Unsigned(2)) => self.on_bits::<u16>(),
            (_, Element::Integer(4) | Element::Unsigned(4)) => self.on_bits::<u32>(),
            (_, Element::Integer(8) | Element::Unsigned(8)) => self.on_bits::<u64>(),
            (Operator::Product, Element::Real(4)) => user::<f32>(&product::<f32>),
            (Operator::Product, Element::Real(8)) => user::<f64>(&product::<f64>),
            (Operator::Product, Element::Real(10)) => user::<F80>(&product::<F80>),
            (Operator::Product, Element::Real(16)) => user::<F128>(&product::<F128>),
            (Operator::Product, Element::Complex(4)) => user::<[f32; 2]>(&complex_product::<f32>),
            (Operator::Product, Element::Complex(8)) => user::<[f64; 2]>(&complex_product::<f64>),
            (Operator::Product, Element::Complex(10)) => user::<[F80; 2]>(&complex_product::<F80>),
            (Operator::Product, Element::Complex(16)) => {
                user::<[F128; 2]>(&complex_product::<F128>)
            }
            (_, Element::Logical(1)) => self.on_truth::<u8>(),
            (_, Element::Logical(2)) => self.on_truth::<u16>(),
            (_, Element::Logical(4)) => self.on_truth::<u32>(),
            (_, Element::Logical(8)) => self.on_truth::<u64>(),
            _ => None,
        };
        match found {
            Some(found) if found.is_by_program() => Ok(found.by_procedure(self.number(element))),
            Some(found) => Ok(found),
            None => Err(Error::Invalid(format!("there is no reduction of {element} by {self}"))),
        }
    }

    /// A number of the operation for elements of a class, by which images find that they combine by different ones.
    fn number(self, element: Element) -> u32 {
        let class = match element {
            Element::Integer(_) | Element::Unsigned(_) => 1,
            Element::Real(_) => 2,
            Element::Complex(_) => 3,
            Element::Logical(_) => 4,
        };
        OPERATOR | class << 8 | self as u32
    }

    fn arithmetic(self, element: Element) -> Option<Reduction<'static>> {
        let op = match self {
            Operator::Sum => Op::Sum,
            Operator::Min => Op::Min,
            _ => Op::Max,
        };
        Some(match (element, op) {
            (Element::Integer(1), _) => Reduction::number::<i8>(op),
            (Element::Integer(2), _) => Reduction::number::<i16>(op),
            (Element::Integer(4), _) => Reduction::number::<i32>(op),
            (Element::Integer(8), _) => Reduction::number::<i64>(op),
            (Element::Unsigned(1), _) => Reduction::number::<u8>(op),
            (Element::Unsigned(2), _) => Reduction::number::<u16>(op),
            (Element::Unsigned(4), _) => Reduction::number::<u32>(op),
            (Element::Unsigned(8), _) => Reduction::number::<u64>(op),
            (Element::Real(4), _) => Reduction::number::<f32>(op),
            (Element::Real(8), _) => Reduction::number::<f64>(op),
            (Element::Real(10), _) => Reduction::number::<F80>(op),
            (Element::Real(16), _) => Reduction::number::<F128>(op),
            (Element::Complex(4), Op::Sum) => Reduction::complex_sum::<f32>(),
            (Element::Complex(8), Op::Sum) => Reduction::complex_sum::<f64>(),
            (Element::Complex(10), Op::Sum) => Reduction::complex_sum::<F80>(),
            (Element::Complex(16), Op::Sum) => Reduction::complex_sum::<F128>(),
            _ => return None,
        })
    }

    /// On integers; two's complement makes the product the same with and without sign.
    fn on_bits<T: Bits>(self) -> Option<Reduction<'static>> {
        match self {
            Operator::Product => user::<T>(&combine::<T, WrappingProduct>),
            Operator::BitAnd => user::<T>(&combine::<T, BitAnd>),
            Operator::BitOr => user::<T>(&combine::<T, BitOr>),
            Operator::BitXor => user::<T>(&combine::<T, BitXor>),
            _ => self.on_truth::<T>(),
        }
    }

    fn on_truth<T: Bits>(self) -> Option<Reduction<'static>> {
        match self {
            Operator::And => user::<T>(&combine::<T, And>),
            Operator::Or => user::<T>(&combine::<T, Or>),
            Operator::Eqv => user::<T>(&combine::<T, Eqv>),
            Operator::Neqv => user::<T>(&combine::<T, Neqv>),
            _ => None,
        }
    }
}

fn user<T>(operation: &'static UserLoop<'static>) -> Option<Reduction<'static>> {
    Some(Reduction::user_loop(size_of::<T>(), operation))
}

/// Unsigned integers.
trait Bits: Number + PartialEq + Default {
    fn from_truth(truth: bool) -> Self;
    fn product(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! bits {
    ($($t:ty),*) => {$(
        impl Bits for $t {
            fn from_truth(truth: bool) -> Self {
                truth.into()
            }
            fn product(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn and(self, other: Self) -> Self {
                self & other
            }
            fn or(self, other: Self) -> Self {
                self | other
            }
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )*};
}

bits!(u8, u16, u32, u64);

/// A rule for two elements.
trait Rule<T> {
    fn of(left: T, right: T) -> T;
}

macro_rules! rules {
    ($($name:ident: |$left:ident, $right:ident| $body:expr;)*) => {$(
        struct $name;
        impl<T: Bits> Rule<T> for $name {
            fn of($left: T, $right: T) -> T {
                $body
            }
        }
    )*};
}

fn truth<T: Bits>(value: T) -> bool {
    value != T::default()
}

rules! {
    WrappingProduct: |left, right| left.product(right);
    BitAnd: |left, right| left.and(right);
    BitOr: |left, right| left.or(right);
    BitXor: |left, right| left.xor(right);
    And: |left, right| T::from_truth(truth(left) && truth(right));
    Or: |left, right| T::from_truth(truth(left) || truth(right));
    Eqv: |left, right| T::from_truth(truth(left) == truth(right));
    Neqv: |left, right| T::from_truth(truth(left) != truth(right));
}

/// A [`UserLoop`] by a rule for two elements.
#[inline(always)]
fn each<T: Copy>([dst, left, right]: [*mut u8; 3], count: usize, rule: impl Fn(T, T) -> T) {
    let [dst, left, right] = [dst, left, right].map(|start| start.cast::<T>());
    for at in 0..count {
        // SAFETY: a reduction calls this with `count` elements of this type at each place.
        unsafe {
            let (left, right) = (left.add(at).read_unaligned(), right.add(at).read_unaligned());
            dst.add(at).write_unaligned(rule(left, right));
        }
    }
}

fn combine<T: Copy, R: Rule<T>>(dst: *mut u8, left: *const u8, right: *const u8, count: usize) {
    each([dst, left.cast_mut(), right.cast_mut()], count, R::of);
}

fn product<T: Copy + std::ops::Mul<Output = T>>(
    dst: *mut u8,
    left: *const u8,
    right: *const u8,
    count: usize,
) {
    each::<T>([dst, left.cast_mut(), right.cast_mut()], count, |left, right| left * right);
}

fn complex_product<T>(dst: *mut u8, left: *const u8, right: *const u8, count: usize)
where
    T: Copy + std::ops::Mul<Output = T> + std::ops::Add<Output = T> + std::ops::Sub<Output = T>,
{
    let rule = |[a, b]: [T; 2], [c, d]: [T; 2]| [a * c - b * d, a * d + b * c];
    each([dst, left.cast_mut(), right.cast_mut()], count, rule);
}
