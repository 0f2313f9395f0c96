//! Numbers of the calls of each set, from 0: the same on all images, which make the calls of a set in the same order.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use xmp_core::image_set::Key;

/// The numbers of one series of calls.
#[derive(Debug, Default)]
pub struct Sequences {
    /// The next number of each set.
    next: RefCell<HashMap<Key, u32>>,
    /// The set of the last call and its next number, which is ahead of that in the map.
    last: Cell<Option<(Key, u32)>>,
}

impl Sequences {
    /// The number of the next call of a set.
    #[inline]
    pub fn next(&self, set: Key) -> u32 {
        let number = match self.last.get() {
            Some((last, next)) if last == set => next,
            _ => self.of_another(set),
        };
        self.last.set(Some((set, number.wrapping_add(1))));
        number
    }

    fn of_another(&self, set: Key) -> u32 {
        let mut numbers = self.next.borrow_mut();
        if let Some((last, next)) = self.last.get() {
            numbers.insert(last, next);
        }
        numbers.get(&set).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_set_counts_for_itself() {
        let sequences = Sequences::default();
        let [one, two] = [Key([1, 2]), Key([1, 3])];
        let numbers = [one, one, two, one, two, two].map(|set| sequences.next(set));
        assert_eq!(numbers, [0, 1, 0, 2, 1, 2]);
    }
}
