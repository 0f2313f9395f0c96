//! `loop` (XcalableMP 1.4, 4.4.3): bounds of the iterations of this image.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{Descriptor, Object, TemplateObject};
use crate::process::instance;
use std::ffi::c_int;
use xmp_core::global::{Axis, Loop, Progression, Widths};

/// What `expand`, `margin` and `peel_and_wait` are.
mod kind {
    pub const EXPAND: i32 = 410;
    pub const MARGIN: i32 = 411;
    pub const PEEL: i32 = 412;
    pub const NONE: i32 = 413;
}

/// `for (i = init; i < cond; i += step)`, or `>` with a negative step, on a template dimension: the same in local
/// numbers of iterations. Of a dimension that every node has wholly they are the indices themselves.
///
/// # Errors
/// For a step of 0, iterations that are no evenly spaced row of local ones, and widths around cyclic blocks.
pub fn schedule(
    axis: &Axis,
    node: usize,
    (init, cond, step): (i64, i64, i64),
    (kind, widths): (c_int, Widths),
) -> Outcome<(i64, i64, i64)> {
    let last = if step > 0 { cond - 1 } else { cond + 1 };
    let iterations = Progression::from_bounds(init, last, step)?;
    let of = Loop { axis, offset: 0, iterations };
    let row = match kind {
        kind::EXPAND => of.expanded(node, widths)?,
        kind::MARGIN if widths.lower != 0 || widths.upper != 0 => {
            // One side at a time: the one that has a width.
            let [first, last] = of.margins(node, widths)?;
            if widths.lower != 0 { first } else { last }
        }
        // What is peeled off is a loop of its own. A margin of nothing is that of another dimension: all iterations.
        kind::NONE | kind::PEEL | kind::MARGIN => match of.of(node)[..] {
            [] => Progression { first: 0, step, count: 0 },
            [row] => row,
            _ => {
                return Err(Wrong::because(format!(
                    "the iterations {init}, {}, ... are not evenly distributed over cyclic blocks: such a loop cannot be \
                     compiled",
                    init + step
                )));
            }
        },
        kind => return Err(Wrong::because(format!("there is no kind {kind} of loops"))),
    };
    if row.count == 0 {
        return Ok((0, 0, 1));
    }
    let row = if axis.is_collapsed() { row.shifted(axis.lower()) } else { row };
    let end = if row.step > 0 { row.last() + 1 } else { row.last() - 1 };
    Ok((row.first, end, row.step))
}

/// What is asked of a template dimension.
///
/// # Safety
/// `template` describes one.
unsafe fn schedule_of(
    (init, cond, step): (c_int, c_int, c_int),
    (template, dim): (Descriptor, c_int),
    how: (c_int, Widths),
) -> Outcome<(c_int, c_int, c_int)> {
    // SAFETY: the caller's guarantee.
    let distribution = unsafe { Object::<TemplateObject>::of(template)? }.distribution()?;
    let Some(axis) = distribution.axes().get(dim as usize) else {
        return Err(Wrong::because(format!("the template has no dimension {}", dim + 1)));
    };
    match distribution.coords(instance().image.rank()) {
        Some(coords) => {
            let node = distribution.coord(dim as usize, &coords);
            let of = (init.into(), cond.into(), step.into());
            let (init, cond, step) = schedule(axis, node, of, how)?;
            let number = |number: i64| {
                let why = || Wrong::because(format!("{number} is no int: the loop cannot be run"));
                c_int::try_from(number).map_err(|_| why())
            };
            Ok((number(init)?, number(cond)?, number(step)?))
        }
        None => Ok((0, 0, 1)),
    }
}

/// The iterations of this image.
///
/// # Safety
/// `template` describes one; the places are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_loop_sched(
    init: c_int,
    cond: c_int,
    step: c_int,
    own_init: *mut c_int,
    own_cond: *mut c_int,
    own_step: *mut c_int,
    template: Descriptor,
    dim: c_int,
    kind: c_int,
    lower: c_int,
    upper: c_int,
    unbound: c_int,
) {
    let widths = Widths { lower: lower.into(), upper: upper.into(), unbound: unbound != 0 };
    // SAFETY: the caller's guarantee.
    let own = done("loop", || unsafe {
        schedule_of((init, cond, step), (template, dim), (kind, widths))
    });
    // SAFETY: as above.
    unsafe {
        own_init.write(own.0);
        own_cond.write(own.1);
        own_step.write(own.2);
    }
}

