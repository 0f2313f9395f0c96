//! Algorithms for members that are bound to several packages, NUMA nodes or caches: what is with another group is fetched
//! by one of its members only, and the others take it from there.
//!
//! The pieces of an operand go through *stages* as through a pipeline, with a barrier between steps: in each step the
//! members execute the first stage of one piece, the second stage of the piece before and so on. Each stage
//! writes to a region of its own in staging, and reads the region of the stage before.
//!
//! ```text
//! reduction            broadcast             allgather
//! stage the operand    the root stages       stage the contribution
//! combine in caches
//! combine in packages
//! combine in the host
//! share in packages    share in packages     share in packages
//! share in caches      share in caches       share in caches
//! copy out             copy out              copy out
//! ```
//!
//! To *share* is to copy a part each into the group, all together once. With n members of g groups the bytes that a group reads of others are
//! g - 1 times the operand at most, not n - n / g times.

mod allgather;
mod broadcast;
mod reduce;
mod shares;

pub use allgather::allgather;
pub use broadcast::broadcast;
pub use reduce::{reduce, reduces};

use super::Host;
use crate::copy::take;
use shares::{Placement, Run, share};
use std::ops::Range;
use xmp_core::BoxedResult;
use xmp_core::coll_area::{Hierarchy, STAGING};

/// Bytes of a cache line.
const LINE: usize = 64;

/// The regions of the stages in staging buffers.
#[derive(Clone, Copy, Debug)]
struct Regions {
    /// Number of stages but the last one, which writes to no region.
    number: usize,
    /// Bytes of each.
    len: usize,
}

impl Regions {
    /// Bytes of pieces whose regions fit, of at most `members` shares that are rounded up to whole lines and elements; 0 if
    /// none does.
    fn longest_piece(number: usize, members: usize, element: usize) -> usize {
        let region = STAGING / number / LINE * LINE;
        region.saturating_sub(Regions::rounding(members, element))
    }

    fn rounding(members: usize, element: usize) -> usize {
        members * (LINE + element)
    }

    /// For pieces of this length.
    fn new(number: usize, members: usize, element: usize, piece: usize) -> Regions {
        let len = (piece + Regions::rounding(members, element)).next_multiple_of(LINE);
        Regions { number, len }
    }

    fn staging_len(self) -> usize {
        self.number * self.len
    }

    /// Memory of this member for a stage, which it writes.
    fn own(self, host: &Host<'_>, stage: usize) -> *mut u8 {
        host.area.staging(self.staging_len()).wrapping_add(stage * self.len)
    }

    /// Memory of a member for a stage, which it wrote before the last barrier.
    fn of(self, host: &Host<'_>, stage: usize, member: usize) -> *const u8 {
        host.area.staging_of(member, self.staging_len()).wrapping_add(stage * self.len)
    }
}

/// Executes stages 0 to `last` of `pieces` pieces as a pipeline. Returns on no member before all members have executed the
/// last stage but one.
fn pipeline(
    host: &Host<'_>,
    pieces: usize,
    last: usize,
    mut execute: impl FnMut(usize, usize) -> BoxedResult<()>,
) -> BoxedResult<()> {
    for step in 0..pieces + last {
        if step > 0 {
            host.barrier()?;
        }
        for stage in (0..=last).rev() {
            if let Some(piece) = step.checked_sub(stage).filter(|&piece| piece < pieces) {
                execute(stage, piece)?;
            }
        }
    }
    Ok(())
}

/// The members whose shares a piece is in after it was shared at a level.
fn shared_at(hierarchy: &Hierarchy, level: usize, element: usize, me: usize) -> Placement<'_> {
    Placement::InShares { group: hierarchy.levels()[level].group_of(me), element }
}

/// The part of a piece of `len` elements that this member copies at a level, and where from; `held` is where the piece
/// is before the outermost level.
fn fetched<'a>(
    hierarchy: &'a Hierarchy,
    level: usize,
    held: Placement<'a>,
    element: usize,
    len: usize,
    me: usize,
) -> (Range<usize>, Vec<Run>) {
    let group = hierarchy.levels()[level].group_of(me);
    let own = share(group, element, len, me);
    let held = if level == 1 { held } else { shared_at(hierarchy, level - 1, element, me) };
    let runs = held.runs(len, &own, me);
    (own, runs)
}

