//! Long copies between an image's own memory and that of another: the way that fits the processor.

use super::copy_past_caches;
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;
use std::time::Instant;

/// Bytes from which [`copy_long`] is of use. C libraries copy shorter blocks by the processor's string instruction, where
/// it is fast, and longer ones by loops: on AMD's processors from the size of the second-level cache on.
pub const LONG: usize = 1 << 20;

/// Bytes from which a copy may be made by streaming stores.
///
/// The destination of a shorter one is in a cache when it is read next; of a longer one hardly anything is. C libraries
/// begin at three quarters of the third-level cache, which on a virtual machine is one that many others share. So this is
/// no share of a cache, but what was measured (`tests.rs`: the copy and the next read together).
pub(super) const STREAMED: usize = 32 << 20;

/// Bytes that a copy makes by each way to find out which is faster.
const PROBE: usize = 512 << 10;

/// Copies `len` bytes, [`LONG`] or more, by the string instruction or past the caches.
///
/// Which of the two is faster for `STREAMED` bytes differs between processors: 64 MiB take 9.9 and 5.7 ms on a Xeon
/// (Sapphire Rapids), 2.4 and 5.9 ms on an EPYC (Zen 5). So each copy of that length makes its first two pieces by one way
/// each and the rest by the faster one. A preemption in a piece may select the slower way for the rest of that copy.
///
/// # Safety
/// `dst` and `src` are valid for `len` bytes and do not overlap.
#[cold]
pub unsafe fn copy_long(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above), so also each of the three pieces:
    // `STREAMED` is more than two probes.
    unsafe {
        if len < STREAMED {
            return copy_by_strings(dst, src, len);
        }
        let by_strings = timed(|| copy_by_strings(dst, src, PROBE));
        let streamed = timed(|| copy_past_caches(dst.add(PROBE), src.add(PROBE), PROBE));
        let (dst, src, len) = (dst.add(2 * PROBE), src.add(2 * PROBE), len - 2 * PROBE);
        if by_strings <= streamed {
            copy_by_strings(dst, src, len);
        } else {
            copy_past_caches(dst, src, len);
        }
    }
}

/// The nanoseconds that `copy` takes.
fn timed(copy: impl FnOnce()) -> u128 {
    let start = Instant::now();
    copy();
    start.elapsed().as_nanos()
}

/// Copies by the string instruction, where the processor says that it is fast; by the C library otherwise.
///
/// # Safety
/// `dst` and `src` are valid for `len` bytes and do not overlap.
unsafe fn copy_by_strings(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above).
    unsafe {
        #[cfg(target_arch = "x86_64")]
        if strings_are_fast() {
            // The ABI keeps the direction flag clear, which the instruction needs.
            std::arch::asm!(
                "rep movsb",
                inout("rcx") len => _, inout("rdi") dst => _, inout("rsi") src => _,
                options(nostack, preserves_flags)
            );
            return;
        }
        std::ptr::copy_nonoverlapping(src, dst, len);
    }
}

/// Whether the processor has "enhanced rep movsb". Asked once: in a virtual machine the question takes microseconds.
#[cfg(target_arch = "x86_64")]
fn strings_are_fast() -> bool {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let features = raw_cpuid::CpuId::new().get_extended_feature_info();
        features.is_some_and(|features| features.has_rep_movsb_stosb())
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_long_copy_copies_everything_and_nothing_else() {
        let whole = STREAMED + 4096;
        let source: Vec<u8> = (0..whole).map(|i| (i * 7 / 3) as u8).collect();
        let mut target = vec![0; whole];
        for len in [LONG, LONG + 1, STREAMED - 1, STREAMED, STREAMED + 1027] {
            for (from, to) in [(0, 0), (5, 64), (31, 33)] {
                target.fill(0);
                // SAFETY: in bounds of both vectors.
                unsafe { copy_long(target[to..].as_mut_ptr(), source[from..].as_ptr(), len) };
                assert!(target[to..to + len] == source[from..from + len], "{len} {from} {to}");
                assert!(target[..to].iter().chain(&target[to + len..]).all(|&byte| byte == 0));
            }
        }
    }
}
