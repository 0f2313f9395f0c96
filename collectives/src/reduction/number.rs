//! The numbers that reductions combine.

use bytemuck::Pod;
use std::cmp::Ordering;
use xmp_core::number::{F80, F128};

/// The operations that every kind of number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Sum; integers wrap.
    Sum,
    /// Minimum. Of floating-point operands a NaN is ignored as long as there is another one.
    Min,
    /// Maximum; NaN as for the minimum.
    Max,
}

impl Op {
    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Op::Sum => "sum",
            Op::Min => "minimum",
            Op::Max => "maximum",
        }
    }
}

/// The numbers that reductions combine: integers and real numbers of fixed sizes. No other type can implement this.
pub trait Number: Pod + sealed::Sealed {
    /// The name of the type in messages; the first four letters differ from those of other types.
    const NAME: &'static str;
    /// The sum; integers wrap.
    fn sum(self, other: Self) -> Self;
    /// The smaller one; `self` if they are equal, the other one if one is a NaN.
    fn least(self, other: Self) -> Self;
    /// The greater one; as [`Number::least`].
    fn greatest(self, other: Self) -> Self;
    /// The order of the two; `None` if one is a NaN.
    fn compare(self, other: Self) -> Option<Ordering>;
}

/// [`Number`] has a supertrait that other crates cannot name, so they cannot implement it.
mod sealed {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl sealed::Sealed for $t {}

        impl Number for $t {
            const NAME: &'static str = stringify!($t);

            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                if other < self { other } else { self }
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                if other > self { other } else { self }
            }
            #[inline(always)]
            fn compare(self, other: Self) -> Option<Ordering> {
                Some(self.cmp(&other))
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl sealed::Sealed for $t {}

        impl Number for $t {
            const NAME: &'static str = stringify!($t);

            #[inline(always)]
            fn sum(self, other: Self) -> Self {
                self + other
            }
            // Comparisons with a NaN are false; only `self` must be asked for one.
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                if (other < self) | self.is_nan() { other } else { self }
            }
            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                if (other > self) | self.is_nan() { other } else { self }
            }
            #[inline(always)]
            fn compare(self, other: Self) -> Option<Ordering> {
                self.partial_cmp(&other)
            }
        }
    )*};
}

floats!(f32, f64, F80, F128);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_is_ignored_as_long_as_there_is_another_operand() {
        assert_eq!(f64::NAN.least(1.0), 1.0);
        assert_eq!(1.0.least(f64::NAN), 1.0);
        assert_eq!(f32::NAN.greatest(-1.0), -1.0);
        assert_eq!((-1.0f32).greatest(f32::NAN), -1.0);
        assert!(f64::NAN.least(f64::NAN).is_nan());
    }

    #[test]
    fn of_equal_operands_the_left_one_is_taken() {
        assert!((-0.0f64).greatest(0.0).is_sign_negative());
        assert!(0.0f64.least(-0.0).is_sign_positive());
    }

    #[test]
    fn integer_sums_wrap() {
        assert_eq!(i8::MAX.sum(1), i8::MIN);
    }
}
