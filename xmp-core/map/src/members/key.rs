//! The key of a member list: a short name where the list itself is too long.

use crate::hash;
use crate::rank::Rank;

/// A 128-bit hash of the members of a set in their order, or of the members and numbers of a team: the same on all images, and different
/// for different lists, but for one of 2^128 pairs of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(pub [u64; 2]);

/// The odd factor of each of the two hashes.
const ODD: [u64; 2] = [0xd6e8_feb8_6659_fd93, 0xff51_afd7_ed55_8ccd];

/// The hash of a list and one more number: a bijection of the list's hash, so that no information is lost.
fn step(of_list: u64, odd: u64, number: u64) -> u64 {
    hash::mixed(of_list.wrapping_mul(odd) ^ number)
}

impl Key {
    /// The key of these members.
    pub fn of(ranks: impl Iterator<Item = Rank> + Clone) -> Key {
        // Two independent hashes; the number of members closes each.
        let hash = |seed: u64, odd: u64| {
            let (len, members) = ranks.clone().fold((0, seed), |(len, hash), rank| {
                (len + 1, step(hash, odd, u64::from(rank.get()) + 1))
            });
            step(members, odd, len)
        };
        Key([hash(0x243f_6a88_85a3_08d3, ODD[0]), hash(0x1319_8a2e_0370_7344, ODD[1])])
    }

    /// The key of the same members with a number more: another key for each number.
    pub fn with_number(self, number: u64) -> Key {
        Key([0, 1].map(|half| step(self.0[half], ODD[half], number)))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn lists_have_different_keys() {
        let of = |list: &[u32]| Key::of(list.iter().copied().map(Rank::new));
        // Miri executes a thousand times fewer of them in a second.
        let most = if cfg!(miri) { 8 } else { 64 };
        // Each half alone tells them apart, too.
        let mut seen = [HashSet::new(), HashSet::new()];
        for start in 0..most {
            for len in 1..most {
                for stride in 1..4 {
                    if len == 1 && stride > 1 {
                        continue;
                    }
                    let list: Vec<u32> = (0..len).map(|i| start + i * stride).collect();
                    let key = of(&list);
                    assert!(seen[0].insert(key.0[0]) && seen[1].insert(key.0[1]), "{list:?}");
                }
            }
        }
        assert_ne!(of(&[0, 1]), of(&[1, 0]));
    }
}
