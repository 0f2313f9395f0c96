//! Member lists without a formula, with the tables to search them.

use super::words::Words;
use crate::rank::Rank;
use std::hash::{Hash, Hasher};

/// A list of different ranks. Its words may be a part of a table for many lists; clones share the words.
#[derive(Clone, Debug)]
pub struct List {
    words: Words,
    /// Index of the first rank, by position.
    ranks: u32,
    /// Index of the first position, by rank.
    order: u32,
    len: u32,
}

/// The positions of a list of ranks, in the order of the ranks, as [`super::Members::in_table`] needs them.
pub fn by_rank(ranks: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
    order.sort_unstable_by_key(|&position| ranks[position as usize]);
    order
}

impl List {
    /// A list with words of its own.
    ///
    /// # Errors
    /// The rank that `ranks` names twice.
    pub(super) fn new(ranks: &[Rank]) -> Result<List, Rank> {
        let mut words: Vec<u32> = ranks.iter().map(|rank| rank.get()).collect();
        let order = by_rank(&words);
        words.extend(order);
        let len = ranks.len() as u32;
        let list = List { words: Words::own(words), ranks: 0, order: len, len };
        let twice = list.ascending().find(|pair| pair[0] == pair[1]);
        twice.map_or(Ok(list), |twice| Err(Rank::new(twice[0])))
    }

    /// A list in a table.
    ///
    /// # Panics
    /// When it is not in the table.
    pub(super) fn in_table(words: Words, ranks: usize, order: usize, len: usize) -> List {
        assert!(ranks.max(order) + len <= words.len(), "{len} members outside their table");
        let list = List { words, ranks: ranks as u32, order: order as u32, len: len as u32 };
        debug_assert!(list.ascending().all(|pair| pair[0] < pair[1]));
        list
    }

    /// Pairs of neighbours in the order of ranks.
    fn ascending(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let rank = |position: u32| self.ranks()[position as usize];
        self.order().windows(2).map(move |pair| [rank(pair[0]), rank(pair[1])])
    }

    /// The ranks by position.
    #[inline]
    pub(super) fn ranks(&self) -> &[u32] {
        &self.words[self.ranks as usize..][..self.len as usize]
    }

    fn order(&self) -> &[u32] {
        &self.words[self.order as usize..][..self.len as usize]
    }

    /// The position of a rank.
    pub(super) fn position(&self, rank: Rank) -> Option<usize> {
        let (ranks, order) = (self.ranks(), self.order());
        let found = order.binary_search_by_key(&rank.get(), |&position| ranks[position as usize]);
        found.ok().map(|found| order[found] as usize)
    }

    /// Whether the words are a table for several lists.
    pub(super) fn is_in_table(&self) -> bool {
        self.words.len() != 2 * self.len as usize
    }
}

impl PartialEq for List {
    fn eq(&self, other: &List) -> bool {
        self.ranks() == other.ranks()
    }
}

impl Eq for List {}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ranks().hash(state);
    }
}
