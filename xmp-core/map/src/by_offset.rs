//! Entries by offset, the one that was entered last apart: programs often take out what they have entered last, and then no tree
//! changes.

use std::collections::BTreeMap;

/// Entries by offset.
#[derive(Clone, Debug)]
pub struct ByOffset<V> {
    latest: Option<(u64, V)>,
    others: BTreeMap<u64, V>,
}

impl<V> Default for ByOffset<V> {
    fn default() -> Self {
        ByOffset { latest: None, others: BTreeMap::new() }
    }
}

impl<V> ByOffset<V> {
    /// Enters a value for an offset that has none.
    #[inline]
    pub fn insert(&mut self, offset: u64, value: V) {
        debug_assert!(self.get(offset).is_none());
        if let Some((before, value)) = self.latest.replace((offset, value)) {
            self.others.insert(before, value);
        }
    }

    /// Takes out the value of an offset.
    #[inline]
    pub fn remove(&mut self, offset: u64) -> Option<V> {
        match self.latest.take_if(|latest| latest.0 == offset) {
            Some((_, value)) => Some(value),
            None => self.others.remove(&offset),
        }
    }

    /// The value of an offset.
    #[inline]
    pub fn get(&self, offset: u64) -> Option<&V> {
        match &self.latest {
            Some((latest, value)) if *latest == offset => Some(value),
            _ => self.others.get(&offset),
        }
    }

    /// All offsets in ascending order.
    pub fn offsets(&self) -> impl Iterator<Item = u64> {
        let mut offsets: Vec<u64> = self.others.keys().copied().collect();
        if let Some((latest, _)) = self.latest {
            offsets.insert(offsets.partition_point(|&offset| offset < latest), latest);
        }
        offsets.into_iter()
    }

    /// The entry with the greatest offset up to this one.
    #[inline]
    pub fn at_or_before(&self, offset: u64) -> Option<(u64, &V)> {
        let latest = self.latest.as_ref().filter(|latest| latest.0 <= offset);
        let latest = latest.map(|(offset, value)| (*offset, value));
        let other =
            self.others.range(..=offset).next_back().map(|(&offset, value)| (offset, value));
        match (latest, other) {
            (Some(latest), Some(other)) => Some(if latest.0 > other.0 { latest } else { other }),
            (one, other) => one.or(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::btree_map::Entry;

    proptest! {
        /// It is a map, whatever is entered and taken out in which order.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((any::<bool>(), 0u64..12), 1..60)) {
            let mut model = BTreeMap::new();
            let mut map = ByOffset::default();
            for (number, (enters, offset)) in steps.into_iter().enumerate() {
                if !enters {
                    prop_assert_eq!(map.remove(offset), model.remove(&offset));
                } else if let Entry::Vacant(place) = model.entry(offset) {
                    map.insert(offset, number);
                    place.insert(number);
                }
                prop_assert!(map.offsets().eq(model.keys().copied()));
                for at in 0..13 {
                    prop_assert_eq!(map.get(at), model.get(&at));
                    let before = model.range(..=at).next_back().map(|(&at, value)| (at, value));
                    prop_assert_eq!(map.at_or_before(at), before);
                }
            }
        }
    }
}
