//! Reduction of long operands.
//!
//! At each level, from the innermost one outwards, the members of a group combine a share each of what its parts have combined.
//! They combine the largest brackets that are within the group ([`Canonical`]): one result where the members of a
//! group follow one another and are a power of two, several elsewhere.

use super::shares::{longest_share, share};
use super::{Placement, Regions, Run, fetch, fetched, pipeline, shared_at};
use crate::copy::take;
use crate::host::reduce::Operand;
use crate::host::{Host, Sources};
use crate::reduction::{Brackets, Canonical};
use std::ops::Range;
use xmp_core::BoxedResult;
use xmp_core::coll_area::Hierarchy;

/// What this member combines at a level.
struct Level<'a> {
    /// Its group.
    group: &'a [usize],
    /// The parts of the group, and how many results each has.
    parts: Vec<(&'a [usize], usize)>,
    /// The results of the group, of the results of the parts in their order.
    results: Vec<Brackets>,
}

impl<'a> Level<'a> {
    fn of(hierarchy: &'a Hierarchy, level: usize, me: usize) -> Level<'a> {
        let canonical = Canonical::of(hierarchy.members());
        let group = hierarchy.levels()[level].group_of(me);
        let parts: Vec<&[usize]> = match hierarchy.levels().get(level + 1) {
            None => group.chunks(1).collect(),
            Some(inner) => inner.groups().filter(|part| group.contains(&part[0])).collect(),
        };
        let mut sources: Vec<Range<usize>> = Vec::new();
        let with_number = |part: &&'a [usize]| {
            let results = canonical.largest_of(part);
            let number = results.len();
            sources.extend(results);
            (*part, number)
        };
        let parts = parts.iter().map(with_number).collect();
        let source = |it: &Range<usize>| sources.iter().position(|source| source == it);
        let largest = canonical.largest_of(group);
        let results = largest.iter().map(|whole| canonical.out_of(whole, &source)).collect();
        Level { group, parts, results }
    }

    /// The share of a member in a piece of `len` elements, in ranges that each part has with one member, and these members.
    fn reads(&self, element: usize, len: usize, me: usize) -> Vec<(Range<usize>, Vec<Run>)> {
        let own = share(self.group, element, len, me);
        let of_part = |&(group, _): &(&[usize], usize)| {
            let mut runs = Placement::InShares { group, element }.runs(len, &own, me);
            runs.sort_by_key(|run| run.range.start);
            runs
        };
        let parts: Vec<Vec<Run>> = self.parts.iter().map(of_part).collect();
        let mut ends: Vec<usize> = parts.iter().flatten().map(|run| run.range.end).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut start = own.start;
        let with_holders = |end| {
            let range = std::mem::replace(&mut start, end)..end;
            let holder = |runs: &Vec<Run>| {
                let run = runs.iter().find(|run| run.range.contains(&range.start));
                let run = run.expect("each part has all elements");
                Run {
                    holder: run.holder,
                    range: range.clone(),
                    at: run.at + range.start - run.range.start,
                }
            };
            let holders = parts.iter().map(holder).collect();
            (range, holders)
        };
        ends.into_iter().map(with_holders).collect()
    }
}

/// Whether this algorithm has room for elements of this length.
pub fn reduces(hierarchy: &Hierarchy, element: usize) -> bool {
    let levels = hierarchy.levels().len();
    levels > 1 && Regions::longest_piece(2 * levels, hierarchy.members(), element) >= element
}

/// The algorithm on one member.
struct Reduce<'a> {
    host: &'a Host<'a>,
    operand: &'a Operand<'a>,
    /// From the outermost one.
    levels: Vec<Level<'a>>,
    /// Levels at which the result is shared.
    shared: usize,
    regions: Regions,
    /// Operands in segments; null: staged.
    addresses: Sources,
}

/// Combines the operands of members for which [`reduces`].
pub fn reduce(host: &Host<'_>, operand: &Operand<'_>) -> BoxedResult<()> {
    let (hierarchy, me, elements) = (host.area.hierarchy(), host.me(), &operand.elements);
    let (members, element) = (host.members(), elements.element());
    let number = hierarchy.levels().len();
    let shared = if operand.to.is_none() { number - 1 } else { 0 };
    let last = number + shared + 1;
    let most = Regions::longest_piece(last, members, element) / element;
    let pieces: Vec<Range<usize>> = elements.pieces(most.max(1)).collect();
    let longest = pieces.first().map_or(0, Range::len);
    let mut reduce = Reduce {
        host,
        operand,
        levels: (0..number).map(|level| Level::of(hierarchy, level, me)).collect(),
        shared,
        regions: Regions::new(last, members, element, longest * element),
        addresses: Sources::new(),
    };
    let is_staged = host.post_address(elements.at(0)) == 0;
    pipeline(host, pieces.len(), last, |stage, piece| {
        if (stage, piece) == (1, 0) {
            reduce.addresses.extend((0..members).map(|member| host.posted_address(member)));
        }
        let piece = &pieces[piece];
        match stage {
            0 if is_staged => reduce.stage(piece),
            0 => {}
            _ if stage <= number => reduce.combine(stage, piece),
            _ if stage < last => reduce.share(stage, piece),
            _ => reduce.copy_out(stage, piece),
        }
        Ok(())
    })
}

