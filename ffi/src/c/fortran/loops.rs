//! Bounds of loops that the translator does not compute in the statement itself.

use crate::c::argument::List;
use crate::c::global::{ObjectHandle, Range, dimension, nodes_of};
use crate::c::outcome::{functions, inquiries};
use std::ffi::c_int;
use xmp_core::Error;

/// Outside of all bounds of loops, and far enough from the ends of an integer to be added to.
pub const FAR: c_int = 1 << 30;

/// The indices from `first` to `last`, as three numbers of a list of ranges.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_indices_(first: &i64, last: &i64, step: &i64) -> Range {
    Range::between(*first, *last, *step)
}

/// The first value between two others of a loop that begins at `first` and counts by `step`.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_start(first: c_int, from: c_int, to: c_int, step: c_int) -> c_int {
    let by = step.wrapping_abs();
    let before = if step < 0 { first.wrapping_sub(to) } else { from.wrapping_sub(first) };
    if before <= 0 || by == 0 {
        return first;
    }
    first.wrapping_add((before.wrapping_add(by - 1) / by).wrapping_mul(step))
}

/// The last value between two others of a loop that counts by `step` up to `last`; before all of them unless `is_on`.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_stop(
    last: c_int,
    from: c_int,
    to: c_int,
    step: c_int,
    is_on: c_int,
) -> c_int {
    match (is_on != 0, step < 0) {
        (false, true) => FAR,
        (false, false) => -FAR,
        (true, true) => last.max(from),
        (true, false) => last.min(to),
    }
}

/// The first (`end` 1) or the last index (`end` 2) of one side of a margin in dimension `nth` of a nest. Positive
/// widths are around the indices of this image, negative ones inside. Side 2n is below dimension n, side 2n+1 above it;
/// of the dimensions before n it has the inside only, so that no index is in two sides. A side below 0 is the whole
/// inside. A dimension without widths has no side.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_fortran_side(
    first: c_int,
    last: c_int,
    lower: c_int,
    upper: c_int,
    nth: c_int,
    side: c_int,
    end: c_int,
) -> c_int {
    let (first, last) = side_of((first, last), (lower, upper), nth, side);
    if end == 1 { first } else { last }
}

fn side_of(
    (first, last): (c_int, c_int),
    (lower, upper): (c_int, c_int),
    nth: c_int,
    side: c_int,
) -> (c_int, c_int) {
    if first > last {
        return (first, last);
    }
    let of = side.div_euclid(2);
    if (lower, upper) == (0, 0) {
        return if side < 0 || nth != of { (first, last) } else { (first, first - 1) };
    }
    let outer = (first - lower.max(0), last + upper.max(0));
    let mut inner = (first + (-lower).max(0), last - (-upper).max(0));
    if inner.0 > inner.1 + 1 {
        // Widths that meet: all of it is below, as far as there is nothing above.
        inner.0 = (inner.1 + 1).max(outer.0);
        inner.1 = inner.0 - 1;
    }
    match (side < 0 || nth < of, nth == of, side % 2) {
        (true, ..) => inner,
        (_, true, 0) => (outer.0, inner.0 - 1),
        (_, true, _) => (inner.1 + 1, outer.1),
        _ => outer,
    }
}

/// The first of the indices from `first` to `last` that this image does not have. Its indices: a first and a last one,
/// and blocks of `width` a `period` apart unless that is 0.
fn not_here([first, last, step]: [i64; 3], [low, high, width, period]: [i64; 4]) -> Option<i64> {
    let is_here = |index: &i64| {
        (low..=high).contains(index) && (period == 0 || (index - low).rem_euclid(period) < width)
    };
    let count = if step == 0 { 0 } else { (last - first) / step + 1 };
    let all = (0..count).map(|nth| first + nth * step);
    // The ends say enough of one piece, and of steps from block to block.
    if period == 0 || step % period == 0 {
        let ends = [all.clone().next(), all.clone().next_back()];
        return ends.into_iter().flatten().find(|index| !is_here(index));
    }
    all.into_iter().find(|index| !is_here(index))
}

