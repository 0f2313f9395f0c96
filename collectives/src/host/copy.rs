//! Reading what another member has just written.

/// Shorter pieces are left to the library's `memcpy`.
const SHORT: usize = 512;

/// Copies `len` bytes that another member has written to memory of this one.
///
/// A plain loop of loads and stores: the string instruction that C libraries use for copies of some kilobytes was
/// measured to take twice as long for lines that are in no cache of this core.
///
/// # Safety
/// Both are valid for `len` bytes and do not overlap.
#[inline]
pub unsafe fn take(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above).
    unsafe {
        if len < SHORT {
            std::ptr::copy_nonoverlapping(src, dst, len);
        } else {
            take_long(dst, src, len);
        }
    }
}

#[cfg(target_arch = "x86_64")]
unsafe fn take_long(dst: *mut u8, src: *const u8, len: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128};
    const GROUP: usize = 128;
    let end = len - len % GROUP;
    // SAFETY: in bounds; unaligned accesses are allowed.
    unsafe {
        for at in (0..end).step_by(GROUP) {
            let from = src.add(at).cast::<__m128i>();
            let to = dst.add(at).cast::<__m128i>();
            let group: [__m128i; GROUP / 16] =
                std::array::from_fn(|i| _mm_loadu_si128(from.add(i)));
            for (i, part) in group.into_iter().enumerate() {
                _mm_storeu_si128(to.add(i), part);
            }
        }
        std::ptr::copy_nonoverlapping(src.add(end), dst.add(end), len - end);
    }
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn take_long(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above).
    unsafe { std::ptr::copy_nonoverlapping(src, dst, len) };
}
