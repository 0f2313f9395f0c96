//! A real number of any format, taken apart, and its way back with correct rounding.

/// A format of binary floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Bits of the significand, including the one before the binary point; at most 113.
    precision: u32,
    /// Exponent of the largest numbers, which is also the bias of the stored exponent.
    max_exponent: i32,
}

impl Format {
    /// IEEE binary32: `real(4)`.
    pub const BINARY32: Format = Format { precision: 24, max_exponent: 127 };
    /// IEEE binary64: `real(8)`.
    pub const BINARY64: Format = Format { precision: 53, max_exponent: 1023 };
    /// x87 extended precision: `real(10)`.
    pub const EXTENDED80: Format = Format { precision: 64, max_exponent: 16383 };
    /// IEEE binary128: `real(16)`.
    pub const BINARY128: Format = Format { precision: 113, max_exponent: 16383 };

    /// The stored exponent of infinities and NaNs.
    const fn top(self) -> u32 {
        2 * self.max_exponent as u32 + 1
    }

    /// Bits by which a significand of this format is shifted to fill 128 bits.
    const fn spare(self) -> u32 {
        128 - self.precision
    }
}

/// A real number, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Real {
    /// The sign bit, which zeros and NaNs have too.
    pub negative: bool,
    /// The rest.
    pub magnitude: Magnitude,
}

/// A real number but for its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Magnitude {
    /// 0.
    Zero,
    /// `significand` x 2^(`exponent` - 127).
    Finite {
        /// Exponent of the leading bit.
        exponent: i32,
        /// The digits; the topmost of the 128 bits is set.
        significand: u128,
    },
    /// Infinity.
    Infinite,
    /// Not a number. The payload stands where the significand of a finite number would, without the
    /// bits for integer part and quietness: 126 bits.
    Nan(u128),
}

/// What a format stores. The significand has the bit before the binary point, whether or not the
/// format stores that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) negative: bool,
    pub(super) exponent: u32,
    pub(super) significand: u128,
}

/// Bits of a payload.
const PAYLOAD: u128 = u128::MAX >> 2;

impl Real {
    /// Takes apart what a format stores.
    pub(super) fn unpack(format: Format, stored: Stored) -> Real {
        let Stored { negative, exponent, significand } = stored;
        let digits = significand << format.spare();
        let magnitude = if exponent == format.top() {
            match digits << 1 {
                0 => Magnitude::Infinite,
                _ => Magnitude::Nan(digits & PAYLOAD),
            }
        } else if digits == 0 {
            Magnitude::Zero
        } else {
            // Subnormal numbers have the exponent of the least normal ones.
            let zeros = digits.leading_zeros();
            let exponent = exponent.max(1) as i32 - format.max_exponent - zeros as i32;
            Magnitude::Finite { exponent, significand: digits << zeros }
        };
        Real { negative, magnitude }
    }

    /// Rounds to a format, to nearest, ties to even: too large is infinite. NaNs become quiet and
    /// lose the end of their payload.
    pub(super) fn pack(self, format: Format) -> Stored {
        let point = 1 << (format.precision - 1);
        let (exponent, significand) = match self.magnitude {
            Magnitude::Zero => (0, 0),
            Magnitude::Infinite => (format.top(), point),
            Magnitude::Nan(payload) => {
                (format.top(), point | point >> 1 | (payload & PAYLOAD) >> format.spare())
            }
            Magnitude::Finite { exponent, significand } => {
                let least = 1 - format.max_exponent;
                let below = least.saturating_sub(exponent).max(0) as u32;
                let digits = round_off(significand, format.spare().saturating_add(below));
                // Rounding up may carry into a bit more, of subnormal numbers into the first normal
                // one: then the digits are a power of two.
                let carry = (digits >> format.precision) as i32;
                match (exponent.max(least).saturating_add(carry), digits >> carry) {
                    (exponent, _) if exponent > format.max_exponent => (format.top(), point),
                    (_, digits) if digits < point => (0, digits),
                    (exponent, digits) => ((exponent + format.max_exponent) as u32, digits),
                }
            }
        };
        Stored { negative: self.negative, exponent, significand }
    }

    /// A Rust `f32`, exactly.
    pub fn from_f32(value: f32) -> Real {
        Real::from_ieee(Format::BINARY32, u128::from(value.to_bits()))
    }

    /// A Rust `f64`, exactly.
    pub fn from_f64(value: f64) -> Real {
        Real::from_ieee(Format::BINARY64, u128::from(value.to_bits()))
    }

    /// An integer, exactly.
    pub fn from_i128(value: i128) -> Real {
        let digits = value.unsigned_abs();
        let magnitude = match digits.leading_zeros() {
            128 => Magnitude::Zero,
            zeros => {
                Magnitude::Finite { exponent: 127 - zeros as i32, significand: digits << zeros }
            }
        };
        Real { negative: value < 0, magnitude }
    }

    /// The nearest `f32`.
    pub fn to_f32(self) -> f32 {
        f32::from_bits(self.to_ieee(Format::BINARY32) as u32)
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        f64::from_bits(self.to_ieee(Format::BINARY64) as u64)
    }

    /// The integer part, as Rust's `as` and Fortran's `int` for what fits: the nearest integer that
    /// there is for what does not, 0 for NaN (in Fortran both are processor dependent).
    pub fn to_i128(self) -> i128 {
        let digits = match self.magnitude {
            Magnitude::Zero | Magnitude::Nan(_) => 0,
            Magnitude::Finite { exponent, .. } if exponent < 0 => 0,
            Magnitude::Finite { exponent, significand } if exponent < 127 => {
                (significand >> (127 - exponent)) as i128
            }
            _ if self.negative => return i128::MIN,
            _ => return i128::MAX,
        };
        if self.negative { -digits } else { digits }
    }

    /// Takes apart the bits of an IEEE interchange format.
    pub(super) fn from_ieee(format: Format, bits: u128) -> Real {
        let fraction = format.precision - 1;
        let exponent = (bits >> fraction) as u32 & format.top();
        let digits = bits & ((1 << fraction) - 1);
        let significand = if exponent == 0 { digits } else { digits | 1 << fraction };
        let negative = bits >> fraction > u128::from(format.top());
        Real::unpack(format, Stored { negative, exponent, significand })
    }

    /// The bits of an IEEE interchange format.
    pub(super) fn to_ieee(self, format: Format) -> u128 {
        let Stored { negative, exponent, significand } = self.pack(format);
        let fraction = format.precision - 1;
        let sign = if negative { u128::from(format.top()) + 1 } else { 0 };
        (sign | u128::from(exponent)) << fraction | significand & ((1 << fraction) - 1)
    }
}

/// `digits` without its last `bits` (1 or more), to nearest, ties to even.
fn round_off(digits: u128, bits: u32) -> u128 {
    if bits > 128 {
        return 0;
    }
    let half = 1u128 << (bits - 1);
    let kept = digits.checked_shr(bits).unwrap_or(0);
    let lost = digits & (half | (half - 1));
    if lost > half || (lost == half && kept & 1 == 1) { kept + 1 } else { kept }
}