/// Defines the calls for one kind of distribution, which are all the same here.
macro_rules! schedules {
    ($($name:ident)*) => { $(
        /// The iterations of this image.
        ///
        /// # Safety
        /// `template` describes one; the places are valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            init: c_int,
            cond: c_int,
            step: c_int,
            own_init: *mut c_int,
            own_cond: *mut c_int,
            own_step: *mut c_int,
            template: Descriptor,
            dim: c_int,
        ) {
            let (own, at) = ((own_init, own_cond, own_step), (template, dim));
            // SAFETY: the caller's guarantee.
            unsafe {
                xmpc_loop_sched(
                    init, cond, step, own.0, own.1, own.2, at.0, at.1, kind::NONE, 0, 0, 0,
                )
            }
        }
    )* };
}

schedules! {
    _XMP_sched_loop_template_DUPLICATION
    _XMP_sched_loop_template_BLOCK
    _XMP_sched_loop_template_CYCLIC
    _XMP_sched_loop_template_BLOCK_CYCLIC
    _XMP_sched_loop_template_GBLOCK
}

/// The iterations of this image in a template dimension, from 0: the local number of the first, and one behind the last.
///
/// # Safety
/// As [`xmpc_loop_sched`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmp_sched_template_index(
    own_init: *mut c_int,
    own_cond: *mut c_int,
    init: c_int,
    cond: c_int,
    step: c_int,
    template: Descriptor,
    dim: c_int,
) {
    let (plain, mut own_step) = (kind::NONE, 0);
    // SAFETY: the caller's guarantee.
    unsafe {
        xmpc_loop_sched(
            init,
            cond,
            step,
            own_init,
            own_cond,
            &raw mut own_step,
            template,
            dim,
            plain,
            0,
            0,
            0,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::global::Format;

    fn rows(axis: &Axis, of: (i64, i64, i64)) -> Vec<(i64, i64, i64)> {
        let plain = (kind::NONE, Widths::default());
        (0..axis.nodes()).map(|node| schedule(axis, node, of, plain).ok().unwrap()).collect()
    }

    #[test]
    fn bounds_are_those_of_for_loops() {
        let block = Axis::new(1, (0, 9), &Format::Block, 2).unwrap();
        assert_eq!(rows(&block, (1, 9, 1)), [(1, 5, 1), (0, 4, 1)]);
        assert_eq!(rows(&block, (8, 0, -1)), [(4, 0, -1), (3, -1, -1)]);
        assert_eq!(rows(&block, (0, 10, 3)), [(0, 4, 3), (1, 5, 3)]);
        assert_eq!(rows(&block, (7, 7, 1)), [(0, 0, 1), (0, 0, 1)]);
        let cyclic = Axis::new(1, (0, 9), &Format::Cyclic, 2).unwrap();
        assert_eq!(rows(&cyclic, (1, 10, 1)), [(1, 5, 1), (0, 5, 1)]);
        // As far as numbers go.
        let all = (0, i64::from(c_int::MAX) + 1, 1);
        let far = Axis::new(1, (0, c_int::MAX.into()), &Format::Cyclic, 2).unwrap();
        assert_eq!(rows(&far, all), [(0, 1 << 30, 1), (0, 1 << 30, 1)]);
        let whole = Axis::new(1, (5, 9), &Format::Collapsed, 1).unwrap();
        assert_eq!(rows(&whole, (6, 9, 1)), [(6, 9, 1)]);
    }

    #[test]
    fn margins_are_one_side_at_a_time() {
        let block = Axis::new(1, (0, 9), &Format::Block, 2).unwrap();
        let side = |node, lower, upper| {
            let widths = Widths { lower, upper, unbound: true };
            schedule(&block, node, (0, 10, 1), (kind::MARGIN, widths)).ok().unwrap()
        };
        assert_eq!(side(1, 1, 0), (-1, 0, 1));
        assert_eq!(side(0, 0, 2), (5, 7, 1));
        assert_eq!(side(0, -1, 0), (0, 1, 1));
        assert_eq!(side(1, 0, 0), (0, 5, 1));
    }
}
