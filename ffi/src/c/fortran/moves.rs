//! Gmove with variables of the program, which each executing image has wholly.

use crate::c::argument::{Data, List};
use crate::c::global::{ObjectHandle, Range, assign, async_id, picks, section};
use crate::c::outcome::functions;
use crate::entry::cfi::Descriptor;
use crate::global::GmoveOperand;
use std::ffi::c_int;
use xmp_core::Result;
use xmp_core::global::Order;

/// A section of a variable with these lower bounds; all of it without ranges.
fn local(data: &Descriptor, lowers: List<c_int>, ranges: List<Range>) -> Result<GmoveOperand> {
    let dims = data.dims();
    let start = data.base.get();
    if data.elements()? > 0 {
        Data::at(start).not_null("a variable")?;
    }
    let side = GmoveOperand::local(start, dims.len(), Order::Fortran);
    let picks = picks(ranges, dims.len())?;
    for (dim, (of, pick)) in dims.iter().zip(picks).enumerate() {
        let lower = lowers.get(dims.len()).map_or(0, |lowers| i64::from(lowers[dim]));
        side.pick(dim, lower, lower + of.get().extent - 1, pick)?;
    }
    Ok(side)
}

functions! {
    /// Gmove to a variable.
    fn xmprt_fortran_gmove_to(
        to: &Descriptor, lowers: List<c_int>, ranges: List<Range>, from: ObjectHandle, from_ranges: List<Range>, mode: c_int,
        id: List<i64>,
    ) {
        assign(local(to, lowers, ranges), section(from, from_ranges), mode, async_id(id)?)
    }

    /// Gmove from a variable, or from a value.
    fn xmprt_fortran_gmove_from(
        to: ObjectHandle, to_ranges: List<Range>, from: &Descriptor, lowers: List<c_int>, ranges: List<Range>, mode: c_int,
        id: List<i64>,
    ) {
        assign(section(to, to_ranges), local(from, lowers, ranges), mode, async_id(id)?)
    }
}
