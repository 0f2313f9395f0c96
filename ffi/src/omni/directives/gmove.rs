//! `gmove` (XcalableMP 1.4, 4.5.2): the sides are described, then one is assigned to the other. Subscripts of C are
//! lower bound, length and stride, from 0; those of Fortran are lower bound, upper bound and stride.

use super::asynchronous::{self, pending};
use super::plans;
use crate::omni::entry::{Dimension, Memory, Released, for_both, for_c, for_fortran};
use crate::omni::error::{Outcome, Wrong};
use crate::omni::objects::{ArrayObject, Descriptor, Object, Of, Side, hand_out, picked};
use crate::process::instance;
use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;
use xmp_collectives::global::{Remote, begin, gmove_in, gmove_out, prepare_gmove, run};
use xmp_collectives::{barrier, nonblocking};
use xmp_core::Rank;
use xmp_core::global::{Order, Pick};
use xmp_core::image_set::ImageSet;

/// Which images take part.
mod mode {
    /// All executing images.
    pub const COLLECTIVE: i32 = 400;
    /// Those that have the left side.
    pub const IN: i32 = 401;
    /// Those that have the right side.
    pub const OUT: i32 = 402;
}

for_both! {
    /// A section of a distributed array.
    "gmove" fn xmpc_gmv_g_alloc, xmpf_gmv_g_alloc__(
        side: Option<&Cell<Descriptor>>, array: Rc<Object<ArrayObject>>,
    ) {
        hand_out(side, Object::new(Side::global(array)))
    }

    /// A side is no longer needed.
    "gmove" fn xmpc_gmv_dealloc, xmpf_gmv_dealloc__(_side: Released<Side>) {
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
        side: &Object<Side>, dim: c_int, kind: c_int, lower: c_int, len: c_int, stride: c_int,
    ) {
        side.pick(dim as usize, 0, 0, section(kind, lower, len, stride)?)
    }

    /// The bounds and the subscript of a dimension of a local array.
    "gmove" fn xmpc_gmv_l_dim_info(
        side: &Object<Side>, dim: c_int, first: c_int, extent: c_int, kind: c_int, lower: c_int, len: c_int, stride: c_int,
    ) {
        let pick = section(kind, lower, len, stride)?;
        let declared = i64::from(first) + i64::from(extent) - 1;
        // The extent of the first dimension of a pointer is not known: it reaches as far as it is used.
        let last = if dim == 0 { declared.max(last_used(&pick)) } else { declared };
        side.pick(dim as usize, first.into(), last, pick)
    }

    /// `gmove`, `gmove in`, `gmove out`.
    "gmove" fn xmpc_gmv_do(left: &Object<Side>, right: &Object<Side>, mode: c_int) {
        assign(left, right, mode)
    }
}

for_fortran! {
    /// A section of a local array of `dims` dimensions, or a scalar.
    "gmove" fn xmpf_gmv_l_alloc__(side: Option<&Cell<Descriptor>>, start: Memory, dims: c_int) {
        local_side(side, start, dims, Order::Fortran)
    }

    /// The subscript of a dimension of a distributed array.
    "gmove" fn xmpf_gmv_g_dim_info__(
        side: &Object<Side>, dim: Dimension, kind: c_int, lower: c_int, upper: c_int, step: c_int,
    ) {
        side.pick(dim.0, 0, 0, picked(kind, lower.into(), upper.into(), step.into())?)
    }

    /// The bounds and the subscript of a dimension of a local array.
    "gmove" fn xmpf_gmv_l_dim_info__(
        side: &Object<Side>, dim: Dimension, first: c_int, last: c_int, kind: c_int, lower: c_int, upper: c_int, step: c_int,
    ) {
        let pick = picked(kind, lower.into(), upper.into(), step.into())?;
        side.pick(dim.0, first.into(), last.into(), pick)
    }

    /// `gmove`, `gmove in`, `gmove out`.
    "gmove" fn xmpf_gmv_do__(left: &Object<Side>, right: &Object<Side>, mode: c_int) {
        // Where owners of the other side do not take part, what they have read or written before must be over.
        if !all_take_part(left, right, mode)? {
            let image = &instance().image;
            barrier(image, &image.executing())?;
        }
        assign(left, right, mode)
    }
}

