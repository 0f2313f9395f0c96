//! The members of an area by the places they are bound to, for collectives that move long data: each level is a partition of the
//! members. `groups.rs` has the tree of the barrier, which also divides members that nothing tells apart.

use crate::job::page::Place;

/// What the groups of a level have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// The host: all members.
    Host,
    /// A package.
    Package,
    /// A NUMA node.
    Numa,
    /// A last-level cache.
    Cache,
}

/// The members in groups, all of which have something in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// What that is.
    pub nearness: Nearness,
    /// Positions of the members of each group, in ascending order.
    groups: Box<[Box<[usize]>]>,
    /// The group of each member.
    group_of: Box<[usize]>,
}

impl Partition {
    fn by<K: PartialEq>(nearness: Nearness, places: &[Place], key: impl Fn(&Place) -> K) -> Self {
        let mut keys: Vec<K> = Vec::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of = Vec::new();
        for (position, place) in places.iter().enumerate() {
            let key = key(place);
            let at = keys.iter().position(|known| *known == key).unwrap_or(keys.len());
            if at == keys.len() {
                keys.push(key);
                groups.push(Vec::new());
            }
            groups[at].push(position);
            group_of.push(at);
        }
        let groups = groups.into_iter().map(Vec::into_boxed_slice).collect();
        Partition { nearness, groups, group_of: group_of.into() }
    }

    /// The groups.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        self.groups.iter().map(|group| &**group)
    }

    /// The group of the member at a position.
    pub fn group_of(&self, position: usize) -> &[usize] {
        &self.groups[self.group_of[position]]
    }

    /// Whether two members are in one group.
    pub fn joins(&self, a: usize, b: usize) -> bool {
        self.group_of[a] == self.group_of[b]
    }
}

/// All levels, the outermost first: that of all members, and those within, each of which splits groups of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    levels: Box<[Partition]>,
    places: Option<Box<[usize]>>,
}

impl Hierarchy {
    /// The levels of members at these places. Levels that split nothing are left out, and so is one at which each member
    /// is alone.
    pub fn of(places: &[Place]) -> Hierarchy {
        let mut levels = vec![Partition::by(Nearness::Host, places, |_| ())];
        for level in [
            Partition::by(Nearness::Package, places, |p| p.package),
            Partition::by(Nearness::Numa, places, |p| (p.package, p.numa)),
            Partition::by(Nearness::Cache, places, |p| (p.package, p.numa, p.cache)),
        ] {
            let outer = levels.last().expect("the level of all members");
            if level.groups.len() > outer.groups.len() && level.groups.len() < places.len() {
                levels.push(level);
            }
        }
        let places = places_in_rows(&levels);
        Hierarchy { levels: levels.into(), places }
    }

    /// The levels; the first one is that of all members.
    pub fn levels(&self) -> &[Partition] {
        &self.levels
    }

    /// Number of members.
    pub fn members(&self) -> usize {
        self.levels[0].group_of.len()
    }

    /// The place of each member in an order in which the members of each group, at every level, follow one another. `None` if
    /// that is the order of their positions.
    pub fn places(&self) -> Option<&[usize]> {
        self.places.as_deref()
    }
}

fn places_in_rows(levels: &[Partition]) -> Option<Box<[usize]>> {
    let mut members: Vec<usize> = (0..levels[0].group_of.len()).collect();
    let groups = |&member: &usize| levels.iter().map(move |level| level.group_of[member]);
    members.sort_by(|a, b| groups(a).cmp(groups(b)));
    if members.is_sorted() {
        return None;
    }
    let mut places = vec![0; members.len()];
    members.iter().enumerate().for_each(|(place, &member)| places[member] = place);
    Some(places.into())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn places(of: &[(u32, u32, u32)]) -> Vec<Place> {
        let place = |&(package, numa, cache)| Place { core: u32::MAX, cache, numa, package };
        of.iter().map(place).collect()
    }

    #[test]
    fn a_level_that_splits_nothing_or_everything_is_left_out() {
        let all = Hierarchy::of(&places(&[(0, 0, 0), (0, 0, 1), (0, 0, 2)]));
        assert_eq!(all.levels().len(), 1);
        let two = Hierarchy::of(&places(&[(0, 0, 0), (0, 1, 1), (0, 0, 0), (0, 1, 1)]));
        let kinds: Vec<Nearness> = two.levels().iter().map(|level| level.nearness).collect();
        assert_eq!(kinds, [Nearness::Host, Nearness::Numa]);
        assert_eq!(two.levels()[1].group_of(3), [1, 3]);
        assert!(two.levels()[1].joins(0, 2) && !two.levels()[1].joins(0, 1));
    }

    #[test]
    fn members_of_a_group_follow_one_another_in_rows() {
        let blocks = Hierarchy::of(&places(&[(0, 0, 0), (0, 0, 0), (0, 0, 1), (1, 1, 2)]));
        assert_eq!(blocks.places(), None);
        // Dealt out in turn to packages, and in each of them to caches.
        let dealt: Vec<_> = (0..8).map(|i| (i % 2, i % 2, i % 4)).collect();
        let dealt = Hierarchy::of(&places(&dealt));
        assert_eq!(dealt.places().unwrap(), [0, 4, 2, 6, 1, 5, 3, 7]);
        for level in dealt.levels() {
            for group in level.groups() {
                let mut places: Vec<usize> =
                    group.iter().map(|&member| dealt.places().unwrap()[member]).collect();
                places.sort_unstable();
                assert!(places.windows(2).all(|pair| pair[1] == pair[0] + 1), "{level:?}");
            }
        }
    }

    #[test]
    fn levels_split_groups_of_the_level_before() {
        let three = Hierarchy::of(&places(&[
            (0, 0, 0),
            (0, 0, 0),
            (1, 1, 1),
            (1, 2, 2),
            (1, 2, 2),
            (1, 2, 3),
        ]));
        let numbers: Vec<usize> = three.levels().iter().map(|level| level.groups().len()).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        for (outer, inner) in three.levels().iter().zip(&three.levels()[1..]) {
            for group in inner.groups() {
                assert!(group.iter().all(|&member| outer.joins(member, group[0])));
            }
        }
    }
}
