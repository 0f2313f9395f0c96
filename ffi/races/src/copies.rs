//! `memcpy`, `memmove` and `memset`. gcc instruments no calls of them, which it makes for `a = 0`, `a = b` and characters. Programs
//! are linked so that their calls come here (`--wrap`). clang calls other names for them. `memcmp` and `fwrite` as well, by which
//! programs in C compare and write blocks; further functions are in `c_library.rs`.

use crate::filter::is_of_interest;
use crate::threads::access;

/// Functions with at most four arguments, the first three of which and the return address go to a function that enters them. Then the
/// function of the C library is called in their place: the option of the linker is about the program alone.
macro_rules! passed_on {
    ($($name:ident: $note:ident, $real:path;)+) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            std::arch::naked_asm!(
                ".cfi_startproc",
                "push rdi",
                ".cfi_adjust_cfa_offset 8",
                "push rsi",
                ".cfi_adjust_cfa_offset 8",
                "push rdx",
                ".cfi_adjust_cfa_offset 8",
                "push rcx",
                ".cfi_adjust_cfa_offset 8",
                "sub rsp, 8",
                ".cfi_adjust_cfa_offset 8",
                "mov rcx, qword ptr [rsp + 40]",
                "call {note}",
                "add rsp, 8",
                ".cfi_adjust_cfa_offset -8",
                "pop rcx",
                ".cfi_adjust_cfa_offset -8",
                "pop rdx",
                ".cfi_adjust_cfa_offset -8",
                "pop rsi",
                ".cfi_adjust_cfa_offset -8",
                "pop rdi",
                ".cfi_adjust_cfa_offset -8",
                "jmp {real}",
                ".cfi_endproc",
                note = sym $note,
                real = sym $real,
            )
        }
    )+};
}

/// A function of the C library: only its address is used.
mod own {
    unsafe extern "C" {
        pub fn fwrite_unlocked();
    }
}

passed_on! {
    __wrap_memcpy: copied, libc::memcpy;
    __wrap_memmove: copied, libc::memmove;
    __wrap_memset: set, libc::memset;
    __wrap_memcmp: blocks_compared, libc::memcmp;
    __wrap_fwrite: written, libc::fwrite;
    __wrap_fwrite_unlocked: written, own::fwrite_unlocked;
    __tsan_memcpy: copied, libc::memcpy;
    __tsan_memmove: copied, libc::memmove;
    __tsan_memset: set, libc::memset;
}

/// This thread copies bytes at a place.
pub extern "C" fn copied(to: usize, from: usize, len: usize, place: usize) {
    enter(from, len, false, place);
    enter(to, len, true, place);
}

/// This thread sets bytes at a place.
pub extern "C" fn set(to: usize, _: usize, len: usize, place: usize) {
    enter(to, len, true, place);
}

/// This thread compares bytes at a place.
pub extern "C" fn blocks_compared(one: usize, other: usize, len: usize, place: usize) {
    enter(one, len, false, place);
    enter(other, len, false, place);
}

/// This thread writes objects of a size into a file.
extern "C" fn written(from: usize, size: usize, count: usize, place: usize) {
    enter(from, size.saturating_mul(count), false, place);
}

/// This thread accesses these bytes at the place with this return address, if they are of interest.
pub fn enter(address: usize, len: usize, writes: bool, place: usize) {
    if len > 0 && is_of_interest(address) {
        access(address, len, writes, place);
    }
}

pub(crate) use passed_on;