impl Reduce<'_> {
    fn element(&self) -> usize {
        self.operand.elements.element()
    }

    fn stage(&self, piece: &Range<usize>) {
        let (area, elements) = (self.host.area, &self.operand.elements);
        let bytes = piece.len() * self.element();
        // SAFETY: the elements have this piece, and a region has room for it.
        unsafe { area.stage(self.regions.own(self.host, 0), elements.at(piece.start), bytes) };
    }

    /// Combines this member's share of a piece in its group of the level that belongs to the stage.
    fn combine(&self, stage: usize, piece: &Range<usize>) {
        let (host, element, len) = (self.host, self.element(), piece.len());
        let level = &self.levels[self.levels.len() - stage];
        let own = share(level.group, element, len, host.me());
        let longest = longest_share(level.group, element, len);
        let to = self.regions.own(host, stage);
        for (range, holders) in level.reads(element, len, host.me()) {
            let mut sources = Sources::new();
            for (&(part, results), run) in level.parts.iter().zip(&holders) {
                if stage == 1 {
                    sources.push(self.of_operand(run.holder, piece, range.start));
                    continue;
                }
                let first = self.regions.of(host, stage - 1, run.holder);
                let longest = longest_share(part, element, len);
                let result = |result| first.wrapping_add((result * longest + run.at) * element);
                sources.extend((0..results).map(result));
            }
            for (number, brackets) in level.results.iter().enumerate() {
                let at = (number * longest + range.start - own.start) * element;
                // SAFETY: sources and region have these elements. Staging of the last epoch is not written before the
                // next barrier; operands in segments change in the last stage of the piece only, a barrier later.
                unsafe {
                    let reduction = self.operand.elements.reduction();
                    reduction.combine_in(to.wrapping_add(at), brackets, &sources, range.len());
                }
            }
        }
    }

    /// The address of a member's operand, from element `from` of a piece on.
    fn of_operand(&self, member: usize, piece: &Range<usize>, from: usize) -> *const u8 {
        let (address, own) = (self.addresses[member], self.operand.elements.at(0));
        if member == self.host.me() {
            own.cast_const().wrapping_add((piece.start + from) * self.element())
        } else if address.is_null() {
            self.regions.of(self.host, 0, member).wrapping_add(from * self.element())
        } else {
            address.wrapping_add((piece.start + from) * self.element())
        }
    }

    /// Copies this member's share of the results of a piece into its group.
    fn share(&self, stage: usize, piece: &Range<usize>) {
        let (host, element) = (self.host, self.element());
        let hierarchy = host.area.hierarchy();
        let held = shared_at(hierarchy, 0, element, host.me());
        let level = stage - self.levels.len();
        let part = fetched(hierarchy, level, held, element, piece.len(), host.me());
        // SAFETY: regions have room for shares. Staging of the last epoch is not written before the next barrier.
        unsafe {
            fetch(&part, element, self.regions.own(host, stage), |run| {
                self.regions.of(host, stage - 1, run.holder).wrapping_add(run.at * element)
            });
        }
    }

    fn copy_out(&self, stage: usize, piece: &Range<usize>) {
        let (host, element, len) = (self.host, self.element(), piece.len());
        if !self.operand.wanted_by(host.me()) {
            return;
        }
        let held = shared_at(host.area.hierarchy(), self.shared, element, host.me());
        for run in held.runs(len, &(0..len), host.me()) {
            let from = self.regions.of(host, stage - 1, run.holder).wrapping_add(run.at * element);
            let to = self.operand.elements.at(piece.start + run.range.start);
            // SAFETY: the elements have this piece. Staging of the last epoch is not written before the next barrier.
            unsafe { take(to, from, run.range.len() * element) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{self, far};
    use super::*;
    use xmp_core::job::page::Place;

    /// Elements of a piece that members read of other groups of the innermost level: in groups, and when each member combines a
    /// share for all.
    fn crossing(places: &[Place], len: usize) -> [usize; 2] {
        let hierarchy = Hierarchy::of(places);
        let all: Vec<usize> = (0..places.len()).collect();
        let held = Placement::InShares { group: &all, element: 8 };
        let [mut grouped, mut flat] = [tests::crossing(&hierarchy, held, 8, len), 0];
        for &me in &all {
            for at in 0..hierarchy.levels().len() {
                let level = Level::of(&hierarchy, at, me);
                for (_, holders) in level.reads(8, len, me) {
                    for (&(_, results), run) in level.parts.iter().zip(&holders) {
                        grouped += results * far(&hierarchy, std::slice::from_ref(run), me);
                    }
                }
            }
            let innermost = hierarchy.levels().last().unwrap();
            let own = share(&all, 8, len, me);
            flat += all.iter().filter(|&&it| !innermost.joins(it, me)).count() * own.len();
            flat += far(&hierarchy, &held.runs(len, &(0..len), me), me);
        }
        [grouped, flat]
    }

    fn places(packages: u32, caches: u32, each: u32) -> Vec<Place> {
        let place = |image: u32| Place {
            core: u32::MAX,
            cache: image / each,
            numa: image / each / caches,
            package: image / each / caches,
        };
        (0..packages * caches * each).map(place).collect()
    }

    /// g groups read g - 1 operands of one another on the way in, and as many on the way back.
    #[test]
    fn few_lines_cross_groups() {
        let len = 128 * 128;
        assert_eq!(crossing(&places(1, 2, 8), len), [2 * len, 16 * len]);
        assert_eq!(crossing(&places(1, 8, 8), len), [14 * len, 112 * len]);
        // Packages: 6 groups of 4 in each of 2.
        let [grouped, flat] = crossing(&places(2, 4, 16), len);
        assert!(grouped * 10 < flat, "{grouped} and {flat}");
        // Images that are dealt out in turn share no brackets: no less crosses inwards, but backwards.
        let dealt: Vec<Place> =
            (0..16).map(|image| Place { cache: image % 2, ..Place::ANYWHERE }).collect();
        let [grouped, flat] = crossing(&dealt, len);
        assert_eq!([grouped, flat], [9 * len, 16 * len]);
    }

    #[test]
    fn nothing_crosses_but_between_groups() {
        assert_eq!(crossing(&places(1, 1, 8), 1024), [0, 0]);
    }
}
