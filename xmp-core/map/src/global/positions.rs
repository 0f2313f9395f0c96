//! The positions that one part of a dimension has in a subscript, in ascending order.

use super::runs::{Runs, total};
use smallvec::SmallVec;

/// Ascending positions from 0 to below `extent`. What is asked for costs the logarithm of the extent at most, however
/// many positions there are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Positions {
    /// Disjoint; they may interleave.
    runs: SmallVec<[Runs; 2]>,
    extent: i64,
    count: i64,
}

impl Positions {
    /// These positions in a subscript of `extent` indices.
    pub fn new(runs: &[Runs], extent: i64) -> Positions {
        let mut runs = SmallVec::from_slice(runs);
        runs.sort_unstable_by_key(|runs: &Runs| runs.first);
        let count = total(&runs);
        Positions { runs, extent, count }
    }

    /// Number of indices of the subscript.
    pub fn extent(&self) -> i64 {
        self.extent
    }

    /// Number of positions.
    pub fn count(&self) -> i64 {
        self.count
    }

    /// Whether the part has the whole subscript.
    pub fn is_all(&self) -> bool {
        self.count == self.extent
    }

    /// Whether this is one of them.
    pub fn contains(&self, position: i64) -> bool {
        self.runs.iter().any(|runs| runs.contains(position))
    }

    /// Number of positions before this one.
    pub fn before(&self, position: i64) -> i64 {
        self.runs.iter().map(|runs| before(runs, position)).sum()
    }

    /// The position with this many before it, which is less than [`Positions::count`].
    pub fn at(&self, index: i64) -> i64 {
        if let [runs] = self.runs[..] {
            return runs.first + index / runs.len * runs.step + index % runs.len;
        }
        // The last position that has at most `index` before it.
        let (mut lower, mut upper) = (0, self.extent);
        while upper - lower > 1 {
            let middle = lower + (upper - lower) / 2;
            if self.before(middle) <= index { lower = middle } else { upper = middle }
        }
        lower
    }

    /// Number of consecutive positions from this one on, which is one of them.
    pub fn stretch(&self, position: i64) -> i64 {
        let mut end = position;
        while let Some(runs) = self.runs.iter().find(|runs| runs.contains(end)) {
            end += runs.len - (end - runs.first) % runs.step;
        }
        end - position
    }

    /// Number of positions from this one on, which is one of them, whose indices are stored at a constant distance.
    pub fn even(&self, position: i64) -> i64 {
        match self.runs[..] {
            [runs] if runs.len == 1 => runs.count - (position - runs.first) / runs.step,
            _ => {
                let runs = self.runs.iter().find(|runs| runs.contains(position));
                runs.map_or(0, |runs| runs.len - (position - runs.first) % runs.step)
            }
        }
    }
}

/// Number of indices of `runs` before `index`.
fn before(runs: &Runs, index: i64) -> i64 {
    let distance = index - runs.first;
    match distance.div_euclid(runs.step) {
        ..0 => 0,
        run if run >= runs.count => runs.total(),
        run => run * runs.len + (distance % runs.step).min(runs.len),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn positions_are_those_of_a_sorted_list(
            first in 0i64..9, len in 1i64..5, gap in 0i64..9, count in 1i64..7, second in 0i64..6, tail in 0i64..5,
        ) {
            let (a, step) = (Runs::every(first, len, len + gap, count).unwrap(), len + gap);
            // Others in the gaps of the first ones.
            let b = (second < gap).then(|| Runs::every(first + len, 1, step, count.min(second + 1)).unwrap());
            let runs: Vec<Runs> = b.into_iter().chain([a]).collect();
            let mut all: Vec<i64> = runs.iter().flat_map(Runs::iter).collect();
            all.sort_unstable();
            let extent = all.last().unwrap() + 1 + tail;
            let positions = Positions::new(&runs, extent);
            prop_assert_eq!(positions.count(), all.len() as i64);
            prop_assert_eq!(positions.is_all(), all.len() as i64 == extent);
            for position in 0..=extent {
                let before = all.iter().filter(|&&other| other < position).count() as i64;
                prop_assert_eq!(positions.before(position), before);
                prop_assert_eq!(positions.contains(position), all.contains(&position));
            }
            for (index, &position) in all.iter().enumerate() {
                prop_assert_eq!(positions.at(index as i64), position);
                let together = (position..).take_while(|next| all.contains(next)).count() as i64;
                prop_assert_eq!(positions.stretch(position), together);
                let even = positions.even(position) as usize;
                prop_assert!(even >= 1 && index + even <= all.len());
                let mut steps = all[index..index + even].windows(2).map(|pair| pair[1] - pair[0]);
                if let Some(distance) = steps.next() {
                    prop_assert!(steps.all(|other| other == distance));
                }
            }
        }
    }
}
