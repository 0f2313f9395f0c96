//! The member list of a set: a formula where there is one, else a table.

mod key;
mod list;
mod words;

pub use key::Key;
pub use list::by_rank;
pub use words::{Table, Words};

use crate::error::{Error, Result};
use crate::rank::Rank;
use list::List;

/// The members of a set, in order: at least one, all different. Equal lists are equal members.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Members(pub(super) Form);

/// How members are stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// `start`, `start + stride`, ... (`len` of them).
    Range {
        /// First rank.
        start: u32,
        /// Distance; not 0, may be negative; 1 for a single member.
        stride: i32,
        /// Number of members, at least 1.
        len: u32,
    },
    /// Any other list.
    List(List),
}

impl Members {
    /// All images of a job.
    ///
    /// # Panics
    /// When there are none.
    pub fn all(images: usize) -> Members {
        Members::range(Rank::new(0), 1, images as u32).expect("a job has an image")
    }

    /// The members `start`, `start + stride`, ..., `len` in all.
    ///
    /// # Errors
    /// When there is no member, a member is named twice or there is no such rank.
    pub fn range(start: Rank, stride: i32, len: u32) -> Result<Members> {
        let Some(steps) = len.checked_sub(1) else { return Err(no_member()) };
        let first = i64::from(start.get());
        if steps > 0 && stride == 0 {
            return Err(Error::RepeatedImage(first + 1));
        }
        let last = first + i64::from(stride) * i64::from(steps);
        if steps > 0 && u32::try_from(last).is_err() {
            let text =
                format!("an image set cannot reach from {start} in {steps} steps of {stride}");
            return Err(Error::Invalid(text));
        }
        let stride = if steps == 0 { 1 } else { stride };
        Ok(Members(Form::Range { start: start.get(), stride, len }))
    }

    /// The members of a list, as a formula if it has one.
    ///
    /// # Errors
    /// When the list is empty or names an image twice.
    pub fn from_list(ranks: &[Rank]) -> Result<Members> {
        let Some(&first) = ranks.first() else {
            return Err(no_member());
        };
        let stride = ranks.get(1).map_or(1, |r| i64::from(r.get()) - i64::from(first.get()));
        let regular = stride != 0
            && ranks.iter().enumerate().all(|(position, rank)| {
                i64::from(rank.get()) == i64::from(first.get()) + position as i64 * stride
            });
        if let (true, Ok(stride)) = (regular, i32::try_from(stride)) {
            return Members::range(first, stride, ranks.len() as u32);
        }
        match List::new(ranks) {
            Ok(list) => Ok(Members(Form::List(list))),
            Err(twice) => Err(Error::RepeatedImage(twice.image().into())),
        }
    }

    /// The `len` members whose ranks are in a table from word `ranks` on; from word `order` on are their positions by
    /// rank ([`by_rank`]). The words are not checked: they must be ranks of the job, all different, in the right
    /// order, or searches give wrong answers.
    ///
    /// # Panics
    /// When they are not in the table.
    pub fn in_table(words: Words, ranks: usize, order: usize, len: usize) -> Members {
        Members(Form::List(List::in_table(words, ranks, order, len)))
    }

    /// Whether these members refer to a table that the caller keeps ([`Members::in_table`]).
    pub fn is_in_table(&self) -> bool {
        matches!(&self.0, Form::List(list) if list.is_in_table())
    }

    /// The distance between members, if it is always the same; 1 for a single member.
    pub fn stride(&self) -> Option<i32> {
        match self.0 {
            Form::Range { stride, .. } => Some(stride),
            Form::List(_) => None,
        }
    }

    /// The ranks in their order, where no formula gives them ([`Members::stride`]).
    pub fn table(&self) -> Option<&[u32]> {
        match &self.0 {
            Form::Range { .. } => None,
            Form::List(list) => Some(list.ranks()),
        }
    }

    /// Number of members.
    #[inline(always)]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Range { len, .. } => *len as usize,
            Form::List(list) => list.ranks().len(),
        }
    }

    /// Never: there is at least one member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The member at a 0-based position.
    #[inline]
    pub fn rank(&self, position: usize) -> Option<Rank> {
        match &self.0 {
            Form::Range { start, stride, len } => (position < *len as usize).then(|| {
                Rank::new((i64::from(*start) + position as i64 * i64::from(*stride)) as u32)
            }),
            Form::List(list) => list.ranks().get(position).copied().map(Rank::new),
        }
    }

    /// The 0-based position of a rank.
    pub fn position(&self, rank: Rank) -> Option<usize> {
        match &self.0 {
            Form::Range { start, stride, len } => {
                let distance = i64::from(rank.get()) - i64::from(*start);
                let position = distance / i64::from(*stride);
                (distance % i64::from(*stride) == 0 && (0..i64::from(*len)).contains(&position))
                    .then_some(position as usize)
            }
            Form::List(list) => list.position(rank),
        }
    }
}

fn no_member() -> Error {
    Error::Invalid("an image set needs at least one image".into())
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
            assert!(members.stride().is_some(), "{list:?}");
        }
        assert_eq!(Members::from_list(&ranks(&[0, 1, 3])).unwrap().stride(), None);
    }

    #[test]
    fn repeated_and_missing_images_are_errors() {
        assert_eq!(Members::from_list(&ranks(&[3, 1, 3])), Err(Error::RepeatedImage(4)));
        assert_eq!(Members::from_list(&ranks(&[2, 2])), Err(Error::RepeatedImage(3)));
        assert!(Members::from_list(&[]).is_err());
    }

    #[test]
    fn only_formulas_with_members_are_made() {
        let range = |start, stride, len| Members::range(Rank::new(start), stride, len);
        assert_eq!(range(2, 0, 3), Err(Error::RepeatedImage(3)));
        assert!(range(2, 1, 0).is_err());
        assert!(range(2, -1, 4).is_err());
        assert!(range(2, i32::MAX, 4).is_err());
        assert_eq!(range(6, -3, 3), Members::from_list(&ranks(&[6, 3, 0])));
        // All forms of a single member are the same set.
        assert_eq!(range(4, 0, 1), range(4, 9, 1));
        assert_eq!(range(4, -9, 1), Members::from_list(&ranks(&[4])));
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
