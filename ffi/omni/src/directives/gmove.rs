//! `gmove` (XcalableMP 1.4, 4.5.2): the sides are described, then one is assigned to the other. Subscripts of C are
//! lower bound, length and stride, from 0; those of Fortran are lower bound, upper bound and stride.

use super::asynchronous;
use crate::objects::{ArrayObject, Descriptor, GmoveOperand, Object, hand_out};
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_collectives::{BarrierStatement, barrier_of};
use xmp_core::global::{Order, Pick, Progression};
use xmp_ffi::global::gmove::{self, Mode};
use xmp_ffi::process::instance;
use xmp_ffi::xmp::entry::{Dimension, Memory, Released, for_both, for_c, for_fortran};
use xmp_ffi::xmp::error::{DirectiveError, Outcome};

for_both! {
    /// A section of a distributed array.
    "gmove" fn xmpc_gmv_g_alloc, xmpf_gmv_g_alloc__(
        side: Option<&Cell<Descriptor>>, array: Rc<Object<ArrayObject>>,
    ) {
        hand_out(side, Object::new(GmoveOperand::global(array)))
    }

    /// A side is no longer needed.
    "gmove" fn xmpc_gmv_dealloc, xmpf_gmv_dealloc__(_side: Released<GmoveOperand>) {
        Ok(())
    }
}

for_c! {
    /// A section of a local array of `dims` dimensions, or a scalar.
    "gmove" fn xmpc_gmv_l_alloc(side: Option<&Cell<Descriptor>>, start: Memory, dims: c_int) {
        local_side(side, start, dims, Order::C)
    }

    /// The subscript of a dimension of a distributed array.
    "gmove" fn xmpc_gmv_g_dim_info(
        side: &Object<GmoveOperand>, dim: c_int, kind: c_int, lower: c_int, len: c_int, stride: c_int,
    ) {
        side.pick(dim as usize, 0, 0, section(kind, lower, len, stride)?)
    }

    /// The bounds and the subscript of a dimension of a local array.
    "gmove" fn xmpc_gmv_l_dim_info(
        side: &Object<GmoveOperand>, dim: c_int, first: c_int, extent: c_int, kind: c_int, lower: c_int, len: c_int, stride: c_int,
    ) {
        let pick = section(kind, lower, len, stride)?;
        let declared = i64::from(first) + i64::from(extent) - 1;
        // The extent of the first dimension of a pointer is not known: it reaches as far as it is used.
        let last = if dim == 0 { declared.max(last_used(&pick)) } else { declared };
        side.pick(dim as usize, first.into(), last, pick)
    }

    /// `gmove`, `gmove in`, `gmove out`.
    "gmove" fn xmpc_gmv_do(left: &Object<GmoveOperand>, right: &Object<GmoveOperand>, mode: c_int) {
        assign(left, right, mode_of(mode)?)
    }
}

for_fortran! {
    /// A section of a local array of `dims` dimensions, or a scalar.
    "gmove" fn xmpf_gmv_l_alloc__(side: Option<&Cell<Descriptor>>, start: Memory, dims: c_int) {
        local_side(side, start, dims, Order::Fortran)
    }

    /// The subscript of a dimension of a distributed array.
    "gmove" fn xmpf_gmv_g_dim_info__(
        side: &Object<GmoveOperand>, dim: Dimension, kind: c_int, lower: c_int, upper: c_int, step: c_int,
    ) {
        side.pick(dim.0, 0, 0, picked(kind, lower.into(), upper.into(), step.into())?)
    }

    /// The bounds and the subscript of a dimension of a local array.
    "gmove" fn xmpf_gmv_l_dim_info__(
        side: &Object<GmoveOperand>, dim: Dimension, first: c_int, last: c_int, kind: c_int, lower: c_int, upper: c_int, step: c_int,
    ) {
        let pick = picked(kind, lower.into(), upper.into(), step.into())?;
        side.pick(dim.0, first.into(), last.into(), pick)
    }

    /// `gmove`, `gmove in`, `gmove out`.
    "gmove" fn xmpf_gmv_do__(left: &Object<GmoveOperand>, right: &Object<GmoveOperand>, mode: c_int) {
        let mode = mode_of(mode)?;
        // Where owners of the other side do not take part, what they have read or written before must be over.
        if !gmove::all_take_part(left, right, mode)? {
            let image = &instance().image;
            barrier_of(image, &image.executing(), BarrierStatement::GMOVE)?;
        }
        assign(left, right, mode)
    }
}

/// Which images take part.
fn mode_of(mode: c_int) -> Outcome<Mode> {
    match mode {
        400 => Ok(Mode::Collective),
        401 => Ok(Mode::In),
        402 => Ok(Mode::Out),
        mode => Err(DirectiveError::because(format!("there is no mode {mode}"))),
    }
}

/// Assigns the right side to the left one. A barrier of the executing images follows where one side does it alone.
fn assign(left: &GmoveOperand, right: &GmoveOperand, mode: Mode) -> Outcome {
    let id = asynchronous::id(instance());
    gmove::assign(left, right, mode, gmove::Ending::Meet, id)
}

fn local_side(
    side: Option<&Cell<Descriptor>>,
    start: Memory,
    dims: c_int,
    order: Order,
) -> Outcome {
    let dims =
        usize::try_from(dims).map_err(|_| DirectiveError::because(format!("{dims} dimensions")))?;
    hand_out(side, Object::new(GmoveOperand::local(start.start(), dims, order)))
}

/// A subscript of C. Generated code calls sections of local arrays indices, too: they have a length.
fn section(kind: c_int, lower: c_int, len: c_int, stride: c_int) -> Outcome<Pick> {
    let (lower, len, stride) = (i64::from(lower), i64::from(len), i64::from(stride));
    let kind = if kind == 1 && len > 1 { 2 } else { kind };
    picked(kind, lower, lower + stride * (len - 1), stride)
}

/// The last index that a subscript uses.
fn last_used(pick: &Pick) -> i64 {
    match *pick {
        Pick::At(index) => index,
        Pick::Row(row) if row.count > 0 => row.first.max(row.last()),
        _ => 0,
    }
}

/// The subscript that a program gives as kind (0 all, 1 one index, 2 a triplet), and values.
///
/// # Errors
/// For another kind and for a step of 0.
pub fn picked(kind: c_int, first: i64, last: i64, step: i64) -> Outcome<Pick> {
    Ok(match kind {
        0 => Pick::All,
        1 => Pick::At(first),
        2 => Pick::Row(Progression::from_bounds(first, last, step)?),
        kind => {
            return Err(DirectiveError::because(format!("there is no kind {kind} of subscripts")));
        }
    })
}
