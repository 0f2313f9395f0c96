//! The trampoline of x86-64.

use super::{FRAME, STACK};
use crate::call::Call;
use crate::observe;
use std::arch::naked_asm;
use std::mem::offset_of;

const _: () = assert!(offset_of!(Call, return_address) == 56 && offset_of!(Call, results) == 64);
const _: () = assert!(offset_of!(Call, thread) == 112 && FRAME.is_multiple_of(16));

/// Passes on a call of the entry ([`Entry`](crate::entry::Entry)) whose address is in `rax`.
#[unsafe(naked)]
pub extern "C" fn through() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "sub rsp, {frame}",
        // The call: arguments in registers, address of those on the stack, return address.
        "mov [rsp + {call}], rdi",
        "mov [rsp + {call} + 8], rsi",
        "mov [rsp + {call} + 16], rdx",
        "mov [rsp + {call} + 24], rcx",
        "mov [rsp + {call} + 32], r8",
        "mov [rsp + {call} + 40], r9",
        "lea r11, [rbp + 16]",
        "mov [rsp + {call} + 48], r11",
        "mov r11, [rbp + 8]",
        "mov [rsp + {call} + 56], r11",
        "lea rdi, [rsp + {call}]",
        "mov rsi, rax",
        "call {before}",
        // The same arguments for the function at rax.
        "movups xmm0, [rbp + 16]",
        "movups xmm1, [rbp + 32]",
        "movups xmm2, [rbp + 48]",
        "movups xmm3, [rbp + 64]",
        "movups xmm4, [rbp + 80]",
        "movups xmm5, [rbp + 96]",
        "movups xmm6, [rbp + 112]",
        "movups xmm7, [rbp + 128]",
        "movaps [rsp], xmm0",
        "movaps [rsp + 16], xmm1",
        "movaps [rsp + 32], xmm2",
        "movaps [rsp + 48], xmm3",
        "movaps [rsp + 64], xmm4",
        "movaps [rsp + 80], xmm5",
        "movaps [rsp + 96], xmm6",
        "movaps [rsp + 112], xmm7",
        "mov rdi, [rsp + {call}]",
        "mov rsi, [rsp + {call} + 8]",
        "mov rdx, [rsp + {call} + 16]",
        "mov rcx, [rsp + {call} + 24]",
        "mov r8, [rsp + {call} + 32]",
        "mov r9, [rsp + {call} + 40]",
        "call rax",
        "mov [rsp + {call} + 64], rax",
        "mov [rsp + {call} + 72], rdx",
        "movaps [rsp + {call} + 80], xmm0",
        "movaps [rsp + {call} + 96], xmm1",
        "lea rdi, [rsp + {call}]",
        "call {after}",
        "mov rax, [rsp + {call} + 64]",
        "mov rdx, [rsp + {call} + 72]",
        "movaps xmm0, [rsp + {call} + 80]",
        "movaps xmm1, [rsp + {call} + 96]",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        frame = const FRAME,
        call = const STACK,
        before = sym observe::before,
        after = sym observe::after,
    )
}

/// The body of an entry: it passes on a call of the static `$entry`.
macro_rules! pass_on {
    ($entry:ident) => {
        std::arch::naked_asm!(
            "lea rax, [rip + {entry}]",
            "jmp {through}",
            entry = sym $entry,
            through = sym $crate::trampoline::through,
        )
    };
}
pub(crate) use pass_on;
