//! `gmove` (XcalableMP 1.4, 4.5.2): the sides are described, then one is assigned to the other. Subscripts are lower
//! bound, length and stride, from 0.

use crate::omni::error::{Outcome, Wrong, done};
use crate::omni::objects::{ArrayObject, Descriptor, Object, Of, Side, hand_out, picked};
use crate::process::{Instance, instance};
use std::ffi::{c_int, c_void};
use xmp_collectives::global::{Remote, gmove, gmove_async, gmove_in, gmove_out};
use xmp_collectives::{barrier, nonblocking};
use xmp_core::Rank;
use xmp_core::global::{Order, Pick};
use xmp_core::image_set::ImageSet;

/// What takes part.
mod mode {
    /// All executing images.
    pub const COLLECTIVE: i32 = 400;
    /// Who has the left side.
    pub const IN: i32 = 401;
    /// Who has the right side.
    pub const OUT: i32 = 402;
}

/// A section of a distributed array.
///
/// # Safety
/// `place` is valid, `array` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_gmv_g_alloc(place: *mut Descriptor, array: Descriptor) {
    // SAFETY: the caller's guarantee.
    done("gmove", || unsafe {
        let side = Side::global(Object::<ArrayObject>::shared(array)?);
        hand_out(place, Object::new(side))
    });
}

/// A section of a local array of so many dimensions, or a scalar.
///
/// # Safety
/// `place` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_gmv_l_alloc(place: *mut Descriptor, start: *mut c_void, dims: c_int) {
    done("gmove", || {
        let dims = usize::try_from(dims);
        let dims = dims.map_err(|_| Wrong::because("a negative number of dimensions"))?;
        // SAFETY: the caller's guarantee.
        unsafe { hand_out(place, Object::new(Side::local(start.cast(), dims, Order::C))) }
    });
}

/// A subscript of generated code, which calls sections of local arrays indices, too: their length tells.
fn subscript(kind: c_int, (lower, len, stride): (c_int, c_int, c_int)) -> Outcome<Pick> {
    let (lower, len, stride) = (i64::from(lower), i64::from(len), i64::from(stride));
    let kind = if kind == 1 && len > 1 { 2 } else { kind };
    picked(kind, (lower, lower + stride * (len - 1), stride))
}

/// The subscript of a dimension of a distributed array.
///
/// # Safety
/// `side` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_gmv_g_dim_info(
    side: Descriptor,
    dim: c_int,
    kind: c_int,
    lower: c_int,
    len: c_int,
    stride: c_int,
) {
    done("gmove", || {
        // SAFETY: the caller's guarantee.
        let side = unsafe { Object::<Side>::of(side)? };
        side.pick(dim as usize, (0, 0), subscript(kind, (lower, len, stride))?)
    });
}

/// The last index of a dimension of a local array. That of the first one of a pointer nobody knows: as far as it is used.
fn last(dim: c_int, (first, extent): (c_int, c_int), pick: &Pick) -> i64 {
    let used = match *pick {
        Pick::At(index) => index,
        Pick::Row(row) if row.count > 0 => row.first.max(row.last()),
        _ => 0,
    };
    let declared = i64::from(first) + i64::from(extent) - 1;
    if dim == 0 { declared.max(used) } else { declared }
}

/// The bounds and the subscript of a dimension of a local array.
///
/// # Safety
/// `side` describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_gmv_l_dim_info(
    side: Descriptor,
    dim: c_int,
    first: c_int,
    extent: c_int,
    kind: c_int,
    lower: c_int,
    len: c_int,
    stride: c_int,
) {
    done("gmove", || {
        // SAFETY: the caller's guarantee.
        let side = unsafe { Object::<Side>::of(side)? };
        let pick = subscript(kind, (lower, len, stride))?;
        side.pick(dim as usize, (first.into(), last(dim, (first, extent), &pick)), pick)
    });
}

