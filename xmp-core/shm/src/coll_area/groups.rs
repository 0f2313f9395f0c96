//! Groups of an area's members by the places they are bound to, for the `grouped` barrier; see `README.md` beside this
//! file.
//!
//! Members on one package are nearer to one another than to others; so are, within it, those at one NUMA node and,
//! within that, those that share a cache. The groups form a tree: its inner nodes are groups of several parts, its
//! leaves the members. Levels at which nothing is split are left out, and so are groups of one member. So an inner node
//! has at least two parts, and there are fewer nodes than members.

use crate::job::page::Place;
use crate::rank::Rank;

/// A group that a member belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Index of its node in the area; 0 is the node of all members.
    pub node: usize,
    /// Number of its parts: groups within it, and members that are in none of those.
    pub parts: u64,
    /// Its members: they sleep at its node or at nodes of groups within it.
    pub ranks: Box<[Rank]>,
}

/// A member with its place.
type Placed = (Rank, Place);

/// Whether two places are on the same side of the split at a level, from the outermost one.
const SAME: [fn(&Place, &Place) -> bool; 3] =
    [|a, b| a.package == b.package, |a, b| a.numa == b.numa, |a, b| a.cache == b.cache];

/// The groups of the member `me`, the innermost first; the last one is that of all members. Every member computes the
/// same nodes.
///
/// # Panics
/// When `me` is not among the members.
pub fn groups(members: &[Placed], me: Rank) -> Box<[Group]> {
    let mut path = Vec::new();
    descend(members.to_vec(), 0, &mut 0, me, &mut path);
    path.reverse();
    assert!(!path.is_empty(), "a member of the collective area");
    path.into()
}

/// Numbers the nodes of a group of at least two members, which is not split above `level`, in depth-first order, and
/// appends those that contain `me` to `path`.
fn descend(group: Vec<Placed>, level: usize, next: &mut usize, me: Rank, path: &mut Vec<Group>) {
    let node = *next;
    *next += 1;
    let (parts, level) = split(&group, level);
    if group.iter().any(|&(rank, _)| rank == me) {
        let ranks = group.iter().map(|&(rank, _)| rank).collect();
        // Members that no level tells apart are parts themselves.
        let number = if parts.len() == 1 { group.len() } else { parts.len() };
        path.push(Group { node, parts: number as u64, ranks });
    }
    if parts.len() > 1 {
        for part in parts.into_iter().filter(|part| part.len() > 1) {
            descend(part, level, next, me, path);
        }
    }
}

/// The parts of a group at the first level from `level` on at which it has more than one, and the level after that.
fn split(group: &[Placed], level: usize) -> (Vec<Vec<Placed>>, usize) {
    for (at, same) in SAME.iter().enumerate().skip(level) {
        let mut parts: Vec<Vec<Placed>> = Vec::new();
        for &member in group {
            match parts.iter_mut().find(|part| same(&part[0].1, &member.1)) {
                Some(part) => part.push(member),
                None => parts.push(vec![member]),
            }
        }
        if parts.len() > 1 {
            return (parts, at + 1);
        }
    }
    (vec![group.to_vec()], SAME.len())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn members(places: &[(u32, u32, u32)]) -> Vec<Placed> {
        let place = |&(package, numa, cache)| Place { core: u32::MAX, cache, numa, package };
        places.iter().enumerate().map(|(i, at)| (Rank::new(i as u32), place(at))).collect()
    }

    fn ranks(numbers: &[u32]) -> Box<[Rank]> {
        numbers.iter().map(|&number| Rank::new(number)).collect()
    }

    #[test]
    fn unbound_members_are_one_group() {
        let all: Vec<Placed> = (0..5).map(|i| (Rank::new(i), Place::ANYWHERE)).collect();
        let expected = Group { node: 0, parts: 5, ranks: ranks(&[0, 1, 2, 3, 4]) };
        assert_eq!(*groups(&all, Rank::new(3)), [expected]);
    }

    #[test]
    fn levels_that_split_nothing_are_left_out() {
        // Two caches of one node, members dealt unevenly: one of them alone.
        let all = members(&[(0, 0, 0), (0, 0, 1), (0, 0, 0), (0, 0, 0)]);
        let outer = Group { node: 0, parts: 2, ranks: ranks(&[0, 1, 2, 3]) };
        let inner = Group { node: 1, parts: 3, ranks: ranks(&[0, 2, 3]) };
        assert_eq!(*groups(&all, Rank::new(2)), [inner, outer.clone()]);
        assert_eq!(*groups(&all, Rank::new(1)), [outer]);
    }

    #[test]
    fn three_levels() {
        // Two packages; the second has two nodes, of which the second has two caches.
        let all = members(&[(0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 2, 2), (1, 2, 2), (1, 2, 3)]);
        let nodes: Vec<usize> = groups(&all, Rank::new(4)).iter().map(|group| group.node).collect();
        assert_eq!(nodes, [4, 3, 2, 0]);
        let nodes: Vec<usize> = groups(&all, Rank::new(0)).iter().map(|group| group.node).collect();
        assert_eq!(nodes, [1, 0]);
    }

    proptest! {
        /// All members agree about every node, each node gets as many arrivals as it has parts, and nodes fit.
        #[test]
        fn members_agree(places in prop::collection::vec((0u32..3, 0u32..4, 0u32..6), 2..64)) {
            let all = members(&places);
            let mut nodes: HashMap<usize, (Group, u64)> = HashMap::new();
            for &(me, _) in &all {
                let path = groups(&all, me);
                prop_assert_eq!(path.last().unwrap().node, 0);
                for (at, group) in path.iter().enumerate() {
                    prop_assert!(group.node < all.len() - 1 || group.node == 0);
                    prop_assert!(group.parts >= 2 && group.ranks.contains(&me));
                    // A member arrives itself at its innermost group; its first member stands for a group elsewhere.
                    let arrives = at == 0 || path[at - 1].ranks[0] == me;
                    let known = nodes.entry(group.node).or_insert((group.clone(), 0));
                    prop_assert_eq!(&known.0, group);
                    known.1 += u64::from(arrives);
                }
            }
            prop_assert!(nodes.values().all(|(group, arrivals)| group.parts == *arrivals));
        }
    }
}
