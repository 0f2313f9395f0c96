//! The real numbers that Rust does not know. `rustc_apfloat`, the arithmetic of the Rust compiler, computes with them.

use bytemuck::{Pod, Zeroable};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

/// A number in the 80-bit extended format of the x87, as compilers store it: in 16 bytes, of which the last 6 mean
/// nothing. Any 16 bytes are one. Encodings that the x87 refuses ("unnormal" numbers) are NaN.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct F80 {
    /// With the bit before the binary point.
    significand: u64,
    sign_exponent: u16,
    /// Explicit, so that no byte of a value is undefined.
    unused: [u16; 3],
}

/// A number in the IEEE binary128 format. Any 16 bytes are one.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct F128(u128);

impl F80 {
    /// From its 80 bits; higher ones are ignored.
    pub const fn from_bits(bits: u128) -> F80 {
        F80 { significand: bits as u64, sign_exponent: (bits >> 64) as u16, unused: [0; 3] }
    }

    /// Its 80 bits.
    pub const fn to_bits(self) -> u128 {
        (self.sign_exponent as u128) << 64 | self.significand as u128
    }
}

impl F128 {
    /// From its bits.
    pub const fn from_bits(bits: u128) -> F128 {
        F128(bits)
    }

    /// Its bits.
    pub const fn to_bits(self) -> u128 {
        self.0
    }
}

/// Defines a format by that of `rustc_apfloat`.
macro_rules! format {
    ($($name:ident: $soft:ty;)*) => { $(
        impl $name {
            fn soft(self) -> $soft {
                <$soft>::from_bits(self.to_bits())
            }

            fn of_soft(soft: $soft) -> $name {
                $name::from_bits(soft.to_bits())
            }

            /// Whether this is not a number.
            pub fn is_nan(self) -> bool {
                self.soft().is_nan()
            }

            /// The integer part, as Rust's `as` and Fortran's `int` for what fits: the nearest integer that
            /// there is for what does not, 0 for NaN (in Fortran both are processor dependent).
            pub fn to_i128(self) -> i128 {
                self.soft().to_i128(128).value
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                self.soft() == other.soft()
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &$name) -> Option<Ordering> {
                self.soft().partial_cmp(&other.soft())
            }
        }

        impl From<i128> for $name {
            fn from(value: i128) -> $name {
                $name::of_soft(<$soft>::from_i128(value).value)
            }
        }
    )* };
}
format! {
    F80: X87DoubleExtended;
    F128: Quad;
}

/// Defines an operation: of an [`F80`] by an instruction of the x87, where there is one.
macro_rules! operation {
    ($trait:ident, $name:ident, $soft:ident, $instruction:literal) => {
        impl F80 {
            /// The operation without an x87.
            #[cfg(any(all(test, not(loom)), miri, not(target_arch = "x86_64")))]
            pub(super) fn $soft(self, other: F80) -> F80 {
                F80::of_soft(with_nan(self.soft(), other.soft(), |a, b| a.$name(b).value))
            }
        }

        impl $trait for F80 {
            type Output = F80;

            #[cfg(any(miri, not(target_arch = "x86_64")))]
            fn $name(self, other: F80) -> F80 {
                self.$soft(other)
            }

            #[cfg(all(target_arch = "x86_64", not(miri)))]
            #[inline]
            fn $name(self, other: F80) -> F80 {
                let mut result = F80::from_bits(0);
                // SAFETY: reads ten bytes of each operand, writes ten of the result, and leaves the x87's stack
                // as it was: empty, as the calling convention demands, so every register of it is free.
                unsafe {
                    std::arch::asm!(
                        "fld tbyte ptr [{left}]",
                        "fld tbyte ptr [{right}]",
                        $instruction,
                        "fstp tbyte ptr [{result}]",
                        left = in(reg) &raw const self,
                        right = in(reg) &raw const other,
                        result = in(reg) &raw mut result,
                        out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                        out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                        options(nostack),
                    );
                }
                result
            }
        }

        impl $trait for F128 {
            type Output = F128;

            fn $name(self, other: F128) -> F128 {
                F128::of_soft(with_nan(self.soft(), other.soft(), |a, b| a.$name(b).value))
            }
        }
    };
}
operation!(Add, add, soft_sum, "faddp st(1), st");
operation!(Mul, mul, soft_product, "fmulp st(1), st");

impl Sub for F80 {
    type Output = F80;

    fn sub(self, other: F80) -> F80 {
        self + F80::from_bits(other.to_bits() ^ 1 << 79)
    }
}

impl Sub for F128 {
    type Output = F128;

    fn sub(self, other: F128) -> F128 {
        self + F128::from_bits(other.to_bits() ^ 1 << 127)
    }
}

/// The result of an operation, with the NaNs of the processor and of GCC's run-time library. For infinity - infinity and 0 x infinity
/// it is a NaN without payload, whose sign x86-64 sets and AArch64 does not. Of two NaNs x86-64 takes that with the greater
/// payload, AArch64 the first one, or the second one if only that is signalling.
fn with_nan<S: Float>(one: S, other: S, operation: impl FnOnce(S, S) -> S) -> S {
    let result = operation(one, other);
    if !result.is_nan() {
        return result;
    }
    let quiet = 1 << (S::PRECISION - 2);
    let nans = [other, one].into_iter().filter(|operand| operand.is_nan()).map(S::to_bits);
    let is_arm = cfg!(target_arch = "aarch64");
    // Of equal keys it is the last one: the first operand.
    match nans
        .max_by_key(|bits| if is_arm { u128::from(bits & quiet == 0) } else { bits & (quiet - 1) })
    {
        Some(bits) => S::from_bits(bits | quiet),
        None if is_arm => S::NAN,
        None => -S::NAN,
    }
}

/// The nearest number of another format, ties to even. NaNs become quiet and lose the end of their payload.
fn nearest<S: FloatConvert<D>, D: Float>(value: S) -> D {
    value.convert_r(Round::NearestTiesToEven, &mut false).value
}

/// Conversions between a wide format and another one, by two functions each.
macro_rules! conversions {
    ($($from:ty => $to:ty: |$value:ident| $soft:expr, $make:expr;)*) => { $(
        impl From<$from> for $to {
            fn from($value: $from) -> $to {
                $make(nearest($soft))
            }
        }
    )* };
}
conversions! {
    f32 => F80: |value| Single::from_bits(value.to_bits().into()), F80::of_soft;
    f64 => F80: |value| Double::from_bits(value.to_bits().into()), F80::of_soft;
    F128 => F80: |value| value.soft(), F80::of_soft;
    f32 => F128: |value| Single::from_bits(value.to_bits().into()), F128::of_soft;
    f64 => F128: |value| Double::from_bits(value.to_bits().into()), F128::of_soft;
    F80 => F128: |value| value.soft(), F128::of_soft;
    F80 => f32: |value| value.soft(), |it: Single| f32::from_bits(it.to_bits() as u32);
    F80 => f64: |value| value.soft(), |it: Double| f64::from_bits(it.to_bits() as u64);
    F128 => f32: |value| value.soft(), |it: Single| f32::from_bits(it.to_bits() as u32);
    F128 => f64: |value| value.soft(), |it: Double| f64::from_bits(it.to_bits() as u64);
}
