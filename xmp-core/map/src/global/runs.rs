//! Sets of indices as runs at a constant distance, and their intersections.
//!
//! The indices that a node owns of a dimension are such a set for every distribution, and so are those that two nodes
//! have in common, up to a few of them. Sets that repeat are intersected over one common period only, so the work and
//! the memory of a plan do not grow with the size of the arrays.

use super::progression::Progression;

/// `count` runs of `len` consecutive indices each; the first starts at `first`, each further one `step` after the one
/// before. Never empty; runs do not touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Runs {
    /// First index.
    pub first: i64,
    /// Indices of a run.
    pub len: i64,
    /// Distance from the start of a run to the start of the next; `len` if there is only one.
    pub step: i64,
    /// Number of runs.
    pub count: i64,
}

impl Runs {
    /// One run; `None` if it has no index.
    pub fn one(first: i64, len: i64) -> Option<Runs> {
        (len > 0).then_some(Runs { first, len, step: len, count: 1 })
    }

    /// Several runs; `None` if there is no index. Runs that touch become one.
    pub fn every(first: i64, len: i64, step: i64, count: i64) -> Option<Runs> {
        match (len > 0 && count > 0, count == 1 || step == len) {
            (false, _) => None,
            (true, true) => Runs::one(first, len * count),
            (true, false) => Some(Runs { first, len, step, count }),
        }
    }

    /// One after the last index.
    pub fn end(&self) -> i64 {
        self.first + (self.count - 1) * self.step + self.len
    }

    /// Number of indices.
    pub fn total(&self) -> i64 {
        self.len * self.count
    }

    /// Whether it has this index.
    pub fn contains(&self, index: i64) -> bool {
        let distance = index - self.first;
        distance >= 0 && distance / self.step < self.count && distance % self.step < self.len
    }

    /// All indices, in order.
    pub fn iter(&self) -> impl Iterator<Item = i64> + use<> {
        let it = *self;
        (0..it.count).flat_map(move |run| (0..it.len).map(move |i| it.first + run * it.step + i))
    }

    /// All indices further by `distance`.
    #[must_use]
    pub fn shifted(&self, distance: i64) -> Runs {
        Runs { first: self.first + distance, ..*self }
    }

    /// Adds the indices in `lower..upper` to `out`: the rest of the first run, whole runs, the rest of the last.
    pub fn clip(&self, lower: i64, upper: i64, out: &mut Vec<Runs>) {
        let (lower, upper) = (lower.max(self.first), upper.min(self.end()));
        if lower >= upper {
            return;
        }
        // The run that `lower` is in, or the gap after it.
        let mut from = (lower - self.first) / self.step;
        let start = |run: i64| self.first + run * self.step;
        if lower > start(from) {
            out.extend(Runs::one(lower, upper.min(start(from) + self.len) - lower));
            from += 1;
        }
        let whole = ((upper - self.len - start(from)).div_euclid(self.step) + 1).max(0);
        out.extend(Runs::every(start(from), self.len, self.step, whole));
        let rest = start(from + whole);
        out.extend(Runs::one(rest, (upper - rest).min(self.len)));
    }

    /// Adds the common indices to `out`.
    pub fn intersect(&self, other: &Runs, out: &mut Vec<Runs>) {
        if self.count == 1 {
            return other.clip(self.first, self.end(), out);
        }
        if other.count == 1 {
            return self.clip(other.first, other.end(), out);
        }
        // At `lower` a run of one of them begins, and again a period further; so no common run crosses such a place.
        let (lower, upper) = (self.first.max(other.first), self.end().min(other.end()));
        if lower >= upper {
            return;
        }
        let period = lcm(self.step, other.step, upper - lower);
        let window = lower..upper.min(lower + period);
        let (mut mine, mut others) = (self.run_at(lower), other.run_at(lower));
        loop {
            let (a, b) = (self.first + mine * self.step, other.first + others * other.step);
            if a >= window.end || b >= window.end {
                return;
            }
            let start = a.max(b).max(lower);
            let end = (a + self.len).min(b + other.len);
            if start < end && start < window.end {
                // The last, incomplete period cuts no run: it ends where a run of one of them does.
                let whole = (upper - end) / period + 1;
                out.extend(Runs::every(start, end - start, period, whole));
            }
            if a + self.len <= b + other.len { mine += 1 } else { others += 1 }
        }
    }

    /// The first run that ends after `index`, which is not before the first one.
    fn run_at(&self, index: i64) -> i64 {
        let distance = index - self.first;
        distance / self.step + i64::from(distance % self.step >= self.len)
    }

