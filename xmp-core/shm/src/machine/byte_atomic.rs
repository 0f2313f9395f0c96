//! Copies of memory that other images may access at the same time, because a safe program in Rust can make them do so.
//!
//! A data race has no meaning in Rust unless all its accesses are atomic and of one size. The copies here access each byte
//! as a relaxed load or store of an `AtomicU8` does (a copy "atomic per byte": C++ proposal P1478, Rust RFC 3301). All
//! accesses of safe programs to coarrays are such copies, so no two of them have different sizes.
//!
//! A compiler would copy single bytes. The assembly below copies words, and calls the C library for longer blocks. Loads and
//! stores of single bytes could read and write the same in some order. So the assembly does what the loop of bytes does, as
//! assembly in Rust must. The loop itself is compiled where there is no assembly: in Miri, on other processors, and
//! for ThreadSanitizer, which does not see what assembly accesses (`--cfg xmp_thread_sanitizer`).

#[cfg(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, xmp_thread_sanitizer))
))]
mod access {
    use std::arch::asm;

    // The sizes of numbers. With more of them, the compiler would jump through a table.

    /// Declares a function that loads a word, zero-extended, and one that stores it.
    macro_rules! words {
        ($($load:ident $load_x86:literal $load_arm:literal, $store:ident $store_x86:literal $store_arm:literal;)*) => {$(
            /// # Safety
            /// The word at `at` is mapped for reads.
            #[inline(always)]
            unsafe fn $load(at: *const u8) -> u64 {
                let word: u64;
                // SAFETY: reads one word (contract above).
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    asm!($load_x86, word = lateout(reg) word, at = in(reg) at,
                        options(nostack, preserves_flags, readonly));
                    #[cfg(target_arch = "aarch64")]
                    asm!($load_arm, word = lateout(reg) word, at = in(reg) at,
                        options(nostack, preserves_flags, readonly));
                }
                word
            }

            /// # Safety
            /// The word at `at` is mapped for writes.
            #[inline(always)]
            unsafe fn $store(at: *mut u8, word: u64) {
                // SAFETY: writes one word (contract above).
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    asm!($store_x86, word = in(reg) word, at = in(reg) at,
                        options(nostack, preserves_flags));
                    #[cfg(target_arch = "aarch64")]
                    asm!($store_arm, word = in(reg) word, at = in(reg) at,
                        options(nostack, preserves_flags));
                }
            }
        )*};
    }

    words! {
        load_4 "mov {word:e}, dword ptr [{at}]" "ldr {word:w}, [{at}]",
        store_4 "mov dword ptr [{at}], {word:e}" "str {word:w}, [{at}]";
        load_8 "mov {word:r}, qword ptr [{at}]" "ldr {word:x}, [{at}]",
        store_8 "mov qword ptr [{at}], {word:r}" "str {word:x}, [{at}]";
    }

    /// # Safety
    /// See [`super::copy`].
    #[inline(always)]
    pub unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: the contract of `super::copy`; all of a block of a constant size is read before any of it is written.
        unsafe {
            match len {
                8 => store_8(dst, load_8(src)),
                4 => store_4(dst, load_4(src)),
                16 => {
                    let (low, high) = (load_8(src), load_8(src.add(8)));
                    store_8(dst, low);
                    store_8(dst.add(8), high);
                }
                _ => block(dst, src, len),
            }
        }
    }

    /// # Safety
    /// See [`super::copy`].
    #[inline]
    unsafe fn block(dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: a call of `memmove` as the C ABI says; blocks without the option `nostack` keep the stack aligned, and the
        // red zone free.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!("call {memmove}", memmove = sym libc::memmove,
                in("rdi") dst, in("rsi") src, in("rdx") len, clobber_abi("C"));
            #[cfg(target_arch = "aarch64")]
            asm!("bl {memmove}", memmove = sym libc::memmove,
                in("x0") dst, in("x1") src, in("x2") len, clobber_abi("C"));
        }
    }

    /// # Safety
    /// See [`super::zero`].
    pub unsafe fn zero(dst: *mut u8, len: usize) {
        // SAFETY: a call of `memset` as the C ABI says; see `block`.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            asm!("call {memset}", memset = sym libc::memset,
                in("rdi") dst, in("esi") 0, in("rdx") len, clobber_abi("C"));
            #[cfg(target_arch = "aarch64")]
            asm!("bl {memset}", memset = sym libc::memset,
                in("x0") dst, in("w1") 0, in("x2") len, clobber_abi("C"));
        }
    }
}

#[cfg(not(all(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, xmp_thread_sanitizer))
)))]
mod access {
    use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

    /// # Safety
    /// See [`super::copy`].
    pub unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
        // SAFETY: all bytes are mapped, and accesses that race with these are atomic accesses of single bytes (contract).
        let copy_byte = |at: usize| unsafe {
            let byte = AtomicU8::from_ptr(src.cast_mut().add(at)).load(Relaxed);
            AtomicU8::from_ptr(dst.add(at)).store(byte, Relaxed);
        };
        // As `memmove`: in the direction that reads overlapping bytes before it writes them.
        if dst.addr() <= src.addr() {
            (0..len).for_each(copy_byte);
        } else {
            (0..len).rev().for_each(copy_byte);
        }
    }

    /// # Safety
    /// See [`super::zero`].
    pub unsafe fn zero(dst: *mut u8, len: usize) {
        for at in 0..len {
            // SAFETY: as in `copy`.
            unsafe { AtomicU8::from_ptr(dst.add(at)).store(0, Relaxed) };
        }
    }
}

/// Copies `len` bytes, which may overlap; each byte by a relaxed atomic load and a relaxed atomic store. With a constant
/// `len` of 4 or 8 it is one load and one store, with one of 16 two of each.
///
/// # Safety
/// `len` bytes at `src` are mapped for reads and at `dst` for writes. Accesses that race with this one are atomic accesses
/// of single bytes, as those of this module are. No alignment is needed.
#[inline(always)]
pub unsafe fn copy(dst: *mut u8, src: *const u8, len: usize) {
    // SAFETY: the contract of this function.
    unsafe { access::copy(dst, src, len) }
}

/// Writes `len` zero bytes, each by a relaxed atomic store.
///
/// # Safety
/// The conditions of [`copy`] for `dst`.
pub unsafe fn zero(dst: *mut u8, len: usize) {
    // SAFETY: the contract of this function.
    unsafe { access::zero(dst, len) }
}

#[cfg(all(test, not(loom)))]
mod tests {
    #[test]
    fn a_copy_that_is_atomic_per_byte_moves_what_memmove_moves() {
        let source: Vec<u8> = (0..200u32).map(|i| (i * 7 / 3) as u8 | 1).collect();
        for len in 0..100 {
            for (from, to) in [(0, 0), (0, 3), (3, 0), (10, 90), (91, 17)] {
                let (mut moved, mut expected) = (source.clone(), source.clone());
                expected.copy_within(from..from + len, to);
                let base = moved.as_mut_ptr();
                // SAFETY: within the vector, which no other thread accesses.
                unsafe { super::copy(base.add(to), base.add(from), len) };
                assert_eq!(moved, expected, "{len} bytes from {from} to {to}");
                // SAFETY: as before.
                unsafe { super::zero(moved.as_mut_ptr().add(to), len) };
                expected[to..to + len].fill(0);
                assert_eq!(moved, expected, "{len} zeros at {to}");
            }
        }
    }
}
