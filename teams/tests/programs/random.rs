//! Numbers that several images draw alike.

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
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
