//! Loop schedules: which iterations of a loop a node executes (XcalableMP 1.4, 4.4.3).
//!
//! A schedule is given in *ordinals* of the template dimension ([`Axis`]), the local index of generated loops;
//! [`Axis::index`] less the offset of the loop is the global value of its variable.

use super::distribution::Axis;
use super::error::{MappingError, Result};
use super::progression::Progression;
use super::runs::Runs;

/// Wider than any dimension that can be counted; sums of a few such numbers are still representable.
const WIDEST: i64 = i64::MAX / 4;

/// Widths of `expand`, `margin` and `peel_and_wait`, in indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widths {
    /// At the lower bound; negative to omit iterations.
    pub lower: i64,
    /// At the upper bound; negative to omit iterations.
    pub upper: i64,
    /// Whether iterations outside those of the loop are added, too.
    pub unbound: bool,
}

/// A loop that is executed where its iterations are owned.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'a> {
    /// The template dimension that the loop variable is aligned with.
    pub axis: &'a Axis,
    /// Iteration i is aligned with template index i + offset.
    pub offset: i64,
    /// All iterations, in the order of the loop.
    pub iterations: Progression,
}

impl Loop<'_> {
    /// The iterations of a node, each once: one progression of ordinals for any loop over a dimension with blocks on
    /// one node each, over `cyclic`, and for step 1 and -1 over `cyclic(n)`; otherwise several. Iterations of template
    /// indices that do not exist belong to no node.
    pub fn of(&self, node: usize) -> Vec<Progression> {
        let mut schedule = Vec::new();
        for runs in self.positions(node) {
            let ordinal = |position| self.ordinal(node, position);
            let first = ordinal(runs.first);
            let within = if runs.len > 1 { ordinal(runs.first + 1) - first } else { 0 };
            let between = if runs.count > 1 { ordinal(runs.first + runs.step) - first } else { 0 };
            let single = |first, step, count| Progression {
                first,
                step: if count > 1 { step } else { 1 },
                count,
            };
            if runs.len == 1 {
                schedule.push(single(first, between, runs.count));
            } else if runs.count == 1 || between == within * runs.len {
                schedule.push(single(first, within, runs.total()));
            } else if runs.len < runs.count {
                // One for each place in a run.
                schedule
                    .extend((0..runs.len).map(|i| single(first + i * within, between, runs.count)));
            } else {
                schedule
                    .extend((0..runs.count).map(|i| single(first + i * between, within, runs.len)));
            }
        }
        join(schedule)
    }

    /// Positions of the node's iterations among all.
    fn positions(&self, node: usize) -> Vec<Runs> {
        let row = self.iterations.shifted(self.offset);
        let mut positions = Vec::new();
        for runs in self.axis.owned(node) {
            runs.positions(&row, &mut positions);
        }
        positions.sort_unstable_by_key(|runs| runs.first);
        positions
    }

    fn ordinal(&self, node: usize, position: i64) -> i64 {
        self.axis.before(node, self.iterations.at(position) + self.offset)
    }

    /// The iterations of a node with as many more on each side of what it has as fit the widths, or fewer (`expand`);
    /// empty if it has none. Ordinals may be those of neighbours.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] when a node may have several blocks.
    pub fn expanded(&self, node: usize, widths: Widths) -> Result<Progression> {
        let Some((own, [before, after])) = self.sides(node, widths)? else {
            return Ok(self.part(node, 0, 0, 0));
        };
        let count = (before + own.len + after).max(0);
        Ok(self.part(node, own.first, own.first - before, count))
    }

    /// The iterations that [`Loop::expanded`] adds to those of a node or omits from them (`margin`, and what
    /// `peel_and_wait` executes at the end): at the lower bound, and at the upper bound. None is in both.
    ///
    /// # Errors
    /// [`MappingError::Dimension`] when a node may have several blocks.
    pub fn margins(&self, node: usize, widths: Widths) -> Result<[Progression; 2]> {
        let Some((own, [before, after])) = self.sides(node, widths)? else {
            return Ok([self.part(node, 0, 0, 0); 2]);
        };
        // If a block is too narrow for both, the side that comes first in the loop has its width.
        let end = own.first + own.len;
        let (left, right) = ((-before).clamp(0, own.len), -after);
        let first = if before > 0 {
            self.part(node, own.first, own.first - before, before)
        } else {
            self.part(node, own.first, own.first, left)
        };
        let right = right.clamp(0, own.len - left);
        let last = if after > 0 {
            self.part(node, own.first, end, after)
        } else {
            self.part(node, own.first, end - right, right)
        };
        Ok(if self.iterations.step > 0 { [first, last] } else { [last, first] })
    }

    /// Positions of a node's iterations, if it has any, and the number of iterations to add before and after them in
    /// the order of the loop.
    fn sides(&self, node: usize, widths: Widths) -> Result<Option<(Runs, [i64; 2])>> {
        if !self.axis.is_blocked() {
            let why = "a loop over cyclic blocks cannot be widened".into();
            return Err(MappingError::Dimension { dim: 1, why });
        }
        // The iterations in a block are consecutive.
        let [own] = self.positions(node)[..] else { return Ok(None) };
        let room = if widths.unbound {
            [i64::MAX; 2]
        } else {
            [own.first, self.iterations.count - own.end()]
        };
        let step = self.iterations.step;
        let [first, last] =
            if step > 0 { [widths.lower, widths.upper] } else { [widths.upper, widths.lower] };
        // The step of one iteration may be any number, and so may the widths.
        let in_steps = |width: i64, room: i64| {
            (width.clamp(-WIDEST, WIDEST) / step.saturating_abs()).min(room)
        };
        Ok(Some((own, [in_steps(first, room[0]), in_steps(last, room[1])])))
    }

    /// Ordinals of `count` positions from `from` on; `own` is one that the node has.
    fn part(&self, node: usize, own: i64, from: i64, count: i64) -> Progression {
        let step = self.iterations.step;
        let first = match count {
            0 => 0,
            _ => self.ordinal(node, own) + (from - own) * step,
        };
        Progression { first, step, count }
    }
}

