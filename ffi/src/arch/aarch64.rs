//! AArch64: the AAPCS64.

use super::Interrupted;
use std::arch::asm;
pub use xmp_core::number::F128 as LongDouble;

/// Whether Fortran has real(10).
pub const HAS_REAL_10: bool = false;

/// The kind of Fortran's real numbers that have the format of C's `long double`.
pub const LONG_DOUBLE_KIND: u8 = 16;

/// Status bits of floating-point exceptions: invalid, division by zero, overflow, underflow, and denormal operand.
pub const EXCEPTIONS: [u32; 5] = [1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 7];

/// The status bits.
pub fn signalling_exceptions() -> u32 {
    let status: u64;
    // SAFETY: only reads the status.
    unsafe { asm!("mrs {}, fpsr", out(reg) status, options(nomem, nostack, preserves_flags)) };
    status as u32
}

/// Where the thread was whose registers these are.
pub fn interrupted(context: &libc::ucontext_t) -> Interrupted {
    let registers = &context.uc_mcontext;
    Interrupted { stack: registers.sp as usize, instruction: registers.pc as usize }
}

/// The instructions that load the address of a symbol from the global offset table into operand 0 of `asm!`.
macro_rules! load_from_got {
    ($name:literal) => {
        concat!("adrp {0}, :got:", $name, "\nldr {0}, [{0}, :got_lo12:", $name, "]")
    };
}

/// The body of a naked function that stores its return address in a static variable, and jumps to another function.
macro_rules! store_caller_and_jump {
    ($caller:ident, $to:ident) => {
        std::arch::naked_asm!(
            "adrp x9, {0}",
            "str x30, [x9, :lo12:{0}]",
            "b {1}",
            sym $caller,
            sym $to,
        )
    };
}

/// The body of a naked function that jumps to another one with its return address as the sixth argument. The lower half of
/// what the sixth was is in the upper half of the second argument.
macro_rules! pass_caller_and_jump {
    ($to:ident) => {
        std::arch::naked_asm!(
            "mov w1, w1",
            "orr x1, x1, x5, lsl #32",
            "mov x5, x30",
            "b {}",
            sym $to,
        )
    };
}

/// Declares entries whose seventh parameter is a structure of all arguments from the seventh on, which they pass on. The first two
/// of these are in registers, and a structure is passed by its address. So they are put on the stack, where the others follow them:
/// that is the structure.
macro_rules! stack_entries {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
    )+) => {$(
        const _: () = {
            extern "C" fn with_structure($($argument: $type),*) $(-> $result)? $body

            $(#[$attribute])*
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            extern "C" fn $name($(_: $type),*) $(-> $result)? {
                std::arch::naked_asm!(
                    ".cfi_startproc",
                    "stp x6, x7, [sp, #-16]!",
                    ".cfi_def_cfa_offset 16",
                    "mov x6, sp",
                    "stp x29, x30, [sp, #-16]!",
                    ".cfi_def_cfa_offset 32",
                    ".cfi_offset x29, -32",
                    ".cfi_offset x30, -24",
                    "mov x29, sp",
                    "bl {}",
                    "ldp x29, x30, [sp], #16",
                    "add sp, sp, #16",
                    "ret",
                    ".cfi_endproc",
                    sym with_structure,
                )
            }
        };
    )+};
}

/// An argument of at most eight bytes; what is after it is undefined.
pub(crate) type Word = std::mem::MaybeUninit<usize>;

/// Declares entries that look at a few of the arguments from the seventh on, and leave most calls. The declaration has these as a
/// structure, and the function has each word of it as a parameter: two are in registers, the others on the stack. If the body does
/// not return, the function goes on to another one, which gets the structure in memory. That is a jump, so that the first function
/// needs no stack.
macro_rules! word_entries {
    (@4 $($entry:tt)+) => { $crate::arch::word_entries! { @words 4 [a, b, c, d] $($entry)+ } };
    (@5 $($entry:tt)+) => { $crate::arch::word_entries! { @words 5 [a, b, c, d, e] $($entry)+ } };
    (@8 $($entry:tt)+) => { $crate::arch::word_entries! { @words 8 [a, b, c, d, e, f, g, h] $($entry)+ } };
    (@words $words:literal [$($word:ident),+]
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),*; $more:ident: $More:ty)
        $body:block otherwise $slow:ident
    ) => {
        #[cold]
        #[inline(never)]
        extern "C" fn otherwise($($argument: $type,)* $($word: $crate::arch::Word),+) {
            // SAFETY: the words of the structure, as in the entry.
            let more = unsafe { std::mem::transmute::<[$crate::arch::Word; $words], $More>([$($word),+]) };
            $slow($($argument,)* &more);
        }

        $(#[$attribute])*
        #[unsafe(no_mangle)]
        extern "C" fn $name($($argument: $type,)* $($word: $crate::arch::Word),+) {
            // SAFETY: the contract of entries: the words of the structure, which has as many.
            let $more = unsafe { std::mem::transmute::<[$crate::arch::Word; $words], $More>([$($word),+]) };
            $body
            otherwise($($argument,)* $($word),+)
        }
    };
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),*; $more:ident: $More:ty as [usize; $words:tt] $(,)?)
        $body:block otherwise $slow:ident;
    )+) => {$(
        const _: () = {
            $crate::arch::word_entries! {
                @$words $(#[$attribute])* fn $name($($argument: $type),*; $more: $More) $body otherwise $slow
            }
        };
    )+};
}

pub(crate) use {
    load_from_got, pass_caller_and_jump, stack_entries, store_caller_and_jump, word_entries,
};
