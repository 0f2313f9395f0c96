//! The loops that combine numbers.
//!
//! The loops work on groups of a cache line, which they load as a whole before they store anything. So the destination
//! may be one of the sources, and the compiler still makes vector instructions of the loops. Addresses need not be
//! aligned. On x86-64 there is a second version of each loop for processors with AVX2.

use super::number::{Number, Op};

/// The loops for one kind of number and one operation.
#[derive(Clone, Copy)]
pub struct Typed {
    /// `dst[i] = left[i] op right[i]`
    pub two: unsafe fn(*mut u8, *const u8, *const u8, usize),
    /// `dst[i] = (s0[i] op s1[i]) op (s2[i] op s3[i])`
    pub four: unsafe fn(*mut u8, [*const u8; 4], usize),
}

impl Typed {
    /// The loops for `T`.
    pub fn new<T: Number>(op: Op) -> Typed {
        match op {
            Op::Sum => Typed::of::<T, Sum>(),
            Op::Min => Typed::of::<T, Least>(),
            Op::Max => Typed::of::<T, Greatest>(),
        }
    }

    fn of<T: Number, O: Combine<T>>() -> Typed {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Typed { two: avx2::two::<T, O>, four: avx2::four::<T, O> };
        }
        Typed { two: two::<T, O>, four: four::<T, O> }
    }
}

/// An operation as a type, so that each loop is compiled for it.
trait Combine<T> {
    fn combine(left: T, right: T) -> T;
}

struct Sum;
struct Least;
struct Greatest;

impl<T: Number> Combine<T> for Sum {
    #[inline(always)]
    fn combine(left: T, right: T) -> T {
        left.sum(right)
    }
}

impl<T: Number> Combine<T> for Least {
    #[inline(always)]
    fn combine(left: T, right: T) -> T {
        left.least(right)
    }
}

impl<T: Number> Combine<T> for Greatest {
    #[inline(always)]
    fn combine(left: T, right: T) -> T {
        left.greatest(right)
    }
}

/// # Safety
/// Those of [`super::Reduction::two`].
#[inline(always)]
unsafe fn two<T: Number, O: Combine<T>>(
    dst: *mut u8,
    left: *const u8,
    right: *const u8,
    count: usize,
) {
    // SAFETY: all operands are valid for `count` elements (contract above).
    unsafe { each::<T, 2>(dst, [left, right], count, |[l, r]| O::combine(l, r)) }
}

/// # Safety
/// Those of [`super::Reduction::combine`].
#[inline(always)]
unsafe fn four<T: Number, O: Combine<T>>(dst: *mut u8, sources: [*const u8; 4], count: usize) {
    let f = |[a, b, c, d]: [T; 4]| O::combine(O::combine(a, b), O::combine(c, d));
    // SAFETY: all operands are valid for `count` elements (contract above).
    unsafe { each::<T, 4>(dst, sources, count, f) }
}

/// `dst[i] = f(sources[..][i])`.
///
/// # Safety
/// Those of [`super::Reduction::combine`], for `count` numbers.
#[inline(always)]
unsafe fn each<T: Number, const N: usize>(
    dst: *mut u8,
    sources: [*const u8; N],
    count: usize,
    f: impl Fn([T; N]) -> T,
) {
    // SAFETY: all operands are valid for `count` elements (contract above). The groups are cache lines of elements.
    unsafe {
        match size_of::<T>() {
            1 => groups::<T, N, 64>(dst, sources, count, f),
            2 => groups::<T, N, 32>(dst, sources, count, f),
            4 => groups::<T, N, 16>(dst, sources, count, f),
            8 => groups::<T, N, 8>(dst, sources, count, f),
            _ => groups::<T, N, 4>(dst, sources, count, f),
        }
    }
}

#[inline(always)]
unsafe fn groups<T: Number, const N: usize, const LANES: usize>(
    dst: *mut u8,
    sources: [*const u8; N],
    count: usize,
    f: impl Fn([T; N]) -> T,
) {
    let dst = dst.cast::<T>();
    let sources = sources.map(|source| source.cast::<T>());
    let whole = count - count % LANES;
    let mut at = 0;
    while at < whole {
        // SAFETY: `at + LANES <= count`; any bytes are a valid `T`.
        unsafe {
            let lanes: [[T; LANES]; N] =
                sources.map(|source| source.add(at).cast::<[T; LANES]>().read_unaligned());
            let combined: [T; LANES] =
                std::array::from_fn(|lane| f(lanes.map(|group| group[lane])));
            dst.add(at).cast::<[T; LANES]>().write_unaligned(combined);
        }
        at += LANES;
    }
    for at in whole..count {
        // SAFETY: `at < count`.
        unsafe {
            dst.add(at).write_unaligned(f(sources.map(|source| source.add(at).read_unaligned())));
        }
    }
}

/// The same loops, compiled for AVX2.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Combine, Number};

    /// # Safety
    /// Those of [`super::two`]; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn two<T: Number, O: Combine<T>>(
        dst: *mut u8,
        left: *const u8,
        right: *const u8,
        count: usize,
    ) {
        // SAFETY: all operands are valid for `count` elements (contract above).
        unsafe { super::two::<T, O>(dst, left, right, count) }
    }

    /// # Safety
    /// Those of [`super::four`]; the processor has AVX2.
    #[target_feature(enable = "avx2")]
    pub unsafe fn four<T: Number, O: Combine<T>>(
        dst: *mut u8,
        sources: [*const u8; 4],
        count: usize,
    ) {
        // SAFETY: all operands are valid for `count` elements (contract above).
        unsafe { super::four::<T, O>(dst, sources, count) }
    }
}
