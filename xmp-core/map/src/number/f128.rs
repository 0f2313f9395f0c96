//! `real(16)`: IEEE binary128.

use super::real::{Format, Real};
use std::cmp::Ordering;
use std::ops::{Add, Mul};

/// A number in the IEEE binary128 format. Any 16 bytes are one.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct F128(u128);

const INFINITY: u128 = 0x7fff << 112;
const SIGN: u128 = 1 << 127;

impl F128 {
    /// From its bits.
    pub const fn from_bits(bits: u128) -> F128 {
        F128(bits)
    }

    /// Its bits.
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// The nearest to a real number.
    pub fn from_real(value: Real) -> F128 {
        F128(value.to_ieee(Format::BINARY128))
    }

    /// The real number.
    pub fn to_real(self) -> Real {
        Real::from_ieee(Format::BINARY128, self.0)
    }

    /// Whether this is not a number.
    pub const fn is_nan(self) -> bool {
        self.0 & !SIGN > INFINITY
    }

    /// An integer that orders as the numbers do; NaN has none.
    fn key(self) -> Option<i128> {
        let magnitude = (self.0 & !SIGN) as i128;
        let key = if self.0 & SIGN == 0 { magnitude } else { -magnitude };
        (!self.is_nan()).then_some(key)
    }
}

impl From<f64> for F128 {
    fn from(value: f64) -> F128 {
        F128::from_real(Real::from_f64(value))
    }
}

impl Add for F128 {
    type Output = F128;

    fn add(self, other: F128) -> F128 {
        F128::from_real(self.to_real().sum(other.to_real()))
    }
}

impl Mul for F128 {
    type Output = F128;

    fn mul(self, other: F128) -> F128 {
        F128::from_real(self.to_real().product(other.to_real()))
    }
}

impl PartialEq for F128 {
    fn eq(&self, other: &F128) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for F128 {
    fn partial_cmp(&self, other: &F128) -> Option<Ordering> {
        Some(self.key()?.cmp(&other.key()?))
    }
}
