//! The generator of the specification: x <- 5^13 x mod 2^46, value x / 2^46.

const BITS: u32 = 46;
const MULTIPLIER: u64 = 5u64.pow(13);

/// A stream of pseudo-random numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// The stream of the benchmark.
    pub fn new() -> Stream {
        Stream { state: 314_159_265 }
    }

    /// Drops a number.
    pub fn advance(&mut self) {
        // What wraps around is a multiple of 2^46.
        self.state = self.state.wrapping_mul(MULTIPLIER) & ((1 << BITS) - 1);
    }

    /// The next number in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.advance();
        self.state as f64 / (1u64 << BITS) as f64
    }

    /// The next number in [0, 2^count): `2^count * uniform` without rounding.
    pub fn leading_bits(&mut self, count: u32) -> usize {
        self.advance();
        (self.state >> (BITS - count)) as usize
    }
}
