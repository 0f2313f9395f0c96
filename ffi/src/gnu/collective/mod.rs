//! CO_SUM, CO_MIN, CO_MAX, CO_REDUCE, CO_BROADCAST. (GNU-LIBCAF section 8)
//!
//! The compiler passes `errmsg=` of some forms by value and shifts the arguments after it ([`errmsg`]); the length of
//! characters is taken from the descriptor.
//!
//! A `source_image=` or `result_image=` that is no image index is an error on all images, which give the same value
//! (Fortran 2018, 16.9.46 to 16.9.50). Nothing has been communicated or written then, and `stat=` gets the error.
//!
//! What else an image finds wrong with its own arguments before it takes part ends the job, also with `stat=`: others,
//! whose arguments may be right, wait in the collective for this image, and it would not come.

mod argument;
mod errmsg;
mod kind;
mod nested;
mod operation;

use super::{component, debug};
use crate::arch::pass_caller_and_jump;
use crate::entry::collective::{Call, named, position};
use crate::entry::entries;
use crate::gfortran_abi::{Descriptor, Outcome, basic};
use crate::process::{enter, instance, while_library_calls_program};
use errmsg::Text;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use xmp_collectives::{ArrayShape, Op, Reduction, fast_path, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::{BoxedResult, Error, Image, Result};

entries! {
    /// CO_BROADCAST. The sixth register has any value.
    fn _gfortran_caf_co_broadcast(
        a: &Descriptor,
        source_image: c_int,
        stat: Option<&Cell<c_int>>,
        errmsg: Text<'_>,
        errmsg_len: usize,
        sixth: u32,
    ) {
        let errmsg = errmsg.of_five_arguments(errmsg_len, sixth);
        let result = broadcast(a, position(source_image))
            .map_err(|error| named("source_image", source_image, error));
        Outcome::new("co_broadcast", stat).with_errmsg(errmsg).deliver(result);
    }

    /// CO_REDUCE.
    fn _gfortran_caf_co_reduce(
        a: &Descriptor,
        op: *const c_void,
        flags: c_int,
        result_image: c_int,
        stat: Option<&Cell<c_int>>,
        errmsg: Text<'_>,
        a_len: c_int,
        errmsg_len: usize,
    ) {
        let attempt = || -> Result<()> {
            let _entered = enter();
            let image = &instance().image;
            let set = image.executing();
            let call = Call { operation: "co_reduce", image, set: &set };
            let argument = call.sound(argument::packed(a));
            // SAFETY: the contract of entries: a function for two such elements, called as the flags say.
            let operation = unsafe { operation::operation(op, flags, &a.dtype)? };
            let procedure = image.job().page().program.procedure(op as usize);
            let reduction = operation.reduction(a.dtype.elem_len).by_procedure(procedure);
            while_library_calls_program(|| {
                call.reduce(argument, result_position(result_image), &reduction)
            })
        };
        let result = attempt().map_err(|error| named("result_image", result_image, error));
        let errmsg = errmsg.of_eight_arguments(a_len, errmsg_len, &a.dtype);
        Outcome::new("co_reduce", stat).with_errmsg(errmsg).deliver(result);
    }
}

/// An entry of this name that also passes its return address, in the register of the sixth argument, and the lower half
/// of what was there in the upper half of the register of `result_image`.
macro_rules! entry_that_passes_its_caller {
    ($(#[$doc:meta])* $name:ident => $to:ident) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        extern "C" fn $name(
            _a: &Descriptor,
            _result_image: c_int,
            _stat: Option<&Cell<c_int>>,
            _errmsg: Text<'_>,
            _len: usize,
        ) {
            pass_caller_and_jump!($to)
        }
    };
}
entry_that_passes_its_caller! {
    /// CO_SUM.
    _gfortran_caf_co_sum => co_sum_for
}
entry_that_passes_its_caller! {
    /// CO_MIN. (The length of characters is the fifth argument, that of `errmsg=` the sixth.)
    _gfortran_caf_co_min => co_min_for
}
entry_that_passes_its_caller! {
    /// CO_MAX, with the arguments of CO_MIN.
    _gfortran_caf_co_max => co_max_for
}

extern "C" fn co_sum_for(
    a: &Descriptor,
    result_and_sixth: u64,
    stat: Option<&Cell<c_int>>,
    errmsg: Text<'_>,
    len: usize,
    caller: *const c_void,
) {
    let [result_image, sixth] = halves(result_and_sixth);
    let errmsg = errmsg.of_five_arguments(len, sixth);
    let outcome = Outcome::new("co_sum", stat).with_errmsg(errmsg);
    numeric(outcome, Op::Sum, a, result_image as c_int, caller);
}

/// Defines what CO_MIN and CO_MAX call.
macro_rules! extremes {
    ($($name:ident: $operation:literal, $op:ident;)+) => {$(
        extern "C" fn $name(
            a: &Descriptor,
            result_and_len: u64,
            stat: Option<&Cell<c_int>>,
            errmsg: Text<'_>,
            _a_len: usize,
            caller: *const c_void,
        ) {
            let [result_image, len] = halves(result_and_len);
            let errmsg = errmsg.of_six_arguments(len, a.dtype.basic == basic::CHARACTER);
            let outcome = Outcome::new($operation, stat).with_errmsg(errmsg);
            numeric(outcome, Op::$op, a, result_image as c_int, caller);
        }
    )+};
}
extremes! {
    co_min_for: "co_min", Min;
    co_max_for: "co_max", Max;
}

/// The lower and the upper half.
#[inline(always)]
fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// Broadcasts the argument from the image at a position.
fn broadcast(a: &Descriptor, root: usize) -> Result<()> {
    let _entered = enter();
    let instance = instance();
    let image = &instance.image;
    let set = image.executing();
    if component::is_token(a) {
        return set
            .rank_at(root)
            .map(drop)
            .ok_or(Error::ImageIndex { index: 0, images: set.len() });
    }
    let previous = nested::note(a.base.addr());
    if argument::is_absent_component(a, instance) {
        return raw::broadcast_of_nothing(image, &set, root);
    }
    let piece = argument::one_piece(a).or_else(|| argument::component(a, image));
    if let Some(elements) = piece {
        let bytes = elements * a.dtype.elem_len;
        // SAFETY: the contract of entries: the argument has `bytes` bytes in one piece.
        let broadcast = || unsafe {
            let (data, element) = (a.base.cast(), kind::by_length(&a.dtype));
            raw::broadcast_of(image, &set, root, data, bytes, element, ArrayShape::NONE)
        };
        let is_source = set.rank_at(root) == Some(image.rank());
        if is_source || !nested::may_be(a, bytes, previous) {
            return broadcast();
        }
        // SAFETY: the argument's bytes, which belong to this image.
        let own = unsafe { nested::OwnAddresses::of(image, a.base.addr(), bytes)? };
        let result = broadcast();
        // SAFETY: as before.
        unsafe { own.restore() };
        return result;
    }
    let call = Call { operation: "co_broadcast", image, set: &set };
    call.broadcast(call.sound(argument::packed(a)), root, kind::by_length(&a.dtype))
}

/// CO_SUM, CO_MIN and CO_MAX; `caller` is an address in the program unit that has called.
#[inline]
fn numeric(
    outcome: Outcome<'_>,
    op: Op,
    a: &Descriptor,
    result_image: c_int,
    caller: *const c_void,
) {
    let operation = outcome.operation();
    let attempt = || -> Result<()> {
        let _entered = enter();
        let image = &instance().image;
        let set = image.executing();
        let result = result_position(result_image);
        if let Some(outcome) = fast_reduce(image, &set, op, a, result) {
            return Ok(outcome?);
        }
        let call = Call { operation, image, set: &set };
        let mut argument = call.sound(argument::packed(a));
        // The call is before the return address.
        let declared = || debug::wide_real_at(instance(), caller.wrapping_byte_sub(1));
        let element = kind::element(image, &set, &a.dtype, argument.as_bytes(), declared)?;
        let reduction = Reduction::of(op, element)?;
        call.reduce(argument, result, &reduction)
    };
    let result = attempt().map_err(|error| named("result_image", result_image, error));
    outcome.deliver(result);
}

/// The reduction of a few numbers of the usual kinds, straight from the descriptor, to all images or to the one at
/// position `to`; `None`, and nothing has happened, when that is not what it describes.
#[inline(always)]
fn fast_reduce(
    image: &Image,
    set: &ImageSet,
    op: Op,
    a: &Descriptor,
    to: Option<usize>,
) -> Option<BoxedResult<()>> {
    let count = argument::one_piece(a)?;
    // SAFETY: the contract of entries: `count` elements of that type.
    unsafe {
        match (a.dtype.basic, a.dtype.elem_len) {
            (basic::REAL, 8) => fast_path::reduce::<f64>(image, set, to, a.base.cast(), count, op),
            (basic::REAL, 4) => fast_path::reduce::<f32>(image, set, to, a.base.cast(), count, op),
            (basic::INTEGER, 4) => {
                fast_path::reduce::<i32>(image, set, to, a.base.cast(), count, op)
            }
            (basic::INTEGER, 8) => {
                fast_path::reduce::<i64>(image, set, to, a.base.cast(), count, op)
            }
            _ => None,
        }
    }
}

/// The 0-based position of the image that gets the result; `None` (index 0) when all do.
fn result_position(result_image: c_int) -> Option<usize> {
    (result_image != 0).then(|| position(result_image))
}
