//! The copy loops of a plan. A unit is the longest run of bytes that is contiguous on both sides; the loops copy units along
//! the dimensions.
//!
//! The size of a unit is tested once; every loop is compiled for its kind of unit. Units of up to 64
//! bytes go through registers, longer ones through `memcpy`.

use super::shape::{Dim, Plan, Step};
use std::marker::PhantomData;
use xmp_core::machine::{LONG_COPY, copy_long};

/// Copies `len` bytes that may overlap. Meant for rank 0 and contiguous blocks: with a constant
/// `len`, or one of the sizes of numbers, it is one load and one store.
///
/// # Safety
/// `len` bytes at `src` must be readable and at `dst` writable, and no other thread may write the
/// former or access the latter meanwhile. No alignment is needed.
#[inline(always)]
pub unsafe fn copy_block(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: `len` bytes are readable at `src` and writable at `dst`; each of these reads all before it writes.
    unsafe {
        match len {
            8 => Fixed::<u64>::NEW.copy(dst, src),
            4 => Fixed::<u32>::NEW.copy(dst, src),
            16 => Fixed::<u128>::NEW.copy(dst, src),
            LONG_COPY.. => copy_long_or_overlapping(dst, src, len),
            _ => src.copy_to(dst, len),
        }
    }
}

/// Copies many bytes that may overlap.
///
/// # Safety
/// As [`copy_block`].
#[cold]
unsafe fn copy_long_or_overlapping(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: `len` bytes are readable at `src` and writable at `dst`.
    unsafe {
        if dst.addr().abs_diff(src.addr()) >= len {
            copy_long(dst, src, len);
        } else {
            src.copy_to(dst, len);
        }
    }
}

/// One innermost loop: `extent` pairs of elements.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// First element of the destination.
    pub dst: *mut u8,
    /// Bytes from one element of the destination to the next.
    pub dst_stride: isize,
    /// First element of the source.
    pub src: *const u8,
    /// Bytes from one element of the source to the next; 0 if all take the same.
    pub src_stride: isize,
    /// Number of elements.
    pub extent: usize,
}

/// A way to copy one unit.
pub(super) trait Unit: Copy {
    /// The type of a unit between load and store.
    type Value: Copy;
    /// Bytes, if every unit of this kind has the same number.
    const SIZE: Option<isize>;

    /// # Safety
    /// A unit at `src` must be readable.
    unsafe fn load(self, src: *const u8) -> Self::Value;

    /// # Safety
    /// A unit at `dst` must be writable, and `value` come from a unit that is still readable.
    unsafe fn store(self, dst: *mut u8, value: Self::Value);

    /// # Safety
    /// As `load` and `store`.
    #[inline(always)]
    unsafe fn copy(self, dst: *mut u8, src: *const u8) {
        // SAFETY: the unit at `src` is readable, that at `dst` writable.
        unsafe { self.store(dst, self.load(src)) }
    }

    /// Stores `count` times the unit at `src`, `stride` bytes apart from `dst` on.
    ///
    /// # Safety
    /// As `load` and `store`, for each of the units.
    #[inline(always)]
    unsafe fn fill(self, dst: *mut u8, stride: isize, src: *const u8, count: usize) {
        let n = count as isize;
        // SAFETY: the unit at `src` is readable, those from `dst` on are writable.
        unsafe {
            let value = self.load(src);
            match Self::SIZE {
                // A loop of its own, in which the compiler knows the distance.
                Some(size) if stride == size => {
                    (0..n).for_each(|k| self.store(dst.offset(k * size), value));
                }
                _ => (0..n).for_each(|k| self.store(dst.offset(k * stride), value)),
            }
        }
    }
}

/// A unit as large as a `T`, which any bytes make valid.
#[derive(Clone, Copy)]
struct Fixed<T>(PhantomData<T>);

impl<T> Fixed<T> {
    const NEW: Fixed<T> = Fixed(PhantomData);
}

impl<T: Copy> Unit for Fixed<T> {
    type Value = std::mem::MaybeUninit<T>;
    const SIZE: Option<isize> = Some(size_of::<T>() as isize);

    #[inline(always)]
    unsafe fn load(self, src: *const u8) -> Self::Value {
        // SAFETY: the unit at `src` is readable. Padding, as in derived types, may be uninitialised.
        unsafe { src.cast::<Self::Value>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut u8, value: Self::Value) {
        // SAFETY: the unit at `src` is readable, that at `dst` writable.
        unsafe { dst.cast::<Self::Value>().write_unaligned(value) }
    }
}

/// A unit of one to two times the size of a `T`: its first and its last bytes, which overlap.
#[derive(Clone, Copy)]
struct Twice<T> {
    last: usize,
    kind: PhantomData<T>,
}

impl<T> Twice<T> {
    fn new(len: usize) -> Twice<T> {
        debug_assert!((size_of::<T>()..=2 * size_of::<T>()).contains(&len));
        Twice { last: len - size_of::<T>(), kind: PhantomData }
    }
}

impl<T: Copy> Unit for Twice<T> {
    type Value = [std::mem::MaybeUninit<T>; 2];
    const SIZE: Option<isize> = None;

    #[inline(always)]
    unsafe fn load(self, src: *const u8) -> Self::Value {
        let half = Fixed::<T>::NEW;
        // SAFETY: both halves are within the unit, which is accessible.
        unsafe { [half.load(src), half.load(src.add(self.last))] }
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut u8, [first, last]: Self::Value) {
        let half = Fixed::<T>::NEW;
        // SAFETY: both halves are within the unit, which is accessible.
        unsafe {
            half.store(dst, first);
            half.store(dst.add(self.last), last);
        }
    }
}

/// A unit of any length; source and destination must not overlap.
#[derive(Clone, Copy)]
struct Long(usize);

impl Unit for Long {
    type Value = *const u8;
    const SIZE: Option<isize> = None;

