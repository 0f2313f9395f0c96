//! Bounds of loops that the translator does not compute in the statement itself.

use crate::c::global::{ObjectHandle, Range, dimension, nodes_of};
use crate::c::outcome::inquiries;
use std::ffi::c_int;

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

/// The first (`end` 1) or the last index (`end` 2) of what one side of a margin has of dimension `nth` of a nest. Positive widths are
/// around the indices of this image, negative ones inside. Side 2n lies below dimension n, side 2n+1 above it; of the dimensions
/// before n it has what is inside only, so that no index is in two sides. A side below 0 is all that is inside. A dimension without
/// widths has no side.
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
