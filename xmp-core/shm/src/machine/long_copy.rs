//! Long copies between an image's own memory and that of another: the way that fits the processor.

use super::{byte_atomic, copy_past_caches};
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

/// Bytes from which [`copy_long`] is of use. C libraries copy shorter blocks by the processor's string instruction, where
/// it is fast.
pub const LONG_COPY: usize = 1 << 20;

/// Bytes from which a copy is made by streaming stores on Intel's processors.
///
/// The destination of a shorter one is in a cache when it is read next; of a longer one hardly anything is. C libraries
/// begin at three quarters of the third-level cache, which on a virtual machine is one that many others share. So this is
/// no share of a cache, but what was measured (`tests.rs`: the copy and the next read together).
pub(super) const STREAMED: usize = 32 << 20;

/// Copies `len` bytes, [`LONG_COPY`] or more.
///
/// On AMD's processors by the string instruction, which C libraries use up to the size of the second-level cache only: 64 MiB
/// take 2.4 ms on an EPYC (Zen 5), by streaming stores 5.9 and by the C library 3.2. On Intel's, where C libraries use it
/// themselves, by streaming stores from `STREAMED` bytes on: a Xeon (Sapphire Rapids) takes 5.7 and 9.9 ms.
///
/// Other images may access the bytes at the same time, as for [`byte_atomic::copy`].
///
/// # Safety
/// `dst` and `src` are valid for `len` bytes and do not overlap.
#[cold]
pub unsafe fn copy_long(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above).
    unsafe {
        match processor() {
            #[cfg(target_arch = "x86_64")]
            Processor::Strings if !is_just_above(dst, src) => copy_by_strings(dst, src, len),
            Processor::Streaming if len >= STREAMED => copy_past_caches(dst, src, len),
            _ => byte_atomic::copy(dst, src, len),
        }
    }
}

/// What suits a processor for long copies.
#[derive(Clone, Copy)]
enum Processor {
    /// The string instruction.
    #[cfg(target_arch = "x86_64")]
    Strings,
    /// Streaming stores.
    Streaming,
}

/// The processor's. Asked once: in a virtual machine the question takes microseconds.
#[cfg(target_arch = "x86_64")]
fn processor() -> Processor {
    static KNOWN: OnceLock<Processor> = OnceLock::new();
    *KNOWN.get_or_init(|| {
        let processor = raw_cpuid::CpuId::new();
        let is_amd = processor.get_vendor_info().is_some_and(|it| it.as_str() == "AuthenticAMD");
        // "Enhanced rep movsb".
        let features = processor.get_extended_feature_info();
        let has_strings = features.is_some_and(|features| features.has_rep_movsb_stosb());
        if is_amd && has_strings { Processor::Strings } else { Processor::Streaming }
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn processor() -> Processor {
    Processor::Streaming
}

/// Whether the destination begins a little after the source within a page: some of AMD's processors are many times slower
/// then.
#[cfg(target_arch = "x86_64")]
fn is_just_above(dst: *mut u8, src: *const u8) -> bool {
    const PAGE: usize = 4096;
    const LITTLE: usize = 1024;
    (1..LITTLE).contains(&(dst.addr().wrapping_sub(src.addr()) % PAGE))
}

/// Copies by the string instruction, whole lines of the destination: some processors are many times slower if it is not
/// aligned.
///
/// # Safety
/// `dst` and `src` are valid for `len` bytes and do not overlap.
#[cfg(target_arch = "x86_64")]
unsafe fn copy_by_strings(dst: *mut u8, src: *const u8, len: usize) {
    const LINE: usize = 64;
    let head = dst.align_offset(LINE).min(len);
    // SAFETY: both are valid for `len` bytes and do not overlap (contract above). The ABI keeps the direction flag clear,
    // which the instruction needs.
    unsafe {
        byte_atomic::copy(dst, src, head);
        std::arch::asm!(
            "rep movsb",
            inout("rcx") len - head => _, inout("rdi") dst.add(head) => _, inout("rsi") src.add(head) => _,
            options(nostack, preserves_flags)
        );
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// That of this processor, and those of all.
    const WAYS: &[unsafe fn(*mut u8, *const u8, usize)] = &[
        copy_long,
        copy_past_caches,
        #[cfg(target_arch = "x86_64")]
        copy_by_strings,
    ];

    #[test]
    fn a_long_copy_copies_everything_and_nothing_else() {
        let whole = STREAMED + 4096;
        let source: Vec<u8> = (0..whole).map(|i| (i * 7 / 3) as u8).collect();
        let mut target = vec![0; whole];
        for len in [LONG_COPY, LONG_COPY + 1, STREAMED - 1, STREAMED, STREAMED + 1027] {
            for (from, to) in [(0, 0), (5, 64), (31, 33), (2048, 3)] {
                for copy in WAYS {
                    target.fill(0);
                    // SAFETY: in bounds of both vectors.
                    unsafe { copy(target[to..].as_mut_ptr(), source[from..].as_ptr(), len) };
                    assert!(target[to..to + len] == source[from..from + len], "{len} {from} {to}");
                    assert!(target[..to].iter().chain(&target[to + len..]).all(|&byte| byte == 0));
                }
            }
        }
    }
}
