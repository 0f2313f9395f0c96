//! Numbers that several images draw alike.

use xmp_core::hash;

/// SplitMix64 ([`hash`]).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(hash::STEP);
        hash::mixed(self.0)
    }

    /// From 0 to `bound` - 1; `bound` is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Numbers for those with this key.
    pub fn fork(&mut self, key: u64) -> Random {
        Random(self.next() ^ key.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }
}
