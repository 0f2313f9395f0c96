//! `loop` (XcalableMP 1.4, 4.4.3): bounds of the iterations of this image.
//!
//! Local numbers of iterations are those of the template indices that the node has, from 0. Of a dimension that
//! every node has wholly they are the template indices themselves.

use crate::fortran::{Reference, ReferencedObject};
use crate::objects::{Object, TemplateObject};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_core::global::{Axis, Distribution, Loop, Progression, Widths};
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{Dimension, for_c, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

/// What `expand`, `margin` and `peel_and_wait` are.
mod kind {
    pub const EXPAND: i32 = 410;
    pub const MARGIN: i32 = 411;
    pub const PEEL: i32 = 412;
    pub const NONE: i32 = 413;
}

/// The bounds of `for (i = init; i < cond; i += step)`, or of the loop with `>` if the step is negative.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    init: i64,
    cond: i64,
    step: i64,
}

impl Bounds {
    /// No iteration.
    const NOTHING: Bounds = Bounds { init: 0, cond: 0, step: 1 };
}

/// The bounds, in local numbers, of the iterations that a node has of a loop on a template dimension.
///
/// # Errors
/// For a step of 0, iterations that are no evenly spaced row of local ones, and widths around cyclic blocks.
fn schedule(
    axis: &Axis,
    node: usize,
    bounds: Bounds,
    kind: c_int,
    widths: Widths,
) -> Outcome<Bounds> {
    let Bounds { init, cond, step } = bounds;
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
                return Err(DirectiveError::because(format!(
                    "the iterations {init}, {}, ... are not evenly distributed over cyclic blocks: such a loop cannot be \
                     compiled",
                    init + step
                )));
            }
        },
        kind => return Err(DirectiveError::because(format!("there is no kind {kind} of loops"))),
    };
    if row.count == 0 {
        return Ok(Bounds::NOTHING);
    }
    let row = if axis.is_collapsed() { row.shifted(axis.lower()) } else { row };
    let end = if row.step > 0 { row.last() + 1 } else { row.last() - 1 };
    Ok(Bounds { init: row.first, cond: end, step: row.step })
}

/// The loop of a C program that is aligned with a template dimension.
struct CLoop<'a> {
    template: &'a TemplateObject,
    dim: c_int,
    kind: c_int,
    widths: Widths,
}

impl CLoop<'_> {
    /// A loop without `expand`, `margin` or `peel_and_wait`.
    fn plain(template: &TemplateObject, dim: c_int) -> CLoop<'_> {
        CLoop { template, dim, kind: kind::NONE, widths: Widths::default() }
    }

    /// The bounds of the iterations of this image: init, cond, step.
    fn own(&self, init: c_int, cond: c_int, step: c_int) -> Outcome<[c_int; 3]> {
        let distribution = self.template.distribution()?;
        let Some(axis) = distribution.axes().get(self.dim as usize) else {
            let dim = i64::from(self.dim) + 1;
            return Err(DirectiveError::because(format!("the template has no dimension {dim}")));
        };
        let bounds = match distribution.coords(instance().image.rank()) {
            Some(coords) => {
                let node = distribution.coord(self.dim as usize, &coords);
                let all = Bounds { init: init.into(), cond: cond.into(), step: step.into() };
                schedule(axis, node, all, self.kind, self.widths)?
            }
            None => Bounds::NOTHING,
        };
        let number = |number: i64| {
            let why =
                || DirectiveError::because(format!("{number} is no int: the loop cannot be run"));
            c_int::try_from(number).map_err(|_| why())
        };
        Ok([number(bounds.init)?, number(bounds.cond)?, number(bounds.step)?])
    }
}

for_c! {
    /// The iterations of this image.
    "loop" fn xmpc_loop_sched(
        init: c_int, cond: c_int, step: c_int,
        own_init: &Cell<c_int>, own_cond: &Cell<c_int>, own_step: &Cell<c_int>,
        template: &Object<TemplateObject>, dim: c_int, kind: c_int, lower: c_int, upper: c_int, unbound: c_int,
    ) {
        let widths = Widths { lower: lower.into(), upper: upper.into(), unbound: unbound != 0 };
        let own = CLoop { template, dim, kind, widths }.own(init, cond, step)?;
        own_init.set(own[0]);
        own_cond.set(own[1]);
        own_step.set(own[2]);
        Ok(())
    }
}

/// Declares the calls for one kind of distribution, which are all the same here.
macro_rules! schedules {
    ($($name:ident)*) => { for_c! { $(
        /// The iterations of this image.
        "loop" fn $name(
            init: c_int, cond: c_int, step: c_int,
            own_init: &Cell<c_int>, own_cond: &Cell<c_int>, own_step: &Cell<c_int>,
            template: &Object<TemplateObject>, dim: c_int,
        ) {
            let own = CLoop::plain(template, dim).own(init, cond, step)?;
            own_init.set(own[0]);
            own_cond.set(own[1]);
            own_step.set(own[2]);
            Ok(())
        }
    )* } };
}

schedules! {
    _XMP_sched_loop_template_DUPLICATION
    _XMP_sched_loop_template_BLOCK
    _XMP_sched_loop_template_CYCLIC
    _XMP_sched_loop_template_BLOCK_CYCLIC
    _XMP_sched_loop_template_GBLOCK
}

/// The loop of a Fortran program over a template dimension.
struct Aligned {
    distribution: Rc<Distribution>,
    axis: usize,
    offset: i64,
    /// The coordinate of this image along the dimension, if it is one of the nodes.
    node: Option<usize>,
}

