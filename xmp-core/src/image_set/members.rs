//! The member list of a set: a formula where there is one, else a table.

use crate::error::{Error, Result};
use crate::rank::Rank;

/// The members of a set, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Members {
    /// `start`, `start + stride`, ... (`len` of them).
    Range {
        /// First rank.
        start: u32,
        /// Distance; not 0, may be negative.
        stride: i32,
        /// Number of members, at least 1.
        len: u32,
    },
    /// Any list, and the same sorted by rank with positions, to search.
    List {
        /// Ranks by position.
        ranks: Box<[Rank]>,
        /// (rank, position), ascending.
        sorted: Box<[(Rank, u32)]>,
    },
}

impl Members {
    /// All images of a job.
    pub fn all(images: usize) -> Members {
        Members::Range { start: 0, stride: 1, len: images as u32 }
    }

    /// The members of a list, as a formula if it has one.
    ///
    /// # Errors
    /// When the list is empty or names an image twice.
    pub fn from_list(ranks: &[Rank]) -> Result<Members> {
        let Some(&first) = ranks.first() else {
            return Err(Error::Invalid("an image set needs at least one image".into()));
        };
        let stride = ranks.get(1).map_or(1, |r| i64::from(r.get()) - i64::from(first.get()));
        let regular = stride != 0
            && ranks.iter().enumerate().all(|(position, rank)| {
                i64::from(rank.get()) == i64::from(first.get()) + position as i64 * stride
            });
        if let (true, Ok(stride)) = (regular, i32::try_from(stride)) {
            return Ok(Members::Range { start: first.get(), stride, len: ranks.len() as u32 });
        }
        let mut sorted: Box<[(Rank, u32)]> =
            ranks.iter().enumerate().map(|(position, &rank)| (rank, position as u32)).collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(Error::RepeatedImage(twice[0].0.image().into()));
        }
        Ok(Members::List { ranks: ranks.into(), sorted })
    }

    /// Number of members.
    #[inline(always)]
    pub fn len(&self) -> usize {
        match self {
            Members::Range { len, .. } => *len as usize,
            Members::List { ranks, .. } => ranks.len(),
        }
    }

    /// Never: there is at least one member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The member at a 0-based position.
    #[inline]
    pub fn rank(&self, position: usize) -> Option<Rank> {
        match self {
            Members::Range { start, stride, len } => (position < *len as usize)
                .then(|| Rank::new((i64::from(*start) + position as i64 * i64::from(*stride)) as u32)),
            Members::List { ranks, .. } => ranks.get(position).copied(),
        }
    }

    /// The 0-based position of a rank.
    pub fn position(&self, rank: Rank) -> Option<usize> {
        match self {
            Members::Range { start, stride, len } => {
                let distance = i64::from(rank.get()) - i64::from(*start);
                let position = distance / i64::from(*stride);
                (distance % i64::from(*stride) == 0 && (0..i64::from(*len)).contains(&position))
                    .then_some(position as usize)
            }
            Members::List { sorted, .. } => sorted
                .binary_search_by_key(&rank, |entry| entry.0)
                .ok()
                .map(|found| sorted[found].1 as usize),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranks(numbers: &[u32]) -> Vec<Rank> {
        numbers.iter().map(|&n| Rank::new(n)).collect()
    }

    #[test]
    fn regular_lists_become_formulas() {
        for list in [vec![0, 1, 2, 3], vec![5], vec![1, 4, 7], vec![6, 4, 2, 0]] {
            let members = Members::from_list(&ranks(&list)).unwrap();
            assert!(matches!(members, Members::Range { .. }), "{list:?}");
        }
        assert!(matches!(Members::from_list(&ranks(&[0, 1, 3])).unwrap(), Members::List { .. }));
    }

    #[test]
    fn repeated_and_missing_images_are_errors() {
        assert_eq!(Members::from_list(&ranks(&[3, 1, 3])), Err(Error::RepeatedImage(4)));
        assert_eq!(Members::from_list(&ranks(&[2, 2])), Err(Error::RepeatedImage(3)));
        assert!(Members::from_list(&[]).is_err());
    }

    proptest! {
        #[test]
        fn positions_and_ranks_are_inverse(list in prop::collection::hash_set(0u32..200, 1..40)) {
            let list = ranks(&list.into_iter().collect::<Vec<_>>());
            let members = Members::from_list(&list).unwrap();
            prop_assert_eq!(members.len(), list.len());
            for (position, &rank) in list.iter().enumerate() {
                prop_assert_eq!(members.rank(position), Some(rank));
                prop_assert_eq!(members.position(rank), Some(position));
            }
            prop_assert_eq!(members.rank(list.len()), None);
            for other in (0..220).map(Rank::new).filter(|r| !list.contains(r)) {
                prop_assert_eq!(members.position(other), None);
            }
        }
    }
}