functions! {
    /// Refuses a loop that refers to elements of a dimension, `factor * i + added`, which this image has not. `own` are the bounds of
    /// its part, or the indices of the template where the dimension is cyclic.
    fn xmprt_fortran_reach(
        first: c_int, last: c_int, step: c_int, factor: c_int, added: c_int, own: List<[c_int; 4]>,
    ) {
        let own = own.of("own", 1)?[0].map(i64::from);
        let [first, last, step, factor, added] = [first, last, step, factor, added].map(i64::from);
        if (last - first) * step.signum() < 0 {
            return Ok(());
        }
        let last = if step == 0 { first } else { first + (last - first) / step * step };
        let reached = [first * factor + added, last * factor + added, step * factor];
        let Some(index) = not_here(reached, own) else { return Ok(()) };
        let [low, high, width, period] = own;
        let has = match (low > high, period) {
            (true, _) => "none of them".to_owned(),
            (_, 0) => format!("{low} to {high} with the shadow"),
            _ => format!("{low} to {} and each {period} further", low + width - 1),
        };
        Err(Error::Invalid(format!("index {index} is not on this node, which has {has}")))
    }
}

inquiries! {
    /// The number of this image in a dimension of nodes, from 1; none of a loop's values if it is not one of them.
    fn xmprt_fortran_node(nodes: ObjectHandle, dim: c_int) -> c_int {
        let nodes = nodes_of(nodes)?;
        let dim = dimension(dim - 1, nodes.nodes.shape().len())?;
        Ok(nodes.coords.as_ref().map_or(FAR, |coords| coords[dim] as c_int + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_start_at_the_first_value_of_the_loop_in_a_range() {
        assert_eq!(xmprt_fortran_start(1, 4, 9, 2), 5);
        assert_eq!(xmprt_fortran_start(7, 4, 9, 2), 7);
        assert_eq!(xmprt_fortran_start(20, 4, 9, -3), 8);
        assert_eq!(xmprt_fortran_stop(20, 4, 9, 2, 1), 9);
        assert_eq!(xmprt_fortran_stop(1, 4, 9, -2, 1), 4);
        assert!(xmprt_fortran_stop(20, 4, 9, 2, 0) < -1000);
    }

    #[test]
    fn indices_of_a_loop_that_are_elsewhere() {
        let blocks = [3, 20, 2, 6];
        assert_eq!(not_here([3, 15, 6], blocks), None);
        assert_eq!(not_here([15, 4, -11], blocks), None);
        assert_eq!(not_here([4, 22, 6], blocks), Some(22));
        assert_eq!(not_here([3, 4, 1], blocks), None);
        assert_eq!(not_here([3, 5, 1], blocks), Some(5));
        assert_eq!(not_here([2, 2, 1], blocks), Some(2));
        let piece = [3, 7, 0, 0];
        assert_eq!(not_here([7, 3, -2], piece), None);
        assert_eq!(not_here([2, 6, 2], piece), Some(2));
        assert_eq!(not_here([4, 8, 2], piece), Some(8));
        assert_eq!(not_here([4, 4, 0], piece), None);
    }

    #[test]
    fn the_sides_and_the_inside_of_a_margin_are_all_of_it_once() {
        for (lower, upper) in [(1, 2), (-1, -2), (0, 3), (-2, 1), (-4, -4), (0, 0)] {
            let (below, above) =
                (side_of((3, 8), (lower, upper), 0, 0), side_of((3, 8), (lower, upper), 0, 1));
            let inside = side_of((3, 8), (lower, upper), 0, -1);
            let mut all: Vec<c_int> =
                [below, inside, above].iter().flat_map(|(first, last)| *first..=*last).collect();
            all.sort_unstable();
            let (first, last) = (3 - lower.max(0), 8 + upper.max(0));
            assert_eq!(all, (first..=last).collect::<Vec<_>>(), "{lower} {upper}");
        }
    }
}
