//! Plans of transfers: the memory accesses of an assignment such as `a(1:n:2, v)[i] = b`, before any is made.
//!
//! A transfer has two sides, *destination* and *source*, each a base address and one [`Axis`] for
//! every dimension. From these a [`Plan`] is made once: axes of one element vanish, dimensions that
//! are back to back merge, what is contiguous on both sides becomes one *unit*, and what is left are
//! as few loops as possible around a unit. All arithmetic on user input happens here, checked; the
//! loops that execute a plan cannot leave the intervals that it reports ([`Plan::dst_bytes`],
//! [`Plan::src_bytes`]), so a front end compares these with the coarray once and then trusts them.
//!
//! The right-hand side of an assignment is evaluated before the left-hand side changes:
//! [`Plan::execute`] finds out whether the sides may overlap and goes through a temporary if so.
//!
//! [`Plan::copy`] lists the errors of planning, and [`Plan::execute`] those of execution.
//!
//! Rank 0, and anything known to be contiguous, needs no plan: [`copy_block`].
//!
//! | to find | open |
//! |---|---|
//! | the types, pairing the axes of both sides, bounds, merging dimensions | `shape` |
//! | the loops | `kernel` |
//! | the loops for images that may race | `racing` |
//! | memory of another image; a plan as nests or runs, for transports | `remote` |

mod kernel;
mod racing;
mod remote;
mod shape;
#[cfg(test)]
mod tests;

pub use kernel::{Row, copy_block};
pub use racing::{copy_racing_block, fill_racing_block};
pub use remote::RemoteMemory;
pub use shape::{Axis, Plan, contiguous};

use shape::{SideLayout, Step};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;
use xmp_core::{Error, Result};

