//! Functions of the C library whose results tell what they have read or written. They are called here, and enter that afterwards.

use std::mem::MaybeUninit;

/// A call: the arguments in registers, room for the others and for the list, and the return address.
#[repr(C)]
pub struct Call {
    /// The arguments in registers; if the function has fewer, something else.
    pub arguments: [usize; 6],
    unused: [MaybeUninit<usize>; 21],
    /// The return address.
    pub place: usize,
}

/// The instructions that make a [`Call`] on the stack.
macro_rules! make_call {
    () => {
        concat!(
            ".cfi_startproc\n",
            "sub rsp, 216\n",
            ".cfi_adjust_cfa_offset 216\n",
            $crate::register_arguments::store_registers!()
        )
    };
}

/// The instructions that call `function`, and return its result to the program.
macro_rules! end_call {
    () => {
        concat!(
            "call {function}\n",
            "add rsp, 216\n",
            ".cfi_adjust_cfa_offset -216\n",
            "ret\n",
            ".cfi_endproc"
        )
    };
}

/// Functions with any number of arguments after some: they are called with the list of those.
macro_rules! with_any_number {
    ($($name:ident $listed:ident($named:literal): $function:path;)+) => {$(
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $name() {
            std::arch::naked_asm!(
                $crate::after::make_call!(),
                "test al, al",
                "je 2f",
                "movaps xmmword ptr [rsp + 48], xmm0",
                "movaps xmmword ptr [rsp + 64], xmm1",
                "movaps xmmword ptr [rsp + 80], xmm2",
                "movaps xmmword ptr [rsp + 96], xmm3",
                "movaps xmmword ptr [rsp + 112], xmm4",
                "movaps xmmword ptr [rsp + 128], xmm5",
                "movaps xmmword ptr [rsp + 144], xmm6",
                "movaps xmmword ptr [rsp + 160], xmm7",
                "2:",
                // The list: the next registers, the arguments on the stack, the registers.
                "mov dword ptr [rsp + 176], 8 * {named}",
                "mov dword ptr [rsp + 180], 48",
                "lea rax, [rsp + 224]",
                "mov qword ptr [rsp + 184], rax",
                "mov qword ptr [rsp + 192], rsp",
                "mov rdi, rsp",
                "lea rsi, [rsp + 176]",
                $crate::after::end_call!(),
                named = const $named,
                function = sym $function,
            )
        }

        /// The same with a list as its last argument.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        extern "C" fn $listed() {
            std::arch::naked_asm!(
                $crate::after::make_call!(),
                "mov rdi, rsp",
                "mov rsi, qword ptr [rsp + 8 * {named}]",
                $crate::after::end_call!(),
                named = const $named,
                function = sym $function,
            )
        }
    )+};
}

/// Functions with at most six arguments: each calls the one of the C library, then a function that gets the call, the result, and some of
/// the arguments.
macro_rules! with_few {
    ($($name:ident: $real:ident($($argument:ident),+), $note:ident($($noted:ident),+);)+) => {
        /// The C library's own functions. Their arguments are those of the program's call, in the registers in which they came.
        mod own {
            unsafe extern "C" {
                $(pub fn $real($($argument: usize),+) -> usize;)+
            }
        }

        $(const _: () = {
            extern "C" fn called(call: &$crate::after::Call) -> usize {
                let [$($argument,)+ ..] = call.arguments;
                // SAFETY: the arguments of a call of this function.
                let result = unsafe { own::$real($($argument),+) };
                $note(call, result, $($noted),+);
                result
            }

            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $name() {
                std::arch::naked_asm!(
                    $crate::after::make_call!(),
                    "mov rdi, rsp",
                    $crate::after::end_call!(),
                    function = sym called,
                )
            }
        };)+
    };
}

pub(crate) use {end_call, make_call, with_any_number, with_few};
