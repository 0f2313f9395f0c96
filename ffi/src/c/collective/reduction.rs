//! Reductions: by operations of the header, and by an operation of the program.

use super::buffers::position;
use super::entry::{begun, blocking, call};
use crate::c::argument::{Data, null};
use crate::c::outcome::functions;
use crate::c::request::{RequestHandle, begin};
use crate::c::team::{TeamHandle, set_of};
use crate::c::types::{Combination, Type, op_of, reduction_of};
use crate::process::{instance, while_library_calls_program};
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use xmp_collectives::nonblocking::Combine;
use xmp_collectives::{Op, Reduction};
use xmp_core::image_set::ImageSet;
use xmp_core::{Error, Result};

/// Declares reductions: for all images (`result_image` 0) or for one, and the beginning of one for all.
macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $begin:ident $op:ident;)*) => { $(
        functions! {
            $(#[$doc])*
            fn $name(team: TeamHandle, data: Data, count: usize, element: c_uint, result_image: c_int) {
                combine(team, data, count, Type::of(element)?, Op::$op, result_image)
            }
        }

        /// Begins the same for all images.
        #[unsafe(no_mangle)]
        pub extern "C" fn $begin(
            team: TeamHandle,
            data: Data,
            count: usize,
            element: c_uint,
            request: Option<&Cell<RequestHandle>>,
        ) -> c_int {
            use super::entry::begun as raw;
            begin(stringify!($begin), request, || {
                let set = set_of(team)?;
                let reduction = Type::of(element)?.reduction(Op::$op)?;
                data.check("data", count, reduction.element())?;
                call!(allreduce(&set, data.start(), count, raw::combine(&reduction)))
            })
        }
    )* };
}

reductions! {
    /// The sum.
    xmprt_co_sum xmprt_begin_co_sum Sum;
    /// The least.
    xmprt_co_min xmprt_begin_co_min Min;
    /// The greatest.
    xmprt_co_max xmprt_begin_co_max Max;
}

/// Combines numbers of a type for all images (`result_image` 0) or for one.
fn combine(
    team: TeamHandle,
    data: Data,
    count: usize,
    element: Type,
    op: Op,
    result_image: c_int,
) -> Result<()> {
    let set = set_of(team)?;
    data.check("data", count, element.reduction(op)?.element())?;
    let root = result_position(&set, result_image)?;
    element.combine(Combination { set: &set, root, data, count, op })
}

/// The position of the image that gets a result; `None` for all images (`result_image` 0).
pub(super) fn result_position(set: &ImageSet, result_image: c_int) -> Result<Option<usize>> {
    match result_image {
        0 => Ok(None),
        index => position(set, index).map(Some),
    }
}

/// Combines the `count` elements at `data` of the images of a set; without a result image all of them get the result.
fn reduce(
    set: &ImageSet,
    data: Data,
    count: usize,
    reduction: &Reduction<'_>,
    result_image: c_int,
) -> Result<()> {
    let (image, start) = (&instance().image, data.start());
    // SAFETY: the contract of entries: `data` has `count` elements.
    unsafe {
        match result_position(set, result_image)? {
            None => blocking::allreduce(image, set, start, count, reduction),
            Some(root) => blocking::reduce(image, set, root, start, count, reduction),
        }
    }
}

functions! {
    /// A combination by an operation of the header.
    fn xmprt_co_reduce_op(
        team: TeamHandle, data: Data, count: usize, element: c_uint, op: c_uint, result_image: c_int,
    ) {
        if let (Ok(element), Some(op)) = (Type::of(element), op_of(op)) {
            return combine(team, data, count, element, op, result_image);
        }
        let set = set_of(team)?;
        let reduction = reduction_of(element, op)?;
        data.check("data", count, reduction.element())?;
        reduce(&set, data, count, &reduction, result_image)
    }
}

/// Begins the same for all images.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_begin_co_reduce_op(
    team: TeamHandle,
    data: Data,
    count: usize,
    element: c_uint,
    op: c_uint,
    request: Option<&Cell<RequestHandle>>,
) -> c_int {
    use super::entry::begun as raw;
    begin("xmprt_begin_co_reduce_op", request, || {
        let set = set_of(team)?;
        let reduction = reduction_of(element, op)?;
        data.check("data", count, reduction.element())?;
        call!(allreduce(&set, data.start(), count, raw::combine(&reduction)))
    })
}

/// A program's operation: makes the element at the first address the combination of it and the one at the second; the third is
/// the program's own.
type Operation = Option<extern "C" fn(*mut c_void, *const c_void, *mut c_void)>;

/// The operation as the collectives call it, and its number, which images compare.
fn combination(
    operation: Operation,
    context: Data,
) -> Result<(impl Fn(*mut u8, *const u8) + 'static, u32)> {
    let operation = operation.ok_or_else(|| null("operation"))?;
    let procedure = instance().image.job().page().program.procedure(operation as usize);
    let context = context.start().cast();
    let combine =
        move |left: *mut u8, right: *const u8| operation(left.cast(), right.cast(), context);
    Ok((combine, procedure))
}

/// Checks elements of a program's operation.
fn check_elements(data: Data, count: usize, element_bytes: usize) -> Result<()> {
    if element_bytes == 0 {
        return Err(Error::Invalid("element_bytes is 0".into()));
    }
    data.check("data", count, element_bytes)
}

functions! {
    /// CO_REDUCE.
    fn xmprt_co_reduce(
        team: TeamHandle, data: Data, count: usize, element_bytes: usize, operation: Operation, context: Data,
        result_image: c_int,
    ) {
        let set = set_of(team)?;
        check_elements(data, count, element_bytes)?;
        let (combine, procedure) = combination(operation, context)?;
        let reduction = Reduction::user(element_bytes, &combine).by_procedure(procedure);
        while_library_calls_program(|| reduce(&set, data, count, &reduction, result_image))
    }
}

/// Begins the same for all images. The operation stays valid until it is complete.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_begin_co_reduce(
    team: TeamHandle,
    data: Data,
    count: usize,
    element_bytes: usize,
    operation: Operation,
    context: Data,
    request: Option<&Cell<RequestHandle>>,
) -> c_int {
    begin("xmprt_begin_co_reduce", request, || {
        let set = set_of(team)?;
        check_elements(data, count, element_bytes)?;
        let (combine, procedure) = combination(operation, context)?;
        let operation = move |left: *mut u8, right: *const u8| {
            while_library_calls_program(|| combine(left, right));
        };
        let operation = Box::new(operation);
        let combine = Combine::User { element: element_bytes, procedure, operation };
        let image = &instance().image;
        // SAFETY: the contract of entries: `data` has `count` elements, and stays valid until the operation is complete.
        let begin = || unsafe { begun::allreduce(image, &set, data.start(), count, combine) };
        Ok(begun::of_team(image, &set, begin))
    })
}
