//! Collectives on a team.

use super::outcome::{not_null, outcome};
use super::team::{TeamHandle, set_of};
use crate::process::instance;
use std::ffi::{c_int, c_uint, c_void};
use xmp_collectives::{Number, Op, Reduction, allreduce, raw};
use xmp_core::image_set::ImageSet;
use xmp_core::number::F80;
use xmp_core::{Error, Result};

/// What an `xmprt_type` is.
#[derive(Clone, Copy)]
pub struct Type {
    /// Combines elements of all images of a set, for all of them or for the one at a position.
    combine: unsafe fn(&ImageSet, Option<usize>, *mut c_void, usize, Op) -> Result<()>,
    reduction: fn(Op) -> Reduction<'static>,
    is_complex: bool,
}

impl Type {
    /// The type with this code.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(code: c_uint) -> Result<Type> {
        Ok(match code {
            1 => Type::number::<i8>(),
            2 => Type::number::<i16>(),
            3 => Type::number::<i32>(),
            4 => Type::number::<i64>(),
            5 => Type::number::<u8>(),
            6 => Type::number::<u16>(),
            7 => Type::number::<u32>(),
            8 => Type::number::<u64>(),
            9 => Type::number::<f32>(),
            10 => Type::number::<f64>(),
            // C's long double on x86-64.
            11 => Type::number::<F80>(),
            12 => Type::complex::<f32>(),
            13 => Type::complex::<f64>(),
            14 => Type::complex::<F80>(),
            _ => return Err(Error::Invalid(format!("type {code} is not an xmprt_type"))),
        })
    }

    fn number<T: Number>() -> Type {
        let reduction = Reduction::number::<T>;
        Type { combine: numbers::<T>, reduction, is_complex: false }
    }

    fn complex<T: Number>() -> Type {
        let reduction = |_| Reduction::complex_sum::<T>();
        Type { combine: complex_numbers::<T>, reduction, is_complex: true }
    }

    /// How elements of the type are combined.
    ///
    /// # Errors
    /// For complex numbers, which are not ordered, when `op` is not the sum.
    pub fn reduction(self, op: Op) -> Result<Reduction<'static>> {
        if self.is_complex && op != Op::Sum {
            return Err(Error::Invalid("complex numbers have no minimum and no maximum".into()));
        }
        Ok((self.reduction)(op))
    }
}

/// # Safety
/// `data` has `count` numbers of the type, or that is 0.
unsafe fn numbers<T: Number>(
    set: &ImageSet,
    root: Option<usize>,
    data: *mut c_void,
    count: usize,
    op: Op,
) -> Result<()> {
    if !data.cast::<T>().is_aligned() {
        return Err(Error::Invalid(format!("data at {data:p} is not aligned for its type")));
    }
    let data = match count {
        0 => &mut [],
        // SAFETY: the caller's guarantee.
        _ => unsafe { std::slice::from_raw_parts_mut(data.cast::<T>(), count) },
    };
    match root {
        None => allreduce(&instance().image, set, data, op),
        Some(root) => xmp_collectives::reduce(&instance().image, set, root, data, op),
    }
}

/// # Safety
/// `data` has `count` pairs of numbers of the type.
unsafe fn complex_numbers<T: Number>(
    set: &ImageSet,
    root: Option<usize>,
    data: *mut c_void,
    count: usize,
    op: Op,
) -> Result<()> {
    // SAFETY: the caller's guarantee. The sum of pairs is the pair of sums.
    unsafe { numbers::<T>(set, root, data, 2 * count, op) }
}

/// Sum, least or greatest; for all images (`result_image` 0) or for one.
///
/// # Safety
/// `data` has `count` elements of the type.
unsafe fn reduce(
    function: &str,
    op: Op,
    team: TeamHandle,
    (data, count): (*mut c_void, usize),
    element: c_uint,
    result_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let set = set_of(team)?;
        let element = Type::of(element)?;
        check(data, count, element.reduction(op)?.element())?;
        let root = match result_image {
            0 => None,
            index => Some(position(&set, index)?),
        };
        // SAFETY: the caller's guarantee.
        unsafe { (element.combine)(&set, root, data, count, op) }
    };
    outcome(function, attempt)
}

/// What an `xmprt_op` is.
///
/// # Errors
/// When it is none.
pub fn op_of(op: c_uint) -> Result<Op> {
    match op {
        1 => Ok(Op::Sum),
        2 => Ok(Op::Min),
        3 => Ok(Op::Max),
        _ => Err(Error::Invalid(format!("operator {op} is not an xmprt_op"))),
    }
}

/// End of the addresses of any program on x86-64: 57 bits, the upper half of which is the system's.
const END_OF_ADDRESSES: usize = 1 << 56;

/// Whether `count` elements of `len` bytes can be at `data`.
///
/// # Errors
/// When they cannot: at a null pointer, or beyond all addresses.
pub fn check(data: *const c_void, count: usize, len: usize) -> Result<()> {
    if count > 0 {
        not_null(data, "data")?;
    }
    let end = count.checked_mul(len).and_then(|bytes| bytes.checked_add(data.addr()));
    match end {
        Some(end) if end <= END_OF_ADDRESSES => Ok(()),
        _ => Err(Error::Invalid(format!("{count} elements of {len} bytes are more than there is"))),
    }
}

/// The 0-based position of an image index.
///
/// # Errors
/// [`Error::ImageIndex`].
pub fn position(set: &ImageSet, index: c_int) -> Result<usize> {
    set.rank_of_index(index.into()).map(|_| index as usize - 1)
}

/// The sum.
///
/// # Safety
/// `data` has `count` elements of the type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_sum(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    result_image: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_co_sum", Op::Sum, team, (data, count), element, result_image) }
}

/// The least.
///
/// # Safety
/// As [`xmprt_co_sum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_min(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    result_image: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_co_min", Op::Min, team, (data, count), element, result_image) }
}

/// The greatest.
///
/// # Safety
/// As [`xmprt_co_sum`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_max(
    team: TeamHandle,
    data: *mut c_void,
    count: usize,
    element: c_uint,
    result_image: c_int,
) -> c_int {
    // SAFETY: the caller's guarantee.
    unsafe { reduce("xmprt_co_max", Op::Max, team, (data, count), element, result_image) }
}

/// The bytes of one image for all.
///
/// # Safety
/// `data` has `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_broadcast(
    team: TeamHandle,
    data: *mut c_void,
    bytes: usize,
    source_image: c_int,
) -> c_int {
    let attempt = || -> Result<()> {
        let (image, set) = (&instance().image, set_of(team)?);
        let root = position(&set, source_image)?;
        check(data, bytes, 1)?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::broadcast(image, &set, root, data.cast(), bytes) }
    };
    outcome("xmprt_co_broadcast", attempt)
}

/// The bytes of all images for all.
///
/// # Safety
/// `mine` has `bytes` bytes, `all` that many for each image of the team, and they do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_co_allgather(
    team: TeamHandle,
    mine: *const c_void,
    all: *mut c_void,
    bytes: usize,
) -> c_int {
    let attempt = || -> Result<()> {
        let (image, set) = (&instance().image, set_of(team)?);
        check(mine, bytes, 1)?;
        check(all, bytes, set.len())?;
        // SAFETY: the caller's guarantee.
        unsafe { raw::allgather(image, &set, mine.cast(), all.cast(), bytes) }
    };
    outcome("xmprt_co_allgather", attempt)
}
