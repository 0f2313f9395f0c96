//! The product of two real numbers, as IEEE 754 defines it.

use super::real::{Magnitude, Real};
use super::sum::UNDEFINED;

impl Real {
    /// The product, exact but for digits that no format of 113 bits or less, to which both factors belong, could tell
    /// apart: rounding it gives the correctly rounded product.
    pub(super) fn product(self, other: Real) -> Real {
        let magnitude = match (self.magnitude, other.magnitude) {
            // Of two NaNs that with the greater payload, as in a sum.
            (Magnitude::Nan(mine), Magnitude::Nan(others)) if others > mine => return other,
            (Magnitude::Nan(_), _) => return self,
            (_, Magnitude::Nan(_)) => return other,
            (Magnitude::Infinite, Magnitude::Zero) | (Magnitude::Zero, Magnitude::Infinite) => {
                return UNDEFINED;
            }
            (Magnitude::Infinite, _) | (_, Magnitude::Infinite) => Magnitude::Infinite,
            (Magnitude::Zero, _) | (_, Magnitude::Zero) => Magnitude::Zero,
            (
                Magnitude::Finite { exponent: e1, significand: s1 },
                Magnitude::Finite { exponent: e2, significand: s2 },
            ) => finite(e1 + e2, wide_product(s1, s2)),
        };
        Real { negative: self.negative != other.negative, magnitude }
    }
}

/// The magnitude of a product of two significands: the upper 128 of its bits, the last one set if any was lost. The
/// factors are in [1, 2), so it is in [1, 4).
fn finite(exponent: i32, product: Wide) -> Magnitude {
    let Wide { high, low } = product;
    let carry = (high >> 127) as i32;
    let (digits, lost) = if carry == 1 { (high, low) } else { (high << 1 | low >> 127, low << 1) };
    Magnitude::Finite { exponent: exponent + carry, significand: digits | u128::from(lost != 0) }
}

/// A number of 256 bits.
struct Wide {
    high: u128,
    low: u128,
}

/// All bits of a product.
fn wide_product(a: u128, b: u128) -> Wide {
    const HALF: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & HALF, b >> 64, b & HALF);
    let (inner, outer) = (a0 * b1, a1 * b0);
    // At most (2^64 - 1) + 2 * (2^64 - 1): far from 2^128.
    let middle = ((a0 * b0) >> 64) + (inner & HALF) + (outer & HALF);
    let high = a1 * b1 + (inner >> 64) + (outer >> 64) + (middle >> 64);
    Wide { high, low: a.wrapping_mul(b) }
}