/// Joins adjacent progressions with equal steps.
fn join(schedule: Vec<Progression>) -> Vec<Progression> {
    let mut joined: Vec<Progression> = Vec::new();
    for next in schedule {
        if let Some(last) = joined.last_mut() {
            let gap = next.first - last.last();
            let even = |row: &Progression| row.count == 1 || row.step == gap;
            if gap != 0 && even(last) && even(&next) {
                *last = Progression { step: gap, count: last.count + next.count, ..*last };
                continue;
            }
        }
        joined.push(next);
    }
    joined
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::distribution::tests::any_format;
    use super::super::distribution::{Axis, Format};
    use super::*;
    use proptest::prelude::*;

    fn any_axis() -> impl Strategy<Value = Axis> {
        let sizes = (-9i64..9, 1i64..60, 1usize..6);
        sizes
            .prop_flat_map(|(lower, extent, nodes)| {
                (Just((lower, lower + extent - 1)), Just(nodes), any_format(extent, nodes))
            })
            .prop_map(|(bounds, nodes, format)| Axis::new(1, bounds, &format, nodes).unwrap())
    }

    /// The loop, with as many of its iterations within the dimension as there are.
    fn any_loop() -> impl Strategy<Value = (Axis, i64, Progression)> {
        (any_axis(), -4i64..5, any::<[u8; 2]>(), -7i64..8).prop_map(|(axis, offset, dice, step)| {
            let at = |dice: u8| axis.lower() - offset + i64::from(dice) % axis.extent();
            let step = if step == 0 { 1 } else { step };
            let [a, b] = dice.map(at);
            let (first, last) = if (a <= b) == (step > 0) { (a, b) } else { (b, a) };
            (axis, offset, Progression::from_bounds(first, last, step).unwrap())
        })
    }

    proptest! {
        #[test]
        fn every_iteration_is_executed_by_its_owner((axis, offset, iterations) in any_loop()) {
            let all = Loop { axis: &axis, offset, iterations };
            for node in 0..axis.nodes() {
                let schedule = all.of(node);
                let mut found: Vec<i64> = schedule.iter().flat_map(Progression::iter)
                    .map(|ordinal| axis.index(node, ordinal) - offset).collect();
                let mut expected: Vec<i64> = iterations.iter()
                    .filter(|i| axis.is_collapsed() || axis.owner(i + offset) == node).collect();
                if schedule.len() == 1 {
                    prop_assert_eq!(&found, &expected, "in order");
                }
                found.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
                let one = axis.is_blocked() || axis.width() == Some(1) || iterations.step.abs() == 1;
                prop_assert!(!one || schedule.len() <= 1, "{:?}", schedule);
            }
        }

        #[test]
        fn wider_and_narrower_loops(
            (axis, offset, iterations) in any_loop(), lower in -4i64..5, upper in -4i64..5, unbound in any::<bool>(),
        ) {
            if !axis.is_blocked() {
                return Ok(());
            }
            let (first, last) = (iterations.first, iterations.last());
            let iterations = Progression::from_bounds(first, last, iterations.step.signum()).unwrap();
            let all = Loop { axis: &axis, offset, iterations };
            let widths = Widths { lower, upper, unbound };
            for node in 0..axis.nodes() {
                let values = |row: &Progression| -> Vec<i64> {
                    row.iter().map(|ordinal| axis.index(node, ordinal) - offset).collect()
                };
                let own: Vec<i64> = all.of(node).iter().flat_map(values).collect();
                let wide = values(&all.expanded(node, widths).unwrap());
                let [low, high] = all.margins(node, widths).unwrap().map(|row| values(&row));
                let (Some(&least), Some(&most)) = (own.iter().min(), own.iter().max()) else {
                    prop_assert!(wide.is_empty() && low.is_empty() && high.is_empty());
                    continue;
                };
                let inside = |i: &i64| unbound || iterations.iter().any(|it| it == *i) || own.contains(i);
                let mut expected: Vec<i64> =
                    (least - lower..=most + upper).filter(inside).collect();
                if iterations.step < 0 {
                    expected.reverse();
                }
                prop_assert_eq!(&wide, &expected);
                // Margins are the iterations in one only, each once; below and above.
                if lower * upper < 0 {
                    continue;
                }
                let mut both = [low.clone(), high.clone()].concat();
                both.sort_unstable();
                let only = |a: &[i64], b: &[i64]| a.iter().filter(|i| !b.contains(i)).copied().collect::<Vec<_>>();
                let mut expected = [only(&own, &wide), only(&wide, &own)].concat();
                expected.sort_unstable();
                prop_assert_eq!(both, expected);
                let bounds = |side: &[i64]| side.iter().min().copied().zip(side.iter().max().copied());
                if let (Some((_, end)), Some((start, _))) = (bounds(&low), bounds(&high)) {
                    prop_assert!(end < start);
                }
            }
        }
    }

    #[test]
    fn one_iteration_may_have_any_step_and_be_widened_by_any_width() {
        let axis = Axis::new(1, (0, 9), &Format::Block, 2).unwrap();
        for step in [i64::MIN, i64::MIN + 1, -1, 1, i64::MAX] {
            let iterations = Progression { first: 7, step, count: 1 };
            let all = Loop { axis: &axis, offset: 0, iterations };
            let counts = |node| all.of(node).iter().map(|row| row.count).collect::<Vec<_>>();
            assert_eq!([counts(0), counts(1)], [vec![], vec![1]], "step {step}");
            for (lower, upper) in [(0, 0), (i64::MAX, i64::MIN), (i64::MIN, i64::MAX)] {
                for unbound in [false, true] {
                    let widths = Widths { lower, upper, unbound };
                    let wide = all.expanded(1, widths).unwrap();
                    assert!(wide.count >= 0, "{wide:?}");
                    all.margins(1, widths).unwrap();
                }
            }
        }
    }

    #[test]
    fn cyclic_loops_are_not_widened() {
        let axis = Axis::new(1, (0, 9), &Format::Cyclic, 2).unwrap();
        let iterations = Progression::from_bounds(0, 9, 1).unwrap();
        let all = Loop { axis: &axis, offset: 0, iterations };
        let error = all.expanded(0, Widths::default()).unwrap_err();
        assert!(error.to_string().contains("cannot be widened"), "{error}");
        assert!(all.margins(0, Widths::default()).is_err());
    }
}
