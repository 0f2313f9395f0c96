//! Groups of an area's members for the `grouped` barrier; see `README.md` beside this file.
//!
//! Members on one package are nearer to one another than to others; so are, within it, those at one NUMA node and,
//! within that, those that share a cache. Members that nothing tells apart are divided, too, where they are many. The groups
//! form a tree: its inner nodes are groups of several parts, its
//! leaves the members. Levels at which nothing is split are left out, and so are groups of one member. So an inner node
//! has at least two parts, and there are fewer nodes than members. The first member of a part leads it.

use super::layout::MAX_ROUNDS;
use crate::job::page::Place;
use crate::rank::Rank;

/// The most members that nothing tells apart in a group: each member of a group of all members reads the lines of all
/// others.
pub const UNDIVIDED: usize = 16;
/// The members of the groups into which more of them are divided, about.
const DIVIDED: usize = 8;

/// A group that a member belongs to, and what the member does there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Index of its node in the area; 0 is the node of all members.
    pub node: usize,
    /// Number of groups around it; which flag of a leader of one of its parts announces that the part has arrived.
    pub depth: usize,
    /// Its members: they sleep at its node or at nodes of groups within it.
    pub ranks: Box<[Rank]>,
    /// The part of this member arrives by this member. `None`: its leader does that.
    pub arrival: Option<Arrival>,
}

/// What a member does that arrives for a part of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The members that read its flag.
    pub readers: Box<[Rank]>,
    /// Positions of the members whose flags it reads. `None`: it waits for the release.
    pub awaited: Option<Box<[usize]>>,
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
    let all: Vec<Positioned> = members.iter().copied().enumerate().collect();
    let mut path = Vec::new();
    descend(all, 0, 0, &mut 0, me, &mut path);
    path.reverse();
    assert!(!path.is_empty() && path.len() <= MAX_ROUNDS, "a member of the collective area");
    path.into()
}

/// Whether there is more than one group of members.
pub fn are_several(members: &[Placed]) -> bool {
    split(&members.iter().copied().enumerate().collect::<Vec<_>>(), 0).0.len() < members.len()
}

/// A member with its position in the area.
type Positioned = (usize, Placed);

/// Numbers the nodes of a group of at least two members, which is not split above `level`, in depth-first order, and
/// appends those that contain `me` to `path`.
fn descend(
    group: Vec<Positioned>,
    level: usize,
    depth: usize,
    next: &mut usize,
    me: Rank,
    path: &mut Vec<Group>,
) {
    let node = *next;
    *next += 1;
    let (parts, level) = split(&group, level);
    if group.iter().any(|&(_, (rank, _))| rank == me) {
        let leaders: Vec<(usize, Rank)> =
            parts.iter().map(|part| (part[0].0, part[0].1.0)).collect();
        let arrival = leaders.iter().position(|&(_, rank)| rank == me).map(|own| {
            // At the outermost group all read all, elsewhere the leader of the group reads.
            let reads = |reader: usize| depth == 0 || reader == 0;
            let others = || (0..leaders.len()).filter(|&other| other != own);
            Arrival {
                readers: others().filter(|&other| reads(other)).map(|at| leaders[at].1).collect(),
                awaited: reads(own).then(|| others().map(|at| leaders[at].0).collect()),
            }
        });
        let ranks = group.iter().map(|&(_, (rank, _))| rank).collect();
        path.push(Group { node, depth, ranks, arrival });
    }
    for part in parts.into_iter().filter(|part| part.len() > 1) {
        descend(part, level, depth + 1, next, me, path);
    }
}

