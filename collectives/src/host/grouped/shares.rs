//! The elements of a piece that each member holds; pure, so that tests count the lines that cross groups.

use crate::host::reduce::slice;
use std::ops::Range;

/// Where a piece is.
#[derive(Clone, Copy, Debug)]
pub enum Placement<'a> {
    /// One member has all of it.
    ByOne(usize),
    /// Each member of a group has its share of the elements, whose length is `element`.
    InShares {
        /// The members.
        group: &'a [usize],
        /// Bytes of an element.
        element: usize,
    },
    /// Each of `members` members has this many elements of its own.
    ByEach {
        /// Number of members.
        members: usize,
        /// Elements of each.
        each: usize,
    },
}

/// Elements that follow one another and are with one member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The member.
    pub holder: usize,
    /// The elements of the piece.
    pub range: Range<usize>,
    /// The number of the first one among those that the member has.
    pub at: usize,
}

/// The share of a member of a group in a piece of `len` elements.
pub fn share(group: &[usize], element: usize, len: usize, member: usize) -> Range<usize> {
    let position = group.binary_search(&member).expect("a member of the group");
    slice(&(0..len), element, group.len(), position)
}

/// Elements of the longest share.
pub fn longest_share(group: &[usize], element: usize, len: usize) -> usize {
    slice(&(0..len), element, group.len(), 0).len()
}

impl Placement<'_> {
    /// The runs of elements `range` of a piece of `len` elements, beginning with that of the member after `reader`, so that
    /// not all read what one member has at the same time.
    pub fn runs(self, len: usize, range: &Range<usize>, reader: usize) -> Vec<Run> {
        let holders: Vec<(usize, Range<usize>)> = match self {
            Placement::ByOne(member) => vec![(member, 0..len)],
            Placement::InShares { group, element } => {
                let of = |(at, &member)| (member, slice(&(0..len), element, group.len(), at));
                group.iter().enumerate().map(of).collect()
            }
            Placement::ByEach { members, each } => {
                (0..members).map(|member| (member, member * each..(member + 1) * each)).collect()
            }
        };
        let (before, after) =
            holders.split_at(holders.partition_point(|&(member, _)| member <= reader));
        let run = |(holder, own): &(usize, Range<usize>)| {
            let within = range.start.max(own.start)..range.end.min(own.end);
            let at = within.start.saturating_sub(own.start);
            (!within.is_empty()).then_some(Run { holder: *holder, range: within, at })
        };
        after.iter().chain(before).filter_map(run).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_a_range_once() {
        let group = [1, 4, 5, 9];
        for held in [
            Placement::ByOne(3),
            Placement::InShares { group: &group, element: 8 },
            Placement::ByEach { members: 10, each: 37 },
        ] {
            for range in [0..370, 5..6, 100..300, 369..370, 7..7] {
                let mut runs = held.runs(370, &range, 4);
                runs.sort_by_key(|run| run.range.start);
                let mut at = range.start;
                for run in &runs {
                    assert_eq!(run.range.start, at);
                    at = run.range.end;
                }
                assert_eq!(at, range.end);
            }
        }
        let held = Placement::InShares { group: &group, element: 8 };
        let holders: Vec<usize> = held.runs(370, &(0..370), 4).iter().map(|r| r.holder).collect();
        assert_eq!(holders, [5, 9, 1, 4]);
    }
}
