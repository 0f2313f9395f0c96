//! Hashes of words, the same on all images and machines, and of values.
//!
//! It tells what images do from one another, and spreads numbers that look random. Barriers and signatures on one host have
//! shorter hashes of their own, because each of their instructions counts.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The distance between the words of a sequence whose hashes look random ([`mixed`]).
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a word: the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA
/// 2014), a bijection. The hash of 0 is 0.
#[inline]
pub const fn mixed(word: u64) -> u64 {
    mixed_with(word, 0)
}

/// The hash of two words: for each `more` a bijection of `word`.
#[inline]
pub const fn mixed_with(word: u64, more: u64) -> u64 {
    let x = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(more);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The hash of a value. Images that execute one program and processes of one library get the same.
pub fn of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn small_words_have_different_hashes_in_any_half() {
        let mut seen = [HashSet::new(), HashSet::new()];
        for word in 0..16 {
            for more in 0..16 {
                let hash = mixed_with(word, more);
                assert!(seen[0].insert(hash as u32) && seen[1].insert((hash >> 32) as u32));
            }
        }
    }

    #[test]
    fn hashes_of_a_sequence_are_those_of_splitmix64() {
        // The first numbers of `java.util.SplittableRandom` with the seed 0.
        let numbers = [1, 2, 3].map(|n| mixed(STEP.wrapping_mul(n)));
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