/// Assigns the right side to the left one. What one side does alone is followed by a barrier of the executing images:
/// programs read at once what others have put, or when they have waited for the id.
///
/// # Errors
/// For shapes that differ, and elements that are on images which do not take part.
///
/// # Safety
/// Arrays are where they were said to be; until an asynchronous one is waited for.
pub unsafe fn assign(left: &Side, right: &Side, mode: c_int) -> Outcome {
    let Instance { image, omni, .. } = instance();
    let (set, id) = (image.executing(), omni.asynchronous.get());
    let all = all_take_part((left, right), mode)?;
    // SAFETY: the caller's guarantee.
    unsafe {
        match (mode, &left.of, &right.of) {
            (mode::COLLECTIVE, _, _) => together(&set, (left, right), id),
            (mode::IN, _, _) if all && id.is_some() => {
                // Owners read what they give when they begin, so nobody need wait for all.
                together(&set, (left, right), id)
            }
            (mode::IN | mode::OUT, _, _) if all => {
                together(&set, (left, right), None)?;
                meet(&set, id)
            }
            (mode::IN, _, Of::Global(array)) => {
                get(&set, left, (array, right))?;
                meet(&set, id)
            }
            (mode::OUT, Of::Global(array), _) => {
                put(&set, (array, left), right)?;
                meet(&set, id)
            }
            (mode::IN | mode::OUT, _, _) => {
                Err(Wrong::because("the side that does not take part is local"))
            }
            (mode, _, _) => Err(Wrong::because(format!("there is no mode {mode}"))),
        }
    }
}

/// Whether all who have either side execute the assignment, so that they all take part.
///
/// # Errors
/// When the array is not fixed.
pub fn all_take_part((left, right): (&Side, &Side), mode: c_int) -> Outcome<bool> {
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
///
/// # Safety
/// As [`assign`].
unsafe fn together(set: &ImageSet, (left, right): (&Side, &Side), id: Option<i64>) -> Outcome {
    let instance = instance();
    let Instance { image, omni, .. } = instance;
    let element = left.element().or(right.element());
    let element = element.ok_or_else(|| Wrong::because("both sides are local"))?;
    let (to, from) = (left.storage(instance, element)?, right.storage(instance, element)?);
    let (to, from) = ((&to.0, &to.1), (&from.0, &from.1));
    // SAFETY: the caller's guarantee.
    unsafe {
        match id {
            Some(id) => gmove_async(image, set, &omni.plans, (to, from), (&omni.pending, id))?,
            None => gmove(image, set, &omni.plans, to, from)?,
        }
    }
    Ok(())
}

/// Each image gets what it has of the left side from who has it on the right one.
///
/// # Safety
/// As [`assign`].
unsafe fn get(set: &ImageSet, left: &Side, (array, right): (&ArrayObject, &Side)) -> Outcome {
    let instance = instance();
    let (to, from) = (left.storage(instance, array.element)?, right.section()?);
    let place = |rank: Rank| array.place_of(rank);
    let mapping = array.widest()?;
    let remote = Remote { array: &mapping, element: array.element, place: &place };
    // SAFETY: the caller's guarantee.
    unsafe { gmove_in(&instance.image, set, (&to.0, &to.1), (remote, &from))? };
    Ok(())
}

/// Each image puts what it has of the right side where it belongs on the left one.
///
/// # Safety
/// As [`assign`].
unsafe fn put(set: &ImageSet, (array, left): (&ArrayObject, &Side), right: &Side) -> Outcome {
    let instance = instance();
    let (to, from) = (left.section()?, right.storage(instance, array.element)?);
    let place = |rank: Rank| array.place_of(rank);
    let mapping = array.widest()?;
    let remote = Remote { array: &mapping, element: array.element, place: &place };
    // SAFETY: the caller's guarantee.
    unsafe { gmove_out(&instance.image, set, (remote, &to), (&from.0, &from.1))? };
    Ok(())
}

/// A barrier, which goes on by itself if there is an async id.
fn meet(set: &ImageSet, id: Option<i64>) -> Outcome {
    let Instance { image, omni, .. } = instance();
    match id {
        Some(id) => omni.pending.add(id, nonblocking::barrier(image, set), |()| ()),
        None => barrier(image, set)?,
    }
    Ok(())
}

/// `gmove`, `gmove in`, `gmove out`.
///
/// # Safety
/// Both describe sides.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_gmv_do(left: Descriptor, right: Descriptor, mode: c_int) {
    // SAFETY: the caller's guarantee.
    done("gmove", || unsafe {
        assign(Object::<Side>::of(left)?, Object::<Side>::of(right)?, mode)
    });
}

/// A side is not needed any more.
///
/// # Safety
/// `side` is null or describes one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmpc_gmv_dealloc(side: Descriptor) {
    if !side.is_null() {
        // SAFETY: the caller's guarantee.
        done("gmove", || unsafe { Object::<Side>::release(side) });
    }
}