    #[inline(always)]
    unsafe fn load(self, src: *const u8) -> Self::Value {
        src
    }

    #[inline(always)]
    unsafe fn store(self, dst: *mut u8, value: Self::Value) {
        // SAFETY: the unit at `src` is readable, that at `dst` writable.
        unsafe { dst.copy_from_nonoverlapping(value, self.0) }
    }
}

impl Step<'_> {
    #[inline(always)]
    fn at(&self, k: usize) -> isize {
        match self {
            Step::Stride(stride) => k as isize * *stride as isize,
            Step::Index(list) => list[k] as isize,
        }
    }
}

impl Plan<'_> {
    /// Copies all units, in the order of the loops.
    ///
    /// # Safety
    /// The conditions of [`Plan::execute`]; and the sides must be disjoint unless there is one unit only.
    pub(super) unsafe fn copy_disjoint(&self, dst: *mut u8, src: *const u8) {
        let dims = &self.dims[..];
        // SAFETY: the first unit of each side, and all that the loops reach from it, are within the
        // bytes that the plan reports, which are accessible.
        unsafe {
            let dst = dst.offset(self.dst.start as isize);
            let src = src.offset(self.src.start as isize);
            match self.dst.unit {
                len if dims.is_empty() => copy_block(dst, src, len),
                1 => walk(Fixed::<u8>::NEW, dims, dst, src),
                2 => walk(Fixed::<u16>::NEW, dims, dst, src),
                4 => walk(Fixed::<u32>::NEW, dims, dst, src),
                8 => walk(Fixed::<u64>::NEW, dims, dst, src),
                16 => walk(Fixed::<u128>::NEW, dims, dst, src),
                len @ 3 => walk(Twice::<u16>::new(len), dims, dst, src),
                len @ 5..=7 => walk(Twice::<u32>::new(len), dims, dst, src),
                len @ 9..=15 => walk(Twice::<u64>::new(len), dims, dst, src),
                len @ 17..=32 => walk(Twice::<u128>::new(len), dims, dst, src),
                len @ 33..=64 => walk(Twice::<[u128; 2]>::new(len), dims, dst, src),
                len => walk(Long(len), dims, dst, src),
            }
        }
    }

    /// Calls `row` for every innermost loop. Touches no memory.
    pub(super) fn visit_rows(&self, dst: *mut u8, src: *const u8, row: &mut dyn FnMut(Row)) {
        let dst = dst.wrapping_offset(self.dst.start as isize);
        let src = src.wrapping_offset(self.src.start as isize);
        visit(&self.dims, dst, src, row);
    }
}

/// The outer loops, the outermost last in `dims`.
///
/// # Safety
/// A unit must be readable at `src` and writable at `dst` plus whatever `dims` add.
pub(super) unsafe fn walk<U: Unit>(unit: U, dims: &[Dim], dst: *mut u8, src: *const u8) {
    // SAFETY: all units that the loops reach are accessible.
    unsafe {
        match dims {
            [] => unit.copy(dst, src),
            [inner] => row(unit, inner, dst, src),
            [inner, outer] => {
                for k in 0..outer.extent {
                    row(unit, inner, dst.offset(outer.dst.at(k)), src.offset(outer.src.at(k)));
                }
            }
            [inner @ .., outer] => {
                for k in 0..outer.extent {
                    walk(unit, inner, dst.offset(outer.dst.at(k)), src.offset(outer.src.at(k)));
                }
            }
        }
    }
}

/// The innermost loop, compiled apart for the cases that differ in speed.
///
/// # Safety
/// As `walk`.
#[inline(always)]
unsafe fn row<U: Unit>(unit: U, dim: &Dim, dst: *mut u8, src: *const u8) {
    let n = dim.extent;
    // SAFETY: for every k below n the units are within the loop, whose units are accessible.
    unsafe {
        match (dim.dst, dim.src) {
            (Step::Stride(to), Step::Stride(0)) => unit.fill(dst, to as isize, src, n),
            (Step::Stride(to), Step::Stride(from)) => {
                for k in 0..n as isize {
                    unit.copy(dst.offset(k * to as isize), src.offset(k * from as isize));
                }
            }
            (Step::Stride(to), Step::Index(from)) => {
                for (k, &from) in from.iter().enumerate() {
                    unit.copy(dst.offset(k as isize * to as isize), src.offset(from as isize));
                }
            }
            (Step::Index(to), Step::Stride(from)) => {
                for (k, &to) in to.iter().enumerate() {
                    unit.copy(dst.offset(to as isize), src.offset(k as isize * from as isize));
                }
            }
            (Step::Index(to), Step::Index(from)) => {
                for (&to, &from) in to.iter().zip(from) {
                    unit.copy(dst.offset(to as isize), src.offset(from as isize));
                }
            }
        }
    }
}

fn visit(dims: &[Dim], dst: *mut u8, src: *const u8, row: &mut dyn FnMut(Row)) {
    let single = Row { dst, dst_stride: 0, src, src_stride: 0, extent: 1 };
    match dims {
        [] => row(single),
        [Dim { extent, dst: Step::Stride(to), src: Step::Stride(from) }] => row(Row {
            dst_stride: *to as isize,
            src_stride: *from as isize,
            extent: *extent,
            ..single
        }),
        [inner @ .., outer] => {
            for k in 0..outer.extent {
                let dst = dst.wrapping_offset(outer.dst.at(k));
                visit(inner, dst, src.wrapping_offset(outer.src.at(k)), row);
            }
        }
    }
}
