//! Progressions: indices with a constant step, as of subscript triplets and loops.

use super::error::{MappingError, Result};

/// `first`, `first + step`, ... (`count` of them).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Progression {
    /// The first index.
    pub first: i64,
    /// Distance from one to the next; not 0, may be negative.
    pub step: i64,
    /// Number of indices; may be 0.
    pub count: i64,
}

impl Progression {
    /// From `first` to `last` at most, as a subscript triplet or the bounds of a DO loop specify.
    ///
    /// # Errors
    /// [`MappingError::ZeroStep`].
    pub fn from_bounds(first: i64, last: i64, step: i64) -> Result<Progression> {
        if step == 0 {
            return Err(MappingError::ZeroStep);
        }
        // In 128 bits: bounds may be any number.
        let steps = (i128::from(last) - i128::from(first)).div_euclid(i128::from(step));
        let count = i64::try_from(steps + 1).unwrap_or(i64::MAX).max(0);
        // A negative step: div_euclid rounds up, so that the remainder is not negative; it must round down.
        let exact = i128::from(last) - i128::from(first) - steps * i128::from(step);
        let count = if step < 0 && exact > 0 { (count - 1).max(0) } else { count };
        Ok(Progression { first, step, count })
    }

    /// A single index.
    pub fn one(index: i64) -> Progression {
        Progression { first: index, step: 1, count: 1 }
    }

    /// The index at a 0-based position.
    #[inline]
    pub fn at(&self, position: i64) -> i64 {
        self.first + position * self.step
    }

    /// The last index; before the first one when there is none.
    pub fn last(&self) -> i64 {
        // Bounds may be any number: an index beyond all numbers is still beyond all bounds.
        self.first.saturating_add((self.count - 1).saturating_mul(self.step))
    }

    /// The indices.
    pub fn iter(&self) -> impl Iterator<Item = i64> + use<> {
        let it = *self;
        (0..it.count).map(move |position| it.at(position))
    }

    /// Whether all indices are in these bounds; true for none.
    pub fn is_within(&self, lower: i64, upper: i64) -> bool {
        let inside = |index| (lower..=upper).contains(&index);
        self.count == 0 || (inside(self.first) && inside(self.last()))
    }

    /// The same indices in the other direction.
    #[must_use]
    pub fn reversed(&self) -> Progression {
        Progression { first: self.last(), step: -self.step, count: self.count }
    }

    /// All indices further by `distance`.
    #[must_use]
    pub fn shifted(&self, distance: i64) -> Progression {
        Progression { first: self.first + distance, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_beyond_all_numbers_are_beyond_all_bounds() {
        let row = |first, step, count| Progression { first, step, count };
        assert!(!row(0, 1 << 62, 5).is_within(0, 100));
        assert!(!row(100, i64::MIN, 3).is_within(0, 100));
        assert!(!row(1, 1, i64::MAX).is_within(0, 100));
        assert!(row(100, -50, 3).is_within(0, 100) && row(7, i64::MAX, 0).is_within(0, 100));
    }

    #[test]
    fn bounds_are_those_of_a_do_loop() {
        for (first, last, step) in (-4..5).flat_map(|first| {
            (-6..7).flat_map(move |last| (-4..5).map(move |step| (first, last, step)))
        }) {
            if step == 0 {
                let outcome = Progression::from_bounds(first, last, step);
                assert_eq!(outcome, Err(MappingError::ZeroStep));
                continue;
            }
            let mut expected = Vec::new();
            let mut index: i64 = first;
            while if step > 0 { index <= last } else { index >= last } {
                expected.push(index);
                index += step;
            }
            let row = Progression::from_bounds(first, last, step).unwrap();
            assert_eq!(row.iter().collect::<Vec<_>>(), expected, "{first}:{last}:{step}");
            expected.reverse();
            assert_eq!(row.reversed().iter().collect::<Vec<_>>(), expected);
        }
        let all = Progression::from_bounds(i64::MIN, i64::MAX, 1).unwrap();
        assert_eq!(all.count, i64::MAX, "as many as can be counted");
    }
}