/// Executes such a part.
///
/// # Safety
/// `source` returns where elements of a run are; `to` has room for the part.
unsafe fn fetch(
    (own, runs): &(Range<usize>, Vec<Run>),
    element: usize,
    to: *mut u8,
    source: impl Fn(&Run) -> *const u8,
) {
    for run in runs {
        let at = to.wrapping_add((run.range.start - own.start) * element);
        // SAFETY: both have these elements (contract above); staging of others does not overlap the own one.
        unsafe { take(at, source(run), run.range.len() * element) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::job::page::Place;

    /// The elements of these runs that a member reads of other groups of the innermost level.
    pub fn far(hierarchy: &Hierarchy, runs: &[Run], me: usize) -> usize {
        let innermost = hierarchy.levels().last().expect("the level of all members");
        let far = runs.iter().filter(|run| !innermost.joins(run.holder, me));
        far.map(|run| run.range.len()).sum()
    }

    /// The elements of a piece that members read of other groups while they share it and copy it out.
    pub fn crossing(
        hierarchy: &Hierarchy,
        held: Placement<'_>,
        element: usize,
        len: usize,
    ) -> usize {
        let last = hierarchy.levels().len() - 1;
        let of = |me| {
            let fetched =
                |level| far(hierarchy, &fetched(hierarchy, level, held, element, len, me).1, me);
            let out = shared_at(hierarchy, last, element, me).runs(len, &(0..len), me);
            (1..=last).map(fetched).sum::<usize>() + far(hierarchy, &out, me)
        };
        (0..hierarchy.members()).map(of).sum()
    }

    /// The number of elements that cross between groups where each member reads all in its first place.
    fn flat(hierarchy: &Hierarchy, held: Placement<'_>, len: usize) -> usize {
        let of = |me| far(hierarchy, &held.runs(len, &(0..len), me), me);
        (0..hierarchy.members()).map(of).sum()
    }

    fn caches(packages: u32, caches: u32, each: u32) -> Hierarchy {
        let place = |image: u32| Place {
            cache: image / each,
            package: image / each / caches,
            ..Place::ANYWHERE
        };
        let places: Vec<Place> = (0..packages * caches * each).map(place).collect();
        Hierarchy::of(&places)
    }

    /// A broadcast message comes to each other cache once, however many members that has.
    #[test]
    fn a_broadcast_message_crosses_to_each_group_once() {
        let len = 128 * 128;
        let hierarchy = caches(1, 8, 8);
        for root in [0, 13, 63] {
            let held = Placement::ByOne(root);
            assert_eq!(crossing(&hierarchy, held, 1, len), 7 * len);
            assert_eq!(flat(&hierarchy, held, len), 56 * len);
        }
        // Members dealt out in turn, and two levels.
        let dealt: Vec<Place> =
            (0..64).map(|image| Place { cache: image % 8, ..Place::ANYWHERE }).collect();
        assert_eq!(crossing(&Hierarchy::of(&dealt), Placement::ByOne(5), 1, len), 7 * len);
        // The other package gets it once, in shares of its members, and 24 of the 32 members of the root's are far from it. Then each of
        // 8 caches gets the three quarters that its members have not fetched.
        let two = caches(2, 4, 8);
        let quarters = crossing(&two, Placement::ByOne(0), 1, len) * 4 / len;
        assert_eq!(quarters, 4 + 3 + 8 * 3);
        assert_eq!(flat(&two, Placement::ByOne(0), len), 56 * len);
    }

    /// A contribution comes to each other cache once.
    #[test]
    fn contributions_cross_to_each_group_once() {
        let each = 64 * 8;
        let hierarchy = caches(1, 8, 8);
        let (members, len) = (64, 64 * each);
        let held = Placement::ByEach { members, each };
        assert_eq!(crossing(&hierarchy, held, 1, len), 8 * 56 * each);
        assert_eq!(flat(&hierarchy, held, len), 64 * 56 * each);
    }
}
