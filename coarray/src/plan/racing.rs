//! Plans of safe Rust programs, which cannot be kept from accessing the same elements at the same time: each byte is accessed
//! atomically ([`byte_atomic`]). Front ends of other languages use the plain copies of `kernel`, because there a race is an
//! error of the program.

use super::kernel::{Unit, walk};
use super::shape::Plan;
use std::mem::MaybeUninit;
use xmp_core::machine::{LONG_COPY, byte_atomic, copy_long};

/// Copies `len` bytes that may overlap, as [`copy_block`](super::copy_block) does, where other images may access either side.
///
/// # Safety
/// `len` bytes at `src` are mapped for reads and at `dst` for writes. Accesses that race with this one are atomic per byte
/// ([`byte_atomic::copy`]). No alignment is needed.
#[inline(always)]
pub unsafe fn copy_racing_block(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: the contract of this function.
    unsafe {
        match len {
            LONG_COPY.. if dst.addr().abs_diff(src.addr()) >= len => copy_long(dst, src, len),
            _ => byte_atomic::copy(dst, src, len),
        }
    }
}

/// Bytes of a buffer with as many units as fit, from which longer blocks are filled.
const PATTERN_BYTES: usize = 2048;

/// Writes `count` times the unit of `len` bytes at `unit`, one after the other, where other images may access the destination.
///
/// # Safety
/// `len` bytes at `unit` are readable and belong to this image alone; `count` times as many at `dst` are mapped for writes. Accesses
/// that race with the writes are atomic per byte.
pub unsafe fn fill_racing_block(dst: *mut u8, unit: *const u8, len: usize, count: usize) {
    let bytes = len * count;
    let units = PATTERN_BYTES / len.max(1);
    // SAFETY: the contract of this function. The pattern has `units` units, and each copy ends within the destination.
    unsafe {
        if units < 2 || bytes <= PATTERN_BYTES / 16 {
            (0..count).for_each(|k| byte_atomic::copy(dst.add(k * len), unit, len));
            return;
        }
        let mut pattern = MaybeUninit::<[u8; PATTERN_BYTES]>::uninit();
        let pattern = pattern.as_mut_ptr().cast::<u8>();
        let filled = units.min(count) * len;
        unit.copy_to_nonoverlapping(pattern, len);
        let mut done = len;
        // Twice as many each time.
        while done < filled {
            let more = done.min(filled - done);
            pattern.copy_to_nonoverlapping(pattern.add(done), more);
            done += more;
        }
        let mut at = 0;
        while at < bytes {
            let more = filled.min(bytes - at);
            byte_atomic::copy(dst.add(at), pattern, more);
            at += more;
        }
    }
}

/// A unit of a constant size.
#[derive(Clone, Copy)]
struct Word<const LEN: usize>;

/// A unit of any size; source and destination do not overlap.
#[derive(Clone, Copy)]
struct Block(usize);

/// Units that are copied when they are stored. So a unit that is stored several times is read as often: it belongs to this
/// image alone (a fill).
macro_rules! units {
    ($([$($generic:tt)*] $unit:ty, $size:expr, |$this:ident| $len:expr;)*) => {$(
        impl<$($generic)*> Unit for $unit {
            type Value = *const u8;
            const SIZE: Option<isize> = $size;

            #[inline(always)]
            unsafe fn load(self, src: *const u8) -> *const u8 {
                src
            }

            #[inline(always)]
            unsafe fn store(self, dst: *mut u8, value: *const u8) {
                let $this = self;
                // SAFETY: the unit at `value` is mapped for reads and at `dst` for writes; the plan's caller promises the rest.
                unsafe { byte_atomic::copy(dst, value, $len) }
            }

            #[inline(always)]
            unsafe fn fill(self, dst: *mut u8, stride: isize, src: *const u8, count: usize) {
                let $this = self;
                // SAFETY: the unit at `src` is mapped for reads and those from `dst` on for writes; the plan's caller promises
                // the rest.
                unsafe {
                    if stride == $len as isize {
                        fill_racing_block(dst, src, $len, count);
                    } else {
                        (0..count as isize).for_each(|k| self.store(dst.offset(k * stride), src));
                    }
                }
            }
        }
    )*};
}

units! {
    [const LEN: usize] Word<LEN>, Some(LEN as isize), |_this| LEN;
    [] Block, None, |this| this.0;
}

impl Plan<'_> {
    /// Copies all units, in the order of the loops.
    ///
    /// # Safety
    /// The conditions of [`Plan::execute_racing`]; and the sides must be disjoint unless there is one unit only.
    pub(super) unsafe fn copy_racing(&self, dst: *mut u8, src: *const u8) {
        let dims = &self.dims[..];
        // SAFETY: the first unit of each side, and all that the loops reach from it, are within the bytes that the plan
        // reports, which are mapped.
        unsafe {
            let dst = dst.offset(self.dst.start as isize);
            let src = src.offset(self.src.start as isize);
            match self.dst.unit {
                len if dims.is_empty() => copy_racing_block(dst, src, len),
                4 => walk(Word::<4>, dims, dst, src),
                8 => walk(Word::<8>, dims, dst, src),
                16 => walk(Word::<16>, dims, dst, src),
                len => walk(Block(len), dims, dst, src),
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_filled_with_units_of_any_size_and_nothing_beside_it_changes() {
        for len in [1, 3, 4, 8, 24, 100, 1000, 1024, 1025, 5000] {
            let unit: Vec<u8> = (0..len).map(|at| (at * 7 / 3) as u8 | 1).collect();
            let least = PATTERN_BYTES / len;
            for count in [0, 1, 2, 5, 17, least, least + 1, 3 * least + 2] {
                let mut memory = vec![0; len * count + 2];
                // SAFETY: within the vectors, which no other thread accesses.
                unsafe {
                    fill_racing_block(memory.as_mut_ptr().add(1), unit.as_ptr(), len, count);
                }
                let expected = [vec![0], unit.repeat(count), vec![0]].concat();
                assert!(memory == expected, "{count} units of {len} bytes");
            }
        }
    }
}
