//! x86-64: the System V ABI.

use super::Interrupted;
use std::arch::asm;
pub use xmp_core::number::F80 as LongDouble;

/// Whether Fortran has real(10).
pub const HAS_REAL_10: bool = true;

/// The kind of Fortran's real numbers that have the format of C's `long double`.
pub const LONG_DOUBLE_KIND: u8 = 10;

/// Status bits of floating-point exceptions: invalid, division by zero, overflow, underflow, and denormal operand.
pub const EXCEPTIONS: [u32; 5] = [1 << 0, 1 << 2, 1 << 3, 1 << 4, 1 << 1];

/// The status bits of the SSE unit and of the x87 unit, which has `real(10)`, together.
pub fn signalling_exceptions() -> u32 {
    let mut sse = 0_u32;
    let x87: u16;
    // SAFETY: both only read status; `sse` has the four bytes that are written.
    unsafe {
        asm!("stmxcsr [{}]", in(reg) &raw mut sse, options(nostack, preserves_flags));
        asm!("fnstsw ax", out("ax") x87, options(nomem, nostack, preserves_flags));
    }
    sse | u32::from(x87)
}

/// Where the thread was whose registers these are.
pub fn interrupted(context: &libc::ucontext_t) -> Interrupted {
    let register = |number: libc::c_int| context.uc_mcontext.gregs[number as usize] as usize;
    Interrupted { stack: register(libc::REG_RSP), instruction: register(libc::REG_RIP) }
}

/// The instructions that load the address of a symbol from the global offset table into operand 0 of `asm!`.
macro_rules! load_from_got {
    ($name:literal) => {
        concat!("mov {0}, qword ptr [rip + ", $name, "@GOTPCREL]")
    };
}

/// The body of a naked function that stores its return address in a static variable, and jumps to another function.
macro_rules! store_caller_and_jump {
    ($caller:ident, $to:ident) => {
        std::arch::naked_asm!(
            "mov rax, [rsp]",
            "mov r11, [rip + {}@GOTPCREL]",
            "mov [r11], rax",
            "jmp {}",
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
            "mov esi, esi",
            "shl r9, 32",
            "or rsi, r9",
            "mov r9, [rsp]",
            "jmp {}",
            sym $to,
        )
    };
}

/// Declares entries whose seventh parameter is a structure of all arguments from the seventh on: they are on the stack as
/// such a structure does that is passed by value.
macro_rules! stack_entries {
    ($($entries:tt)*) => { $crate::entry::entries! { $($entries)* } };
}

/// Declares entries that look at a few of the arguments from the seventh on, and leave most calls. These are a structure, as for
/// `stack_entries!`. If the body does not return, the function goes on to another one, which gets the structure where it is.
macro_rules! word_entries {
    ($(
        $(#[$attribute:meta])*
        fn $name:ident($($argument:ident: $type:ty),*; $more:ident: $More:ty as [usize; $words:tt] $(,)?)
        $body:block otherwise $slow:ident;
    )+) => {
        $(const _: () = assert!(size_of::<$More>() == size_of::<[usize; $words]>());)+

        $crate::entry::entries! {$(
            $(#[$attribute])*
            fn $name($($argument: $type,)* $more: $More) {
                $body
                $slow($($argument,)* &$more);
            }
        )+}
    };
}

pub(crate) use {
    load_from_got, pass_caller_and_jump, stack_entries, store_caller_and_jump, word_entries,
};