    /// Adds the positions in `row` of the indices of this set. Within a run the distance between indices is constant,
    /// and so is that from run to run.
    pub fn positions(&self, row: &Progression, out: &mut Vec<Runs>) {
        if row.count == 0 {
            return;
        }
        if row.count == 1 {
            // For any step: this one may be one that cannot be reversed or counted in.
            out.extend(Runs::one(0, i64::from(self.contains(row.first))));
            return;
        }
        if row.step < 0 {
            let from = out.len();
            self.positions(&row.reversed(), out);
            for runs in &mut out[from..] {
                runs.first = row.count - runs.end();
            }
            return;
        }
        // Runs that may have an index of the row.
        let (lower, upper) = (row.first.max(self.first), row.last().min(self.end() - 1));
        if lower > upper {
            return;
        }
        let (from, to) = (self.run_at(lower), (upper - self.first) / self.step + 1);
        // The pattern repeats after this many runs and positions.
        let common = gcd(self.step, row.step);
        let (runs, further) = match self.count {
            1 => (1, 1),
            _ => (row.step / common, self.step / common),
        };
        for run in from..to.min(from + runs) {
            let start = self.first + run * self.step - row.first;
            let first = start.div_euclid(row.step) + i64::from(start.rem_euclid(row.step) > 0);
            let end = (start + self.len - 1).div_euclid(row.step) + 1;
            let repeats = (to - 1 - run) / runs + 1;
            if let Some(all) = Runs::every(first, end - first, further, repeats) {
                all.clip(0, row.count, out);
            }
        }
    }
}

/// The greatest common divisor of two positive numbers.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least common multiple of two positive numbers, or `most` if it is greater.
fn lcm(a: i64, b: i64, most: i64) -> i64 {
    (a / gcd(a, b)).checked_mul(b).map_or(most, |lcm| lcm.min(most))
}

/// The indices in one of `a` and in one of `b`; neither has an index twice.
pub fn intersection(a: &[Runs], b: &[Runs]) -> Vec<Runs> {
    let mut out = Vec::new();
    for mine in a {
        for other in b {
            mine.intersect(other, &mut out);
        }
    }
    out
}

/// Number of indices of disjoint sets.
pub fn total(runs: &[Runs]) -> i64 {
    runs.iter().map(Runs::total).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_runs() -> impl Strategy<Value = Runs> {
        (-20i64..40, 1i64..7, 0i64..9, 1i64..12)
            .prop_map(|(first, len, gap, count)| Runs::every(first, len, len + gap, count).unwrap())
    }

    fn sorted(runs: &[Runs]) -> Vec<i64> {
        let mut all: Vec<i64> = runs.iter().flat_map(Runs::iter).collect();
        all.sort_unstable();
        all
    }

    proptest! {
        #[test]
        fn what_is_clipped_is_what_lies_inside(runs in any_runs(), lower in -30i64..90, len in 0i64..90) {
            let mut out = Vec::new();
            runs.clip(lower, lower + len, &mut out);
            let expected: Vec<i64> = runs.iter().filter(|i| (lower..lower + len).contains(i)).collect();
            prop_assert_eq!(sorted(&out), expected);
        }

        #[test]
        fn intersections_are_what_both_contain(a in any_runs(), b in any_runs()) {
            let expected: Vec<i64> = a.iter().filter(|&i| b.contains(i)).collect();
            prop_assert_eq!(sorted(&intersection(&[a], &[b])), expected);
        }

        #[test]
        fn positions_are_those_of_owned_indices(
            runs in any_runs(), first in -30i64..90, step in -13i64..13, count in 0i64..40,
        ) {
            prop_assume!(step != 0);
            let row = Progression { first, step, count };
            let mut out = Vec::new();
            runs.positions(&row, &mut out);
            let expected: Vec<i64> = (0..count).filter(|&k| runs.contains(row.at(k))).collect();
            prop_assert_eq!(sorted(&out), expected);
        }

        #[test]
        fn long_sets_need_few_runs(wa in 1i64..5, wb in 1i64..5, pa in 2i64..5, pb in 2i64..5) {
            let a = Runs::every(0, wa, wa * pa, 1 << 30).unwrap();
            let b = Runs::every(0, wb, wb * pb, 1 << 30).unwrap();
            let both = intersection(&[a], &[b]);
            prop_assert!(both.len() as i64 <= 2 * (wa * pa + wb * pb), "{}", both.len());
        }
    }

    #[test]
    fn blocks_of_cyclic_and_block_stay_whole() {
        let cyclic = Runs::every(8, 8, 32, 100).unwrap();
        let block = Runs::one(12, 994).unwrap();
        let both = intersection(&[cyclic], &[block]);
        let expected = [Runs::one(12, 4), Runs::every(40, 8, 32, 30), Runs::one(1000, 6)];
        assert_eq!(both, expected.map(Option::unwrap));
    }
}
