//! Cache of the sets that an image has made, so that the same members are the same set.

use super::set::ImageSet;
use crate::members::Members;
use std::collections::HashMap;
use std::rc::Rc;

/// Sets by members. Unreferenced sets stay for a while, because a task region in a loop enters the same set again and
/// again; but not for ever, because a program may make ever new ones.
#[derive(Debug)]
pub struct SetCache {
    by_members: HashMap<Members, Rc<ImageSet>>,
    /// Weight of the sets made since unreferenced ones were last dropped.
    added: usize,
}

/// Weight at which unreferenced sets are dropped.
const SWEEP: usize = 1024;

impl SetCache {
    /// A cache with one set, which the caller keeps referenced.
    pub fn new(first: Rc<ImageSet>) -> SetCache {
        let by_members = HashMap::from([(first.members().clone(), first)]);
        SetCache { by_members, added: 0 }
    }

    /// The set with these members, if there is one.
    pub fn get(&self, members: &Members) -> Option<Rc<ImageSet>> {
        self.by_members.get(members).cloned()
    }

    /// Adds a new set.
    pub fn insert(&mut self, set: &Rc<ImageSet>) {
        // A formula weighs 1; a list about as much as the formulas that need the same memory.
        self.added += match set.members().stride() {
            Some(_) => 1,
            None => 1 + set.len() / 16,
        };
        if self.added >= SWEEP {
            self.added = 0;
            self.by_members.retain(|_, set| Rc::strong_count(set) > 1);
        }
        self.by_members.insert(set.members().clone(), set.clone());
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::rank::Rank;

    #[test]
    fn ever_new_sets_do_not_pile_up() {
        let set = |members| Rc::new(ImageSet::new(members, Rank::new(0), Rc::default()));
        let mut cache = SetCache::new(set(Members::all(4096)));
        let used = set(Members::range(Rank::new(3), 2, 9).unwrap());
        cache.insert(&used);
        for start in 0..10_000 {
            let members = match start % 2 {
                0 => Members::range(Rank::new(start), 1, 5),
                _ => Members::from_list(&[start, start + 7, start + 1].map(Rank::new)),
            };
            cache.insert(&set(members.unwrap()));
            assert!(cache.by_members.len() <= SWEEP + 2);
        }
        assert!(Rc::ptr_eq(&cache.get(used.members()).unwrap(), &used));
        let large: Vec<Rank> = (0..4000).map(|k| Rank::new(k * k)).collect();
        for skip in 0..100 {
            cache.insert(&set(Members::from_list(&large[skip..]).unwrap()));
        }
        assert!(cache.by_members.len() < 10);
    }
}
