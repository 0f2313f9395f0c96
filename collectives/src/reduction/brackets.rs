//! Parts of the canonical brackets: a group of images combines those operands that the brackets of all images combine, too, so the
//! bits are the same with groups as without.

use crate::schedules::recursive_doubling::Fold;
use std::ops::Range;

/// The canonical brackets of some operands. A pair of brackets has the positions of the operands in it, which follow one another.
#[derive(Clone, Copy, Debug)]
pub struct Canonical {
    fold: Fold,
    operands: usize,
}

/// How operands are combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// The source of this number.
    Source(usize),
    /// Left and right.
    Two(Box<[Brackets; 2]>),
}

impl Canonical {
    /// The brackets of this many operands, at least one.
    pub fn of(operands: usize) -> Canonical {
        Canonical { fold: Fold::of(operands), operands }
    }

    /// The outermost brackets.
    pub fn all(self) -> Range<usize> {
        0..self.operands
    }

    /// The two brackets within brackets of several operands.
    fn halves(self, whole: &Range<usize>) -> [Range<usize>; 2] {
        let (first, last) = (self.fold.seat(whole.start), self.fold.seat(whole.end - 1));
        let middle = if first == last {
            whole.start + 1
        } else {
            self.fold.first(first + (last + 1 - first) / 2)
        };
        [whole.start..middle, middle..whole.end]
    }

    /// The largest brackets that have no operands but some of these, in ascending order.
    pub fn largest_of(self, operands: &[usize]) -> Vec<Range<usize>> {
        let mut largest = Vec::new();
        self.collect(self.all(), operands, &mut largest);
        largest
    }

    /// Appends those within `whole`, of which `operands` are some of the positions, sorted.
    fn collect(self, whole: Range<usize>, operands: &[usize], into: &mut Vec<Range<usize>>) {
        if operands.is_empty() {
        } else if operands.len() == whole.len() {
            into.push(whole);
        } else {
            let [left, right] = self.halves(&whole);
            let (of_left, of_right) =
                operands.split_at(operands.partition_point(|&it| it < left.end));
            self.collect(left, of_left, into);
            self.collect(right, of_right, into);
        }
    }

    /// How `whole` is combined of the brackets for which `source` has a number.
    ///
    /// # Panics
    /// When it has none for an operand.
    pub fn out_of(
        self,
        whole: &Range<usize>,
        source: &impl Fn(&Range<usize>) -> Option<usize>,
    ) -> Brackets {
        if let Some(number) = source(whole) {
            return Brackets::Source(number);
        }
        assert!(whole.len() > 1, "a source for each operand");
        Brackets::Two(Box::new(self.halves(whole).map(|half| self.out_of(&half, source))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The brackets as text, by `Fold` alone.
    fn written(fold: Fold, seats: Range<usize>) -> String {
        match (seats.len(), fold.pair(seats.start)) {
            (1, Some(lower)) => format!("({lower} {})", lower + 1),
            (1, None) => fold.single(seats.start).to_string(),
            (len, _) => {
                let middle = seats.start + len / 2;
                format!(
                    "({} {})",
                    written(fold, seats.start..middle),
                    written(fold, middle..seats.end)
                )
            }
        }
    }

    fn text(brackets: &Brackets, sources: &[String]) -> String {
        match brackets {
            Brackets::Source(number) => sources[*number].clone(),
            Brackets::Two(two) => {
                format!("({} {})", text(&two[0], sources), text(&two[1], sources))
            }
        }
    }

    /// Members in any two groups: their largest brackets make the brackets of all.
    #[test]
    fn parts_of_brackets_make_the_canonical_ones() {
        for n in 1..20 {
            let canonical = Canonical::of(n);
            for pattern in [0u32, 0b1, 0b11, 0b1010_1010, 0b1111_0000, 0b1101_0110_0101, !0] {
                let groups = [0, 1].map(|bit| {
                    (0..n).filter(|at| pattern >> at & 1 == bit).collect::<Vec<usize>>()
                });
                let parts: Vec<Range<usize>> =
                    groups.iter().flat_map(|group| canonical.largest_of(group)).collect();
                let own = |part: &Range<usize>| {
                    let operand = |it: &Range<usize>| (it.len() == 1).then_some(it.start);
                    let operands: Vec<String> = (0..n).map(|it| it.to_string()).collect();
                    text(&canonical.out_of(part, &operand), &operands)
                };
                let sources: Vec<String> = parts.iter().map(own).collect();
                let source = |it: &Range<usize>| parts.iter().position(|part| part == it);
                let whole = text(&canonical.out_of(&canonical.all(), &source), &sources);
                assert_eq!(whole, written(Fold::of(n), 0..Fold::of(n).seats()));
            }
        }
    }

    #[test]
    fn a_group_that_follows_the_brackets_has_one_part() {
        let of = |operands: usize, members: &[usize]| {
            format!("{:?}", Canonical::of(operands).largest_of(members))
        };
        assert_eq!(of(16, &[8, 9, 10, 11, 12, 13, 14, 15]), "[8..16]");
        assert_eq!(of(16, &[3, 4, 5, 6, 7]), "[3..4, 4..8]");
        // The first two operands are a pair.
        assert_eq!(of(5, &[0, 1, 2]), "[0..3]");
    }
}
