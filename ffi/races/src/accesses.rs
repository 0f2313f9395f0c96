//! The compiler's functions for loads and stores. They return at once where the memory is of no interest, which is why they are
//! written in the machine's instructions: everything else costs more than that. The filter is `filter::FILTER`.

use crate::registers::keeping_registers;
use crate::threads;
use std::arch::naked_asm;

/// Functions with the address in the first argument, which go on to `$access` where it is of interest. The number of bytes goes to
/// `rax` by the instructions in brackets, which jump to `2` where there are none. They change `rax` and `rdx` alone (`registers`).
macro_rules! accesses {
    ($access:ident: $($name:ident: [$($len:literal),+], $writes:literal;)+) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            naked_asm!(
                "mov rdx, qword ptr [rip + xmprt_race_filter@GOTPCREL]",
                "mov rax, rdi",
                "sub rax, qword ptr [rdx]",
                "cmp rax, qword ptr [rdx + 8]",
                "jae 2f",
                $($len,)+
                "mov edx, {writes}",
                "jmp {access}",
                "2: ret",
                writes = const $writes,
                access = sym $access,
            )
        }
    )+};
}

keeping_registers!(keeping_access: threads::access);

accesses! {
    keeping_access:
    __tsan_read1: ["mov eax, 1"], 0;
    __tsan_read2: ["mov eax, 2"], 0;
    __tsan_read4: ["mov eax, 4"], 0;
    __tsan_read8: ["mov eax, 8"], 0;
    __tsan_read16: ["mov eax, 16"], 0;
    __tsan_write1: ["mov eax, 1"], 1;
    __tsan_write2: ["mov eax, 2"], 1;
    __tsan_write4: ["mov eax, 4"], 1;
    __tsan_write8: ["mov eax, 8"], 1;
    __tsan_write16: ["mov eax, 16"], 1;
    __tsan_unaligned_read2: ["mov eax, 2"], 0;
    __tsan_unaligned_read4: ["mov eax, 4"], 0;
    __tsan_unaligned_read8: ["mov eax, 8"], 0;
    __tsan_unaligned_read16: ["mov eax, 16"], 0;
    __tsan_unaligned_write2: ["mov eax, 2"], 1;
    __tsan_unaligned_write4: ["mov eax, 4"], 1;
    __tsan_unaligned_write8: ["mov eax, 8"], 1;
    __tsan_unaligned_write16: ["mov eax, 16"], 1;
    __tsan_volatile_read1: ["mov eax, 1"], 0;
    __tsan_volatile_read2: ["mov eax, 2"], 0;
    __tsan_volatile_read4: ["mov eax, 4"], 0;
    __tsan_volatile_read8: ["mov eax, 8"], 0;
    __tsan_volatile_read16: ["mov eax, 16"], 0;
    __tsan_volatile_write1: ["mov eax, 1"], 1;
    __tsan_volatile_write2: ["mov eax, 2"], 1;
    __tsan_volatile_write4: ["mov eax, 4"], 1;
    __tsan_volatile_write8: ["mov eax, 8"], 1;
    __tsan_volatile_write16: ["mov eax, 16"], 1;
    __tsan_read_range: ["mov rax, rsi", "test rax, rax", "jz 2f"], 0;
    __tsan_write_range: ["mov rax, rsi", "test rax, rax", "jz 2f"], 1;
}

keeping_registers!(keeping_strided: threads::strided);

// For all elements that a loop accesses, which the plug-in of gcc calls before the loop: the address of the first element in `rdi`,
// the distance of two in `rsi` and their number in `rcx`.
accesses! {
    keeping_strided:
    xmprt_race_strided_read1: ["mov eax, 1"], 0;
    xmprt_race_strided_read2: ["mov eax, 2"], 0;
    xmprt_race_strided_read4: ["mov eax, 4"], 0;
    xmprt_race_strided_read8: ["mov eax, 8"], 0;
    xmprt_race_strided_read16: ["mov eax, 16"], 0;
    xmprt_race_strided_write1: ["mov eax, 1"], 1;
    xmprt_race_strided_write2: ["mov eax, 2"], 1;
    xmprt_race_strided_write4: ["mov eax, 4"], 1;
    xmprt_race_strided_write8: ["mov eax, 8"], 1;
    xmprt_race_strided_write16: ["mov eax, 16"], 1;
}

/// The compiler also calls these functions, for calls and for virtual tables of C++. They do nothing: names of callers
/// come from the stack.
macro_rules! nothing {
    ($($name:ident)+) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name() {}
    )+};
}

nothing! { __tsan_init __tsan_func_entry __tsan_func_exit __tsan_vptr_update __tsan_vptr_read }
