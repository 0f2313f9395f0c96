//! Rows: memory of one member that has something for each member.
//!
//! The parts for the members of a group follow one another in a row, at every level and whatever the positions of the members. So a
//! group fetches each line of the row once from another group, and its members take it from one another. All bytes of such a line but of
//! the first and the last one are for that group, so an exchange in one step cannot take fewer lines. In two steps the members of a group
//! first collect their parts for another group. Each part moves twice then, and the exchange takes a barrier more. It saves lines only
//! where the parts of a member for a group do not fill a line.

use xmp_core::coll_area::Hierarchy;

/// The order of a row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The place of each member; `None`: its position.
    places: Option<&'a [usize]>,
}

impl<'a> Row<'a> {
    /// Of the members of an area.
    #[inline]
    pub fn of(hierarchy: &'a Hierarchy) -> Row<'a> {
        Row { places: hierarchy.places() }
    }

    /// The number of what is for a member.
    #[inline]
    pub fn place(self, member: usize) -> usize {
        self.places.map_or(member, |places| places[member])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;
    use xmp_core::job::page::Place;

    const LINE: usize = 64;

    fn caches(of: impl Iterator<Item = u32>) -> Hierarchy {
        let places: Vec<Place> = of.map(|cache| Place { cache, ..Place::ANYWHERE }).collect();
        Hierarchy::of(&places)
    }

    /// For each member and each group that it is not in: the lines of its row that the group reads, where each part has `len`
    /// bytes; and the lines that so many bytes need.
    fn lines_of_rows(hierarchy: &Hierarchy, row: Row<'_>, len: usize) -> Vec<(usize, usize)> {
        let innermost = hierarchy.levels().last().unwrap();
        let mut lines = Vec::new();
        for giver in 0..hierarchy.members() {
            for group in innermost.groups().filter(|group| !group.contains(&giver)) {
                let of_part = |&reader: &usize| {
                    let at = row.place(reader) * len;
                    at / LINE..(at + len).div_ceil(LINE)
                };
                let read: HashSet<usize> = group.iter().flat_map(of_part).collect();
                lines.push((read.len(), (group.len() * len).div_ceil(LINE)));
            }
        }
        lines
    }

    fn crossing(hierarchy: &Hierarchy, row: Row<'_>, len: usize) -> [usize; 2] {
        let lines = lines_of_rows(hierarchy, row, len);
        [lines.iter().map(|of| of.0).sum(), lines.iter().map(|of| of.1).sum()]
    }

    /// 64 members on 8 caches, 8 bytes for each: 64 rows, a line for each of 7 other caches.
    #[test]
    fn as_few_lines_cross_groups_as_their_bytes_need() {
        let least = 64 * 7;
        let blocks = caches((0..64).map(|member| member / 8));
        assert_eq!(crossing(&blocks, Row::of(&blocks), 8), [least, least]);
        let dealt = caches((0..64).map(|member| member % 8));
        assert_eq!(crossing(&dealt, Row::of(&dealt), 8), [least, least]);
        // By position each line of a row has parts for all caches.
        assert_eq!(crossing(&dealt, Row { places: None }, 8), [8 * least, least]);
        for len in [16, 24, 64, 200, 4096] {
            let [lines, least] = crossing(&dealt, Row::of(&dealt), len);
            assert_eq!(lines, least, "{len}");
        }
    }

    /// A step in which groups collect their parts for one another could save so many lines.
    #[test]
    fn collecting_parts_saves_lines_only_where_the_parts_for_a_group_fill_none() {
        let blocks = caches((0..64).map(|member| member / 8));
        // Each of 8 caches needs the parts of 8 members for 8 members from each of the 7 others.
        let collected = |len: usize| 8 * 7 * (8 * 8 * len).div_ceil(LINE);
        for len in [8, 16, 64, 1000] {
            assert_eq!(crossing(&blocks, Row::of(&blocks), len)[0], collected(len), "{len}");
        }
        assert_eq!(crossing(&blocks, Row::of(&blocks), 1)[0], 8 * collected(1));
    }

    proptest! {
        #[test]
        fn every_member_has_its_place_and_a_group_one_line_more_than_its_bytes_need_at_most(
            of in prop::collection::vec(0u32..6, 2..40),
            len in 1usize..300,
        ) {
            let hierarchy = caches(of.iter().copied());
            let row = Row::of(&hierarchy);
            let mut places: Vec<usize> = (0..of.len()).map(|member| row.place(member)).collect();
            places.sort_unstable();
            prop_assert!(places.into_iter().eq(0..of.len()));
            for (lines, least) in lines_of_rows(&hierarchy, row, len) {
                prop_assert!(lines <= least + 1, "{} and {}", lines, least);
            }
        }
    }
}
