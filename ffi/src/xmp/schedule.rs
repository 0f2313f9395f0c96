//! The iterations of this image in a template dimension, by name (XcalableMP 1.4, 7.3).

use crate::global::{Object, TemplateObject};
use crate::process::instance;
use crate::xmp::entry::{Dimension, for_c};
use crate::xmp::error::Wrong;
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::global::{Loop, Progression};

for_c! {
    /// The iterations of this image, counted from 0: the local number of the first, and one after the last. A loop whose
    /// iterations are no evenly spaced row of local numbers is an error.
    "xmp_sched_template_index" fn xmp_sched_template_index(
        first: &Cell<c_int>, end: &Cell<c_int>, init: c_int, cond: c_int, step: c_int,
        template: &Object<TemplateObject>, dim: Dimension,
    ) {
        let distribution = template.distribution()?;
        let dims = distribution.axes().len();
        let axis = distribution.axes().get(dim.0).ok_or_else(|| {
            Wrong::because(format!("there is no dimension {}, but {dims} of them", dim.0 + 1))
        })?;
        let last = if step > 0 { i64::from(cond) - 1 } else { i64::from(cond) + 1 };
        let iterations = Progression::from_bounds(init.into(), last, step.into())?;
        let node = distribution.coords(instance().image.rank());
        let rows = match node.map(|coords| distribution.coord(dim.0, &coords)) {
            Some(node) => Loop { axis, offset: 0, iterations }.of(node),
            None => Vec::new(),
        };
        let (from, to) = match rows[..] {
            [] => (0, 0),
            [row] => {
                let row = if axis.is_collapsed() { row.shifted(axis.lower()) } else { row };
                (row.first, row.last() + step.signum() as i64)
            }
            _ => return Err(Wrong::because("the iterations are not evenly distributed over cyclic blocks")),
        };
        first.set(from as c_int);
        end.set(to as c_int);
        Ok(())
    }
}