impl Aligned {
    /// The loop with this number of a reference; `None` if it is aligned with nothing.
    fn of(reference: &Reference, number: Dimension) -> Outcome<Option<Aligned>> {
        let Some((axis, offset)) = reference.aligned(number.0)? else { return Ok(None) };
        let ReferencedObject::Template(template) = &reference.of else {
            return Err(DirectiveError::because("a loop has to be aligned with a template"));
        };
        let distribution = template.distribution()?;
        let coords = distribution.coords(instance().image.rank());
        let node = coords.map(|coords| distribution.coord(axis, &coords));
        Ok(Some(Aligned { distribution, axis, offset, node }))
    }

    fn axis(&self) -> &Axis {
        &self.distribution.axes()[self.axis]
    }
}

for_fortran! {
    /// Turns the bounds of a loop into those of the iterations of this image.
    "loop" fn xmpf_loop_sched__(
        lower: &Cell<c_int>, upper: &Cell<c_int>, step: &Cell<c_int>, number: Dimension, reference: &Object<Reference>,
        kind: c_int, before: c_int, after: c_int, unbound: c_int,
    ) {
        let Some(aligned) = Aligned::of(reference, number)? else { return Ok(()) };
        let widths = Widths { lower: before.into(), upper: after.into(), unbound: unbound != 0 };
        let by = i64::from(step.get());
        let side = if by > 0 { 1 } else { -1 };
        let own = match aligned.node {
            None => Bounds::NOTHING,
            Some(node) => {
                let init = i64::from(lower.get()) + aligned.offset;
                let cond = i64::from(upper.get()) + aligned.offset + side;
                schedule(aligned.axis(), node, Bounds { init, cond, step: by }, kind, widths)?
            }
        };
        lower.set(own.init as c_int);
        upper.set((if own.step > 0 { own.cond - 1 } else { own.cond + 1 }) as c_int);
        step.set(own.step as c_int);
        Ok(())
    }

    /// The global value of a loop variable.
    "loop" fn xmpf_l2g__(global: &Cell<c_int>, local: c_int, number: Dimension, reference: &Object<Reference>) {
        let local = i64::from(local);
        let index = match Aligned::of(reference, number)? {
            None => local,
            Some(aligned) => {
                let index = match aligned.node {
                    Some(node) if !aligned.axis().is_collapsed() => aligned.axis().index(node, local),
                    _ => local,
                };
                index - aligned.offset
            }
        };
        global.set(index as c_int);
        Ok(())
    }

    /// Whether the iteration with this global value is none of this image.
    "loop" fn xmpf_loop_test_skip__(reference: &Object<Reference>, number: Dimension, value: c_int) -> c_int {
        let Some(aligned) = Aligned::of(reference, number)? else { return Ok(0) };
        let (axis, index) = (aligned.axis(), i64::from(value) + aligned.offset);
        let is_own = aligned.node.is_some_and(|node| {
            axis.is_collapsed()
                || ((axis.lower()..=axis.upper()).contains(&index) && axis.owner(index) == node)
        });
        Ok((!is_own).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::global::Format;

    fn rows(axis: &Axis, init: i64, cond: i64, step: i64) -> Vec<(i64, i64, i64)> {
        let bounds = Bounds { init, cond, step };
        let own = |node| schedule(axis, node, bounds, kind::NONE, Widths::default()).ok().unwrap();
        (0..axis.nodes()).map(own).map(|own| (own.init, own.cond, own.step)).collect()
    }

    #[test]
    fn bounds_are_those_of_for_loops() {
        let block = Axis::new(1, (0, 9), &Format::Block, 2).unwrap();
        assert_eq!(rows(&block, 1, 9, 1), [(1, 5, 1), (0, 4, 1)]);
        assert_eq!(rows(&block, 8, 0, -1), [(4, 0, -1), (3, -1, -1)]);
        assert_eq!(rows(&block, 0, 10, 3), [(0, 4, 3), (1, 5, 3)]);
        assert_eq!(rows(&block, 7, 7, 1), [(0, 0, 1), (0, 0, 1)]);
        let cyclic = Axis::new(1, (0, 9), &Format::Cyclic, 2).unwrap();
        assert_eq!(rows(&cyclic, 1, 10, 1), [(1, 5, 1), (0, 5, 1)]);
        // As far as numbers go.
        let end = i64::from(c_int::MAX) + 1;
        let far = Axis::new(1, (0, c_int::MAX.into()), &Format::Cyclic, 2).unwrap();
        assert_eq!(rows(&far, 0, end, 1), [(0, 1 << 30, 1), (0, 1 << 30, 1)]);
        let whole = Axis::new(1, (5, 9), &Format::Collapsed, 1).unwrap();
        assert_eq!(rows(&whole, 6, 9, 1), [(6, 9, 1)]);
    }

    #[test]
    fn margins_are_one_side_at_a_time() {
        let block = Axis::new(1, (0, 9), &Format::Block, 2).unwrap();
        let side = |node, lower, upper| {
            let widths = Widths { lower, upper, unbound: true };
            let all = Bounds { init: 0, cond: 10, step: 1 };
            let own = schedule(&block, node, all, kind::MARGIN, widths).ok().unwrap();
            (own.init, own.cond, own.step)
        };
        assert_eq!(side(1, 1, 0), (-1, 0, 1));
        assert_eq!(side(0, 0, 2), (5, 7, 1));
        assert_eq!(side(0, -1, 0), (0, 1, 1));
        assert_eq!(side(1, 0, 0), (0, 5, 1));
    }
}
