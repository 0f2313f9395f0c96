//! The trampoline of AArch64.

use super::{FRAME, STACK};
use crate::call::Call;
use crate::observe;
use std::arch::naked_asm;
use std::mem::offset_of;

const _: () = assert!(offset_of!(Call, return_address) == 72 && offset_of!(Call, results) == 80);
const _: () = assert!(offset_of!(Call, thread) == 128 && FRAME.is_multiple_of(16));

/// Passes on a call of the entry ([`Entry`](crate::entry::Entry)) whose address is in `x16`.
#[unsafe(naked)]
pub extern "C" fn through() {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-16]!",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset x29, -16",
        ".cfi_offset x30, -8",
        "mov x29, sp",
        ".cfi_def_cfa_register x29",
        "sub sp, sp, #{frame}",
        // The call: arguments in registers, address of those on the stack, return address.
        "stp x0, x1, [sp, #{call}]",
        "stp x2, x3, [sp, #{call} + 16]",
        "stp x4, x5, [sp, #{call} + 32]",
        "stp x6, x7, [sp, #{call} + 48]",
        "add x9, x29, #16",
        "stp x9, x30, [sp, #{call} + 64]",
        "add x0, sp, #{call}",
        "mov x1, x16",
        "bl {before}",
        // The same arguments for the function at x0.
        "mov x16, x0",
        "ldp q0, q1, [x29, #16]",
        "ldp q2, q3, [x29, #48]",
        "ldp q4, q5, [x29, #80]",
        "ldp q6, q7, [x29, #112]",
        "stp q0, q1, [sp]",
        "stp q2, q3, [sp, #32]",
        "stp q4, q5, [sp, #64]",
        "stp q6, q7, [sp, #96]",
        "ldp x0, x1, [sp, #{call}]",
        "ldp x2, x3, [sp, #{call} + 16]",
        "ldp x4, x5, [sp, #{call} + 32]",
        "ldp x6, x7, [sp, #{call} + 48]",
        "blr x16",
        "stp x0, x1, [sp, #{call} + 80]",
        "stp q0, q1, [sp, #{call} + 96]",
        "add x0, sp, #{call}",
        "bl {after}",
        "ldp x0, x1, [sp, #{call} + 80]",
        "ldp q0, q1, [sp, #{call} + 96]",
        "mov sp, x29",
        "ldp x29, x30, [sp], #16",
        ".cfi_def_cfa sp, 0",
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
            "adrp x16, {entry}",
            "add x16, x16, :lo12:{entry}",
            "b {through}",
            entry = sym $entry,
            through = sym $crate::trampoline::through,
        )
    };
}
pub(crate) use pass_on;
