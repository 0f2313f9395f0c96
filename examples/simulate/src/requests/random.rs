//! Numbers that look random and are the same for the same seed.

use xmp_core::hash;

/// SplitMix64 ([`hash`]).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(hash::STEP);
        hash::mixed(self.0)
    }

    /// A number below `bound`, which is at least 1; any with almost the same chance.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_number()) * u128::from(bound)) >> 64) as u64
    }

    /// A number from 0 to 1, without 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next_number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An exponentially distributed time with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.fraction()).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_repeatable_and_spread() {
        let numbers = |seed| -> Vec<u64> {
            let mut random = Random::new(seed);
            (0..1000).map(|_| random.below(10)).collect()
        };
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert!((0..10).all(|n| numbers(3).iter().filter(|&&m| m == n).count() > 60));
        let mut random = Random::new(5);
        let mean = (0..10_000).map(|_| random.exponential(3.0)).sum::<f64>() / 1e4;
        assert!((2.8..3.2).contains(&mean), "{mean}");
    }
}
