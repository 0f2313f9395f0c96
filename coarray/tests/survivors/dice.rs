//! Numbers without chance.

use std::cell::Cell;

/// A number that depends on all three.
pub fn number(a: usize, b: usize, c: usize) -> u64 {
    let x = (a as u64).wrapping_add((c as u64).wrapping_mul(1000)).wrapping_add(1);
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ b as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}

/// A source of numbers: the same seed, the same numbers.
#[derive(Clone, Debug)]
pub struct Dice(Cell<u64>);

impl Dice {
    /// Dice with this seed.
    pub fn new(seed: u64) -> Dice {
        Dice(Cell::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d)))
    }

    /// One of the numbers below `sides`.
    pub fn roll(&self, sides: usize) -> usize {
        let next = self.0.get().wrapping_add(1);
        self.0.set(next);
        (number(1, 2, next as usize) >> 20) as usize % sides
    }

    /// Whether it is one of `sides`.
    pub fn one_of(&self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    /// One of these.
    pub fn pick<T: Copy>(&self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }
}