/// The parts of a group at the first level from `level` on at which it has more than one, and the level after that.
/// Members that no level tells apart are parts themselves, or groups of about the same size if they are many.
fn split(group: &[Positioned], level: usize) -> (Vec<Vec<Positioned>>, usize) {
    for (at, same) in SAME.iter().enumerate().skip(level) {
        let mut parts: Vec<Vec<Positioned>> = Vec::new();
        for &member in group {
            match parts.iter_mut().find(|part| same(&part[0].1.1, &member.1.1)) {
                Some(part) => part.push(member),
                None => parts.push(vec![member]),
            }
        }
        if parts.len() > 1 {
            return (parts, at + 1);
        }
    }
    let size = if group.len() > UNDIVIDED {
        group.len().div_ceil(group.len().div_ceil(DIVIDED))
    } else {
        1
    };
    (group.chunks(size).map(<[_]>::to_vec).collect(), SAME.len())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{HashMap, HashSet};

    fn members(places: &[(u32, u32, u32)]) -> Vec<Placed> {
        let place = |&(package, numa, cache)| Place { core: u32::MAX, cache, numa, package };
        places.iter().enumerate().map(|(i, at)| (Rank::new(i as u32), place(at))).collect()
    }

    fn ranks(numbers: &[u32]) -> Box<[Rank]> {
        numbers.iter().map(|&number| Rank::new(number)).collect()
    }

    fn arrival(readers: &[u32], awaited: Option<&[usize]>) -> Option<Arrival> {
        Some(Arrival { readers: ranks(readers), awaited: awaited.map(Into::into) })
    }

    #[test]
    fn unbound_members_are_one_group() {
        let all: Vec<Placed> = (0..5).map(|i| (Rank::new(i), Place::ANYWHERE)).collect();
        let arrival = arrival(&[0, 1, 2, 4], Some(&[0, 1, 2, 4]));
        let expected = Group { node: 0, depth: 0, ranks: ranks(&[0, 1, 2, 3, 4]), arrival };
        assert_eq!(*groups(&all, Rank::new(3)), [expected]);
    }

    #[test]
    fn many_unbound_members_are_divided() {
        let all: Vec<Placed> = (0..17).map(|i| (Rank::new(i), Place::ANYWHERE)).collect();
        let path = groups(&all, Rank::new(6));
        let outer = Group {
            node: 0,
            depth: 0,
            ranks: all.iter().map(|&(rank, _)| rank).collect(),
            arrival: arrival(&[0, 12], Some(&[0, 12])),
        };
        let inner = Group {
            node: 2,
            depth: 1,
            ranks: ranks(&[6, 7, 8, 9, 10, 11]),
            arrival: arrival(&[], Some(&[7, 8, 9, 10, 11])),
        };
        assert_eq!(*path, [inner, outer]);
    }

    #[test]
    fn levels_that_split_nothing_are_left_out() {
        // Two caches of one node, members dealt unevenly: one of them alone.
        let all = members(&[(0, 0, 0), (0, 0, 1), (0, 0, 0), (0, 0, 0)]);
        let outer = Group { node: 0, depth: 0, ranks: ranks(&[0, 1, 2, 3]), arrival: None };
        let inner =
            Group { node: 1, depth: 1, ranks: ranks(&[0, 2, 3]), arrival: arrival(&[0], None) };
        assert_eq!(*groups(&all, Rank::new(2)), [inner, outer.clone()]);
        let outer = Group { arrival: arrival(&[0], Some(&[0])), ..outer };
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

    /// The flags that are read, by node: writer and reader.
    fn flags(all: &[Placed]) -> HashMap<usize, HashSet<(usize, usize)>> {
        let mut flags: HashMap<usize, HashSet<(usize, usize)>> = HashMap::new();
        for (reader, &(me, _)) in all.iter().enumerate() {
            for group in &groups(all, me) {
                let awaited =
                    group.arrival.iter().flat_map(|arrival| arrival.awaited.iter().flatten());
                flags.entry(group.node).or_default().extend(awaited.map(|&from| (from, reader)));
            }
        }
        flags
    }

    proptest! {
        /// All members agree about every node, nodes fit, and a flag is read by those that its writer wakes.
        #[test]
        fn members_agree(places in prop::collection::vec((0u32..3, 0u32..4, 0u32..6), 2..64)) {
            let all = members(&places);
            let read = flags(&all);
            let mut nodes: HashMap<usize, (Box<[Rank]>, usize)> = HashMap::new();
            for (position, &(me, _)) in all.iter().enumerate() {
                let path = groups(&all, me);
                prop_assert_eq!(path.last().unwrap().node, 0);
                prop_assert!(path[0].arrival.is_some());
                for group in &path {
                    prop_assert!(group.node < all.len() - 1 || group.node == 0);
                    prop_assert!(group.ranks.len() >= 2 && group.ranks.contains(&me));
                    let known = nodes.entry(group.node).or_insert((group.ranks.clone(), group.depth));
                    prop_assert_eq!(&known.0, &group.ranks);
                    prop_assert_eq!(known.1, group.depth);
                    let woken: HashSet<Rank> =
                        group.arrival.iter().flat_map(|it| it.readers.iter().copied()).collect();
                    let reads = |&reader: &usize| read[&group.node].contains(&(position, reader));
                    let readers = (0..all.len()).filter(reads).map(|at| all[at].0).collect();
                    prop_assert_eq!(woken, readers);
                }
            }
        }

        /// In a barrier of members that are bound to `g` places at each level, few lines are read by members of other groups, and
        /// no line has more readers than a group has parts.
        #[test]
        fn few_lines_cross(caches in 1usize..12, each in 1usize..12, packages in 1usize..4) {
            let one = packages * caches;
            let places: Vec<_> = (0..one * each)
                .map(|i| ((i / each / caches) as u32, 0, (i / each) as u32))
                .collect();
            prop_assume!(places.len() > 1);
            let all = members(&places);
            let group = |member: usize| places[member].2;
            let package = |member: usize| places[member].0;
            let read: Vec<(usize, usize)> = flags(&all).into_values().flatten().collect();
            let crossing = |same: &dyn Fn(usize) -> u32| {
                read.iter().filter(|&&(from, to)| same(from) != same(to)).count()
            };
            // Leaders of caches to those of packages, one line each; those read one another.
            prop_assert_eq!(crossing(&package), packages * (packages - 1));
            let among_caches = if packages == 1 && caches <= UNDIVIDED { caches * (caches - 1) }
                else { packages * (packages - 1) + packages * (caches - 1) };
            prop_assert_eq!(crossing(&group), among_caches);
            let most = read.iter().map(|&(from, _)| read.iter().filter(|&&(it, _)| it == from).count());
            let parts = packages.max(caches).max(each).max(2);
            prop_assert!(most.max().unwrap_or(0) <= 2 * parts);
        }
    }
}
