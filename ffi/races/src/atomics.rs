//! The compiler's functions for atomic operations of C, C++ and OpenMP: they execute the operation. On memory that images share it is
//! entered as an atomic subroutine, which is no race with other ones. It orders nothing.

use crate::filter::is_of_interest;
use crate::threads;
use std::arch::naked_asm;
use std::ffi::c_int;
use std::sync::atomic::{self, AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// This thread accesses an object atomically at the place with this return address.
#[inline]
fn note<T>(at: *const T, writes: bool, place: usize) {
    if is_of_interest(at.addr()) {
        threads::atomic(at.addr(), size_of::<T>(), writes, place);
    }
}

/// This thread writes these bytes atomically, by an instruction that the compiler does not instrument: the plug-in of gcc calls it.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn xmprt_race_atomic_write() {
    extern "C" fn noted(at: usize, len: usize, place: usize) {
        if is_of_interest(at) {
            threads::atomic(at, len, true, place);
        }
    }
    naked_asm!("mov rdx, qword ptr [rsp]", "jmp {noted}", noted = sym noted)
}

/// A function that the compiler calls: it goes on to another one, with its return address as the sixth argument.
macro_rules! passing_its_place {
    ($name:ident: $to:ident) => {
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            naked_asm!("mov r9, qword ptr [rsp]", "jmp {to}", to = sym $to)
        }
    };
}

/// The operations on words of one size. Each has the strictest order, which includes the requested one.
macro_rules! atomics {
    ($($atomic:ident $word:ident: $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident
       $nand:ident $strong:ident $weak:ident;)+) => {$(
        const _: () = {
            unsafe extern "C" fn load(
                at: *const $atomic, _: c_int, _: usize, _: usize, _: usize, place: usize,
            ) -> $word {
                note(at, false, place);
                // SAFETY: the compiler passes the address of an object of this size that the program accesses atomically.
                unsafe { &*at }.load(Ordering::SeqCst)
            }
            passing_its_place!($load: load);
        };

        const _: () = {
            unsafe extern "C" fn store(
                at: *const $atomic, value: $word, _: c_int, _: usize, _: usize, place: usize,
            ) {
                note(at, true, place);
                // SAFETY: as above.
                unsafe { &*at }.store(value, Ordering::SeqCst);
            }
            passing_its_place!($store: store);
        };

        atomics!(update $atomic $word: $exchange swap, $add fetch_add, $sub fetch_sub, $and fetch_and, $or fetch_or,
            $xor fetch_xor, $nand fetch_nand);
        atomics!(compare $atomic $word: $strong, $weak);
    )+};
    (update $atomic:ident $word:ident: $($name:ident $method:ident),+) => {$(
        const _: () = {
            unsafe extern "C" fn update(
                at: *const $atomic, value: $word, _: c_int, _: usize, _: usize, place: usize,
            ) -> $word {
                note(at, true, place);
                // SAFETY: as above.
                unsafe { &*at }.$method(value, Ordering::SeqCst)
            }
            passing_its_place!($name: update);
        };
    )+};
    (compare $atomic:ident $word:ident: $($name:ident),+) => {$(
        const _: () = {
            unsafe extern "C" fn compare(
                at: *const $atomic, expected: *mut $word, value: $word, _: c_int, _: c_int, place: usize,
            ) -> c_int {
                note(at, true, place);
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
            passing_its_place!($name: compare);
        };
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