fn local_side(
    side: Option<&Cell<Descriptor>>,
    start: Memory,
    dims: c_int,
    order: Order,
) -> Outcome {
    let dims = usize::try_from(dims).map_err(|_| Wrong::because(format!("{dims} dimensions")))?;
    hand_out(side, Object::new(Side::local(start.start(), dims, order)))
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

/// Assigns the right side to the left one. A barrier of the executing images follows where one side does it alone:
/// programs read at once what others have put, or after they have waited for the id.
///
/// # Errors
/// For shapes that differ, and elements that are on images which do not take part.
fn assign(left: &Side, right: &Side, mode: c_int) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    let (set, id) = (image.executing(), asynchronous::id(instance));
    let all = all_take_part(left, right, mode)?;
    match (mode, &left.of, &right.of) {
        (mode::COLLECTIVE, _, _) => collective(&set, left, right, id),
        (mode::IN, _, _) if all && id.is_some() => {
            // Owners read their elements when they begin, so no barrier has to follow.
            collective(&set, left, right, id)
        }
        (mode::IN | mode::OUT, _, _) if all => {
            collective(&set, left, right, None)?;
            meet(&set, id)
        }
        (mode::IN, _, Of::Global(array)) => {
            get(&set, left, array, right)?;
            meet(&set, id)
        }
        (mode::OUT, Of::Global(array), _) => {
            put(&set, array, left, right)?;
            meet(&set, id)
        }
        (mode::IN | mode::OUT, _, _) => {
            Err(Wrong::because("the side that does not take part is local"))
        }
        (mode, _, _) => Err(Wrong::because(format!("there is no mode {mode}"))),
    }
}

/// Whether all images that have either side execute the assignment, so that they all take part.
///
/// # Errors
/// When the array is not fixed.
fn all_take_part(left: &Side, right: &Side, mode: c_int) -> Outcome<bool> {
    match (mode, &left.of, &right.of) {
        (mode::COLLECTIVE, _, _) => Ok(true),
        (mode::IN, Of::Global(_), Of::Global(array))
        | (mode::OUT, Of::Global(array), Of::Global(_)) => {
            all_execute(array, &instance().image.executing())
        }
        _ => Ok(false),
    }
}

/// Whether all nodes of an array are among the executing images: then its owners take part, too.
fn all_execute(array: &ArrayObject, set: &ImageSet) -> Outcome<bool> {
    let mapping = array.widest()?;
    let nodes = mapping.nodes().members();
    let executes =
        |position| nodes.rank(position).is_some_and(|rank| set.position_of(rank).is_some());
    Ok(set.members() == nodes || (0..nodes.len()).all(executes))
}

/// All images that have elements of either side take part; in the background if there is an id.
fn collective(set: &ImageSet, left: &Side, right: &Side, id: Option<i64>) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    let element = left.element().or(right.element());
    let element = element.ok_or_else(|| Wrong::because("both sides are local"))?;
    let (to, from) = (left.storage(instance, element)?, right.storage(instance, element)?);
    let (to, from) = (to.0.section(&to.1), from.0.section(&from.1));
    let operation = prepare_gmove(image, set, plans(instance), to, from)?;
    let outcome = match id {
        Some(id) => begin(image, set, pending(instance).id(id), operation),
        None => run(image, set, &operation),
    };
    Ok(outcome?)
}

/// Each image gets its elements of the left side from the images that have them on the right side.
fn get(set: &ImageSet, left: &Side, array: &ArrayObject, right: &Side) -> Outcome {
    let instance = instance();
    let (to, from) = (left.storage(instance, array.element)?, right.section()?);
    let place = |rank: Rank| array.place_of(rank);
    let mapping = array.widest()?;
    // SAFETY: the images have published the addresses of their parts, which stay there.
    let remote = unsafe { Remote::new(&mapping, array.element, &place) };
    gmove_in(&instance.image, set, to.0.section(&to.1), remote.section(&from))?;
    Ok(())
}

/// Each image puts its elements of the right side to the images that have them on the left side.
fn put(set: &ImageSet, array: &ArrayObject, left: &Side, right: &Side) -> Outcome {
    let instance = instance();
    let (to, from) = (left.section()?, right.storage(instance, array.element)?);
    let place = |rank: Rank| array.place_of(rank);
    let mapping = array.widest()?;
    // SAFETY: the images have published the addresses of their parts, which stay there.
    let remote = unsafe { Remote::new(&mapping, array.element, &place) };
    gmove_out(&instance.image, set, remote.section(&to), from.0.section(&from.1))?;
    Ok(())
}

/// A barrier, which goes on by itself if there is an async id.
fn meet(set: &ImageSet, id: Option<i64>) -> Outcome {
    let instance = instance();
    let image = &instance.image;
    match id {
        Some(id) => pending(instance).add(id, nonblocking::barrier(image, set), |()| ()),
        None => barrier(image, set)?,
    }
    Ok(())
}
