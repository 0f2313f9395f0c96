//! `real(10)`: x87 extended precision.

use super::real::{Format, Magnitude, Real, Stored};
use std::cmp::Ordering;
use std::ops::{Add, Mul};

/// A number in the 80-bit extended format of the x87, as compilers store it: in 16 bytes, of which
/// the last 6 mean nothing. Any 16 bytes are one.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub struct F80 {
    /// With the bit before the binary point.
    significand: u64,
    /// Sign bit and exponent.
    sign_exponent: u16,
    /// Explicit, so that no byte of a value is undefined.
    unused: [u16; 3],
}

const SIGN: u16 = 0x8000;
const TOP: u16 = 0x7fff;
const POINT: u64 = 1 << 63;

impl F80 {
    /// From its 80 bits; higher ones are ignored.
    pub const fn from_bits(bits: u128) -> F80 {
        F80 { significand: bits as u64, sign_exponent: (bits >> 64) as u16, unused: [0; 3] }
    }

    /// Its 80 bits.
    pub const fn to_bits(self) -> u128 {
        (self.sign_exponent as u128) << 64 | self.significand as u128
    }

    /// The nearest to a real number.
    pub fn from_real(value: Real) -> F80 {
        let Stored { negative, exponent, significand } = value.pack(Format::EXTENDED80);
        let sign = if negative { SIGN } else { 0 };
        F80 {
            significand: significand as u64,
            sign_exponent: sign | exponent as u16,
            unused: [0; 3],
        }
    }

    /// The real number. Encodings that the x87 refuses ("unnormal" numbers) are NaN.
    pub fn to_real(self) -> Real {
        let negative = self.sign_exponent & SIGN != 0;
        if self.is_refused() {
            return Real { negative, magnitude: Magnitude::Nan(0) };
        }
        let exponent = u32::from(self.sign_exponent & TOP);
        let significand = u128::from(self.significand);
        Real::unpack(Format::EXTENDED80, Stored { negative, exponent, significand })
    }

    /// Whether this is not a number.
    pub const fn is_nan(self) -> bool {
        self.is_refused() || (self.sign_exponent & TOP == TOP && self.significand != POINT)
    }

    /// Only zeros and subnormal numbers lack the bit before the binary point.
    const fn is_refused(self) -> bool {
        self.sign_exponent & TOP != 0 && self.significand & POINT == 0
    }

    /// An integer that orders as the numbers do; NaN has none.
    fn key(self) -> Option<i128> {
        // A number with the least exponent and the bit before the point set is the same as with the
        // exponent after that.
        let least = (self.significand >> 63) as u16;
        let exponent = (self.sign_exponent & TOP).max(least);
        let magnitude = i128::from(exponent) << 64 | i128::from(self.significand);
        let key = if self.sign_exponent & SIGN == 0 { magnitude } else { -magnitude };
        (!self.is_nan()).then_some(key)
    }

    /// The sum without an x87.
    #[cfg(any(all(test, not(loom)), miri, not(target_arch = "x86_64")))]
    pub(super) fn soft_sum(self, other: F80) -> F80 {
        F80::from_real(self.to_real().sum(other.to_real()))
    }

    #[cfg(all(target_arch = "x86_64", not(miri)))]
    fn hard_sum(self, other: F80) -> F80 {
        let mut sum = F80::from_bits(0);
        // SAFETY: reads ten bytes of each addend, writes ten of the sum, and leaves the x87's stack
        // as it was: empty, as the calling convention demands, so every register of it is free.
        unsafe {
            std::arch::asm!(
                "fld tbyte ptr [{left}]",
                "fld tbyte ptr [{right}]",
                "faddp st(1), st",
                "fstp tbyte ptr [{sum}]",
                left = in(reg) &raw const self,
                right = in(reg) &raw const other,
                sum = in(reg) &raw mut sum,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
        sum
    }
}

impl From<f64> for F80 {
    fn from(value: f64) -> F80 {
        F80::from_real(Real::from_f64(value))
    }
}

impl Add for F80 {
    type Output = F80;

    #[inline]
    fn add(self, other: F80) -> F80 {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        let sum = self.hard_sum(other);
        #[cfg(any(miri, not(target_arch = "x86_64")))]
        let sum = self.soft_sum(other);
        sum
    }
}

impl Mul for F80 {
    type Output = F80;

    fn mul(self, other: F80) -> F80 {
        F80::from_real(self.to_real().product(other.to_real()))
    }
}

impl PartialEq for F80 {
    fn eq(&self, other: &F80) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for F80 {
    fn partial_cmp(&self, other: &F80) -> Option<Ordering> {
        Some(self.key()?.cmp(&other.key()?))
    }
}
