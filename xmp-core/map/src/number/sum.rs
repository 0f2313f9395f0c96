//! The sum of two real numbers, as IEEE 754 defines it.

use super::real::{Magnitude, Real};

/// What x87 and GCC's run-time library give for infinity - infinity, and for 0 x infinity: a quiet NaN without
/// payload and with its sign set.
pub(super) const UNDEFINED: Real = Real { negative: true, magnitude: Magnitude::Nan(0) };

impl Real {
    /// The sum, exact but for digits that no format of 113 bits or less, to which both addends belong,
    /// could tell apart: rounding it gives the correctly rounded sum.
    pub(super) fn sum(self, other: Real) -> Real {
        match (self.magnitude, other.magnitude) {
            // Of two NaNs that with the greater payload, as the x87 has it.
            (Magnitude::Nan(mine), Magnitude::Nan(others)) if others > mine => other,
            (Magnitude::Nan(_), _) => self,
            (_, Magnitude::Nan(_)) => other,
            (Magnitude::Infinite, Magnitude::Infinite) if self.negative != other.negative => {
                UNDEFINED
            }
            (Magnitude::Infinite, _) => self,
            (_, Magnitude::Infinite) => other,
            // -0 is the sum of -0 and -0 only.
            (Magnitude::Zero, Magnitude::Zero) => {
                Real { negative: self.negative && other.negative, ..self }
            }
            (Magnitude::Zero, _) => other,
            (_, Magnitude::Zero) => self,
            (
                Magnitude::Finite { exponent: e1, significand: s1 },
                Magnitude::Finite { exponent: e2, significand: s2 },
            ) => {
                if (e1, s1) >= (e2, s2) {
                    finite(self.negative, e1, s1, self.negative == other.negative, e2, s2)
                } else {
                    finite(other.negative, e2, s2, self.negative == other.negative, e1, s1)
                }
            }
        }
    }
}

/// The sum of two finite numbers, the one of greater magnitude first; its sign is the sum's.
fn finite(negative: bool, e1: i32, s1: u128, same_sign: bool, e2: i32, s2: u128) -> Real {
    // Two bits of headroom cost nothing: the last 15 of 128 are zero in either addend. What the
    // smaller one loses below the last bit is remembered in that bit, 13 places or more below any
    // that a result keeps.
    let (large, small) = (s1 >> 2, shift_right_sticky(s2, (e1 - e2) as u32 + 2));
    let digits = if same_sign { large + small } else { large - small };
    match digits.leading_zeros() {
        128 => Real { negative: false, magnitude: Magnitude::Zero },
        zeros => {
            let exponent = e1 + 2 - zeros as i32;
            let magnitude = Magnitude::Finite { exponent, significand: digits << zeros };
            Real { negative, magnitude }
        }
    }
}

/// `digits` >> `bits`; the last bit is set if any bit was lost.
fn shift_right_sticky(digits: u128, bits: u32) -> u128 {
    match digits.checked_shr(bits) {
        Some(kept) => kept | u128::from(kept << bits != digits),
        None => 1,
    }
}
