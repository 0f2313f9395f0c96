//! The compiler's functions for atomic operations of C, C++ and OpenMP: they execute the operation. Atomic accesses of threads
//! of one image are no accesses of coarrays by images, so nothing is entered.

use std::ffi::c_int;
use std::sync::atomic::{self, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// The operations on words of one size. Each has the strictest order, which includes the requested one.
macro_rules! atomics {
    ($($atomic:ident $word:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident
       $nand:ident $strong:ident $weak:ident;)+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $load(at: *const $atomic, _: c_int) -> $word {
            // SAFETY: the compiler passes the address of an object of this size that the program accesses atomically.
            unsafe { &*at }.load(Ordering::SeqCst)
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $store(at: *const $atomic, value: $word, _: c_int) {
            // SAFETY: as above.
            unsafe { &*at }.store(value, Ordering::SeqCst);
        }

        atomics!(update $atomic $word: $exchange swap, $add fetch_add, $sub fetch_sub, $and fetch_and, $or fetch_or,
            $xor fetch_xor, $nand fetch_nand);
        atomics!(compare $atomic $word: $strong, $weak);
    )+};
    (update $atomic:ident $word:ident: $($name:ident $method:ident),+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(at: *const $atomic, value: $word, _: c_int) -> $word {
            // SAFETY: as above.
            unsafe { &*at }.$method(value, Ordering::SeqCst)
        }
    )+};
    (compare $atomic:ident $word:ident: $($name:ident),+) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            at: *const $atomic,
            expected: *mut $word,
            value: $word,
            _: c_int,
            _: c_int,
        ) -> c_int {
            // SAFETY: as above; `expected` is a variable of the program.
            let (at, expected) = unsafe { (&*at, &mut *expected) };
            match at.compare_exchange(*expected, value, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => 1,
                Err(found) => {
                    *expected = found;
                    0
                }
            }
        }
    )+};
}

atomics! {
    AtomicU8 u8: __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
        __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor
        __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak;
    AtomicU16 u16: __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
        __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor
        __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak;
    AtomicU32 u32: __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
        __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor
        __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak;
    AtomicU64 u64: __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_fetch_add
        __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor
        __tsan_atomic64_fetch_nand __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak;
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(_: c_int) {
    atomic::fence(Ordering::SeqCst);
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_: c_int) {
    atomic::compiler_fence(Ordering::SeqCst);
}