impl<'a> Plan<'a> {
    /// Plans a copy of elements of `size` bytes. A source without axes is a scalar that goes to every
    /// element of the destination; otherwise the shapes must conform, axes of one element aside.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the shapes do not conform or two elements of a destination axis
    /// overlap; [`Error::SizeOverflow`] if an offset or size does not fit 63 bits.
    pub fn copy(size: usize, dst: &[Axis<'a>], src: &[Axis<'a>]) -> Result<Plan<'a>> {
        if let Some(elements) = shape::one_block(size, dst, src) {
            let block =
                SideLayout { unit: elements * size, start: 0, bytes: 0..(elements * size) as i64 };
            return Ok(Plan { dst: block.clone(), src: block, elements, dims: SmallVec::new() });
        }
        let mut plan = shape::pair(size, size, dst, src)?;
        plan.merge();
        plan.contract();
        Ok(plan)
    }

    /// Plans a transfer that changes each element on its way, from `src_size` to `dst_size` bytes:
    /// as [`Plan::copy`], but a unit is always one element. To be carried out with
    /// [`Plan::for_each_row`].
    pub fn elementwise(
        dst_size: usize,
        src_size: usize,
        dst: &[Axis<'a>],
        src: &[Axis<'a>],
    ) -> Result<Plan<'a>> {
        let mut plan = shape::pair(dst_size, src_size, dst, src)?;
        plan.merge();
        Ok(plan)
    }

    /// Plans to gather a section into a contiguous buffer, in array element order.
    pub fn pack(size: usize, section: &[Axis<'a>]) -> Result<Plan<'a>> {
        Plan::copy(size, &shape::contiguous(size, section)?, section)
    }

    /// Plans to scatter a contiguous buffer, in array element order, into a section.
    pub fn unpack(size: usize, section: &[Axis<'a>]) -> Result<Plan<'a>> {
        Plan::copy(size, section, &shape::contiguous(size, section)?)
    }

    /// Number of elements transferred.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Bytes of the destination that may be written, relative to its base; empty (0..0) if there is
    /// nothing to do.
    pub fn dst_bytes(&self) -> Range<i64> {
        self.dst.bytes.clone()
    }

    /// Bytes of the source that may be read, relative to its base; empty (0..0) if there is nothing
    /// to do.
    pub fn src_bytes(&self) -> Range<i64> {
        self.src.bytes.clone()
    }

    /// Carries out a plan made by [`Plan::copy`], [`Plan::pack`] or [`Plan::unpack`]. Sides that
    /// overlap are no harm: the source is read before the destination changes.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the temporary for overlapping sides cannot be had; nothing has been
    /// written then.
    ///
    /// # Safety
    /// The bytes [`Plan::src_bytes`] of `src` must be readable and the bytes [`Plan::dst_bytes`] of
    /// `dst` writable, each within one allocation (or mapping), and no other thread may write what is read
    /// or access what is written meanwhile. No alignment is needed.
    #[inline]
    pub unsafe fn execute(&self, dst: *mut u8, src: *const u8) -> Result<()> {
        // SAFETY: the contract of this function; the sides are disjoint, or one block each.
        self.execute_by(dst, src, |plan, dst, src| unsafe { plan.copy_disjoint(dst, src) })
    }

    /// Carries out a plan as [`Plan::execute`] does, where other images may access the elements meanwhile. What is copied
    /// then is any mixture of their bytes.
    ///
    /// # Errors
    /// The errors of [`Plan::execute`].
    ///
    /// # Safety
    /// The bytes [`Plan::src_bytes`] of `src` are mapped for reads and the bytes [`Plan::dst_bytes`] of `dst` for writes.
    /// Accesses that race with these are atomic per byte ([`xmp_core::machine::byte_atomic`]). A source without axes
    /// belongs to this image alone.
    pub unsafe fn execute_racing(&self, dst: *mut u8, src: *const u8) -> Result<()> {
        // SAFETY: the contract of this function; the sides are disjoint, or one block each.
        self.execute_by(dst, src, |plan, dst, src| unsafe { plan.copy_racing(dst, src) })
    }

    /// Carries out a plan: once by `copy` if the sides are disjoint or one block each, else through a buffer.
    #[inline(always)]
    fn execute_by(
        &self,
        dst: *mut u8,
        src: *const u8,
        copy: impl Fn(&Plan<'_>, *mut u8, *const u8),
    ) -> Result<()> {
        debug_assert_eq!(
            self.dst.unit, self.src.unit,
            "units of an element-wise plan are not copied"
        );
        if self.elements == 0 {
            return Ok(());
        }
        if !self.dims.is_empty() && self.overlaps(dst.addr(), src.addr()) {
            let (gather, scatter) = self.through_buffer();
            // The buffer has what `scatter` reads.
            let buffer = gather.gathered(src, &copy)?;
            copy(&scatter, dst, buffer.as_ptr().cast());
            return Ok(());
        }
        copy(self, dst, src);
        Ok(())
    }

    /// Calls `row` for the innermost loop of a plan made by [`Plan::elementwise`], once for each
    /// setting of the outer loops; memory is touched by `row` alone. Sides that overlap are no harm:
    /// `row` then reads from a copy of the source.
    ///
    /// # Safety
    /// The conditions of [`Plan::execute`], as far as the source is read here to be copied. For every call of `row`
    /// its elements are within the bytes that the plan reports, so `row` may access them.
    pub unsafe fn for_each_row(
        &self,
        dst: *mut u8,
        src: *const u8,
        mut row: impl FnMut(Row),
    ) -> Result<()> {
        if self.elements == 0 {
            return Ok(());
        }
        if self.overlaps(dst.addr(), src.addr()) {
            let (gather, scatter) = self.through_buffer();
            // SAFETY: `src_bytes` of `src` are readable, and the buffer has the bytes that the plan writes.
            let buffer =
                gather.gathered(src, |plan, dst, src| unsafe { plan.copy_disjoint(dst, src) })?;
            scatter.visit_rows(dst, buffer.as_ptr().cast(), &mut row);
        } else {
            self.visit_rows(dst, src, &mut row);
        }
        Ok(())
    }

    /// Splits the plan in two at a contiguous buffer that holds the source's units in the order in
    /// which the plan visits them.
    fn through_buffer(&self) -> (Plan<'a>, Plan<'a>) {
        let (mut gather, mut scatter) = (self.clone(), self.clone());
        let mut stride = self.src.unit as i64;
        for (into, from) in gather.dims.iter_mut().zip(&mut scatter.dims) {
            into.dst = Step::Stride(stride);
            from.src = Step::Stride(stride);
            stride *= into.extent as i64;
        }
        let buffer = SideLayout { unit: self.src.unit, start: 0, bytes: 0..stride };
        gather.dst = buffer.clone();
        scatter.src = buffer;
        gather.merge();
        gather.contract();
        (gather, scatter)
    }

    /// Executes a plan by `copy` whose destination is a new buffer.
    fn gathered(
        &self,
        src: *const u8,
        copy: impl Fn(&Plan<'_>, *mut u8, *const u8),
    ) -> Result<Vec<MaybeUninit<u8>>> {
        let len = self.dst.bytes.end as usize;
        let mut buffer = Vec::<MaybeUninit<u8>>::new();
        if buffer.try_reserve_exact(len).is_err() {
            return Err(Error::OutOfMemory {
                heap: "process's memory for a temporary",
                requested: len as u64,
                available: 0,
                remedy: String::new(),
            });
        }
        // SAFETY: the capacity is there, and such elements need no initialisation.
        unsafe { buffer.set_len(len) };
        copy(self, buffer.as_mut_ptr().cast(), src);
        Ok(buffer)
    }

    /// Whether the two sides, with these base addresses, may have a byte in common. "No" is certain;
    /// "yes" errs only for interleaved sections with vector subscripts or with several strides.
    #[inline]
    pub fn overlaps(&self, dst: usize, src: usize) -> bool {
        // In 128 bits nothing overflows, whatever the addresses.
        let to = dst as i128 + i128::from(self.dst.bytes.start)
            ..dst as i128 + i128::from(self.dst.bytes.end);
        let from = src as i128 + i128::from(self.src.bytes.start)
            ..src as i128 + i128::from(self.src.bytes.end);
        to.start < from.end && from.start < to.end && !self.interleaved(dst, src)
    }

    /// Whether all strides have a common divisor that keeps the sides apart, as in
    /// `a(1:n:2) = a(2:n:2)`.
    #[cold]
    fn interleaved(&self, dst: usize, src: usize) -> bool {
        let mut divisor = 0;
        for dim in &self.dims {
            let (Step::Stride(to), Step::Stride(from)) = (dim.dst, dim.src) else { return false };
            divisor = gcd(gcd(divisor, to.unsigned_abs()), from.unsigned_abs());
        }
        if divisor == 0 {
            return false;
        }
        let divisor = i128::from(divisor);
        let first = |base: usize, start: i64| base as i128 + i128::from(start);
        let ahead = first(src, self.src.start) - first(dst, self.dst.start);
        ahead.rem_euclid(divisor) >= self.dst.unit as i128
            && (-ahead).rem_euclid(divisor) >= self.src.unit as i128
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
