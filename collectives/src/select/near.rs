//! When members work in groups: a model, because no machine with several caches has measured it. It counts the lines that
//! a member reads, by the distance of those that have written them.

use crate::host::grouped::reduces;
use crate::reduction::Canonical;
use xmp_core::coll_area::{Hierarchy, Nearness};

/// Nanoseconds for a line of a stream, by the innermost group that both members are in. Published for processors of several
/// vendors: 22 to 25, 97 to 115 and 188 to 225 for a single line; a core has several on the way.
fn line_ns(nearest: Nearness, split_caches: bool) -> f64 {
    match nearest {
        Nearness::Cache => 4.0,
        Nearness::Host if split_caches => 15.0,
        Nearness::Host => 8.0,
        Nearness::Package | Nearness::Numa => 8.0,
    }
}

/// Nanoseconds that a line takes on the link of a group to others: 40 GB/s.
const LINK_NS: f64 = 1.6;

/// Nanoseconds for a barrier.
const BARRIER_NS: f64 = 1000.0;

/// The part of the time without groups below which groups are used: the model is none too exact.
const GAIN: f64 = 0.8;

/// The costs of members in a hierarchy.
struct Costs<'a> {
    hierarchy: &'a Hierarchy,
}

impl Costs<'_> {
    /// For a line that the member `reader` reads from `holder`.
    fn line(&self, reader: usize, holder: usize) -> f64 {
        let levels = self.hierarchy.levels();
        let nearest = levels.iter().rev().find(|level| level.joins(reader, holder));
        // Members of one group at the innermost level share what they can share.
        if levels.last().is_some_and(|innermost| innermost.joins(reader, holder)) {
            return line_ns(Nearness::Cache, false);
        }
        let has_packages = levels.iter().any(|level| level.nearness == Nearness::Package);
        line_ns(nearest.map_or(Nearness::Host, |level| level.nearness), has_packages)
    }

    /// The average over `from` for a line that the first member reads.
    fn average(&self, from: &[usize]) -> f64 {
        let others = from.iter().filter(|&&it| it != 0).map(|&it| self.line(0, it));
        others.sum::<f64>() / from.len() as f64
    }

    /// For each line of an operand that is shared from the outermost level inwards, and copied out. `held`: those that have
    /// it before.
    fn sharing(&self, held: &[usize]) -> f64 {
        let levels = self.hierarchy.levels();
        let mut held = held;
        let mut sum = 0.0;
        for level in &levels[1..] {
            let group = level.group_of(0);
            sum += self.average(held) / group.len() as f64;
            held = group;
        }
        sum + self.average(held)
    }

    /// For each line of an operand that is combined from the innermost level outwards.
    fn combining(&self) -> f64 {
        let levels = self.hierarchy.levels();
        let canonical = Canonical::of(self.hierarchy.members());
        let innermost = levels.last().expect("the level of all members").group_of(0);
        let mut sum = self.average(innermost);
        for (outer, inner) in levels.iter().zip(&levels[1..]) {
            let group = outer.group_of(0);
            let parts = inner.groups().filter(|part| group.contains(&part[0]));
            let lines =
                parts.map(|part| canonical.largest_of(part).len() as f64 * self.average(part));
            sum += lines.sum::<f64>() / group.len() as f64;
        }
        sum
    }
}

/// Whether one way is better, of a given cost for each line of an operand and number of barriers.
fn is_better(bytes: usize, grouped: (f64, usize), flat: (f64, usize)) -> bool {
    let lines = bytes as f64 / 64.0;
    let time = |(line, barriers): (f64, usize)| line * lines + barriers as f64 * BARRIER_NS;
    time(grouped) < GAIN * time(flat)
}

/// Whether a reduction of `bytes` of elements of length `element` is in groups.
pub fn reduction_in_groups(
    hierarchy: &Hierarchy,
    element: usize,
    bytes: usize,
    to_all: bool,
) -> bool {
    let levels = hierarchy.levels().len();
    if levels == 1 || !reduces(hierarchy, element) {
        return false;
    }
    let costs = Costs { hierarchy };
    let all: Vec<usize> = (0..hierarchy.members()).collect();
    let flat = costs.average(&all);
    let back = if to_all { costs.sharing(&all) } else { flat };
    let stages = if to_all { 2 * levels } else { levels + 1 };
    is_better(bytes, (costs.combining() + back, stages), (2.0 * flat, 2))
}

/// Whether a broadcast of this many bytes is in groups.
pub fn broadcast_in_groups(hierarchy: &Hierarchy, bytes: usize, root: usize) -> bool {
    let levels = hierarchy.levels().len();
    if levels == 1 {
        return false;
    }
    let costs = Costs { hierarchy };
    let innermost = &hierarchy.levels()[levels - 1];
    let far: Vec<usize> =
        (0..hierarchy.members()).filter(|&member| !innermost.joins(member, root)).collect();
    let furthest = far.iter().map(|&member| costs.line(member, root)).fold(0.0, f64::max);
    let each = innermost.group_of(0).len() as f64;
    // All that are far read over one link, with groups once a group.
    let flat = furthest + far.len() as f64 * LINK_NS;
    is_better(bytes, (flat / each + line_ns(Nearness::Cache, false), levels), (flat, 2))
}

/// Whether an allgather of contributions of this many bytes is in groups.
pub fn allgather_in_groups(hierarchy: &Hierarchy, bytes: usize) -> bool {
    let levels = hierarchy.levels().len();
    if levels == 1 {
        return false;
    }
    let costs = Costs { hierarchy };
    let all: Vec<usize> = (0..hierarchy.members()).collect();
    let grouped = costs.sharing(&all);
    is_better(bytes * hierarchy.members(), (grouped, levels), (costs.average(&all), 2))
}
