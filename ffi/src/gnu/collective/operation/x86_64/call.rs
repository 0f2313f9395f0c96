//! Calling a function whose types are known at run time only: all registers in which System V's x86-64 convention
//! passes small arguments and results, as memory.

use std::arch::naked_asm;
use std::ffi::c_void;
use std::mem::offset_of;

/// Registers before the call (arguments) and after it (results).
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    /// RDI, RSI, RDX, RCX before.
    pub integers: [u64; 4],
    /// XMM0 to XMM3 before.
    pub vectors: [u128; 4],
    /// RAX and RDX after; RAX has the first one before, too.
    pub integer_results: [u64; 2],
    /// XMM0 and XMM1 after.
    pub vector_results: [u128; 2],
    /// ST0 and ST1 after, as many as there are.
    pub x87_results: [u128; 2],
    /// How many numbers the function has left on the x87 stack, at most two.
    pub x87_count: u64,
    environment: [u32; 8],
}

/// Calls `function` with these registers, and `stack` as what is on the stack above the return address.
///
/// # Safety
/// The function takes its arguments, of any types, from there, follows the convention and does not unwind.
pub unsafe fn call(function: *const c_void, registers: &mut Registers, stack: &[u64]) {
    // SAFETY: the contract of this function: what `function` reads is in the registers and in `stack`.
    unsafe { enter(function, registers, stack.as_ptr(), stack.len()) };
}

#[unsafe(naked)]
unsafe extern "C" fn enter(
    function: *const c_void,
    registers: *mut Registers,
    stack: *const u64,
    words: usize,
) {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "push rbx",
        "push r12",
        "mov r12, rdi",
        "mov rbx, rsi",
        // What the function finds on the stack, which is aligned at the call.
        "mov rsi, rdx",
        "lea rax, [rcx * 8]",
        "sub rsp, rax",
        "and rsp, -16",
        "mov rdi, rsp",
        "rep movsq",
        "movdqu xmm0, [rbx + {vectors}]",
        "movdqu xmm1, [rbx + {vectors} + 16]",
        "movdqu xmm2, [rbx + {vectors} + 32]",
        "movdqu xmm3, [rbx + {vectors} + 48]",
        "mov rdi, [rbx + {integers}]",
        "mov rsi, [rbx + {integers} + 8]",
        "mov rdx, [rbx + {integers} + 16]",
        "mov rcx, [rbx + {integers} + 24]",
        "mov rax, [rbx + {integer_results}]",
        "call r12",
        "mov [rbx + {integer_results}], rax",
        "mov [rbx + {integer_results} + 8], rdx",
        "movdqu [rbx + {vector_results}], xmm0",
        "movdqu [rbx + {vector_results} + 16], xmm1",
        // The x87 stack is empty at a call, and what it has after it are results: tags that are not "empty".
        "mov qword ptr [rbx + {x87_count}], 0",
        "fnstenv [rbx + {environment}]",
        "fldenv [rbx + {environment}]",
        "cmp word ptr [rbx + {environment} + 8], -1",
        "je 2f",
        "fstp tbyte ptr [rbx + {x87_results}]",
        "inc qword ptr [rbx + {x87_count}]",
        "fnstenv [rbx + {environment}]",
        "fldenv [rbx + {environment}]",
        "cmp word ptr [rbx + {environment} + 8], -1",
        "je 2f",
        "fstp tbyte ptr [rbx + {x87_results} + 16]",
        "inc qword ptr [rbx + {x87_count}]",
        "2:",
        "lea rsp, [rbp - 16]",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        integers = const offset_of!(Registers, integers),
        vectors = const offset_of!(Registers, vectors),
        integer_results = const offset_of!(Registers, integer_results),
        vector_results = const offset_of!(Registers, vector_results),
        x87_results = const offset_of!(Registers, x87_results),
        x87_count = const offset_of!(Registers, x87_count),
        environment = const offset_of!(Registers, environment),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Mixed {
        number: i64,
        value: f64,
    }

    #[repr(C)]
    struct Large([u64; 5]);

    extern "C" fn mixed(a: &Mixed, b: &Mixed) -> Mixed {
        Mixed { number: a.number + b.number, value: a.value * b.value }
    }

    extern "C" fn on_the_stack(a: Large, b: Large, c: u64) -> u64 {
        a.0[0] + 10 * a.0[4] + 100 * b.0[0] + 1000 * b.0[4] + 10_000 * c
    }

    #[test]
    fn arguments_and_results_in_registers() {
        let (a, b) = (Mixed { number: 7, value: 1.5 }, Mixed { number: -9, value: 3.0 });
        let mut registers = Registers {
            integers: [
                (&raw const a).expose_provenance() as u64,
                (&raw const b).expose_provenance() as u64,
                0,
                0,
            ],
            ..Registers::default()
        };
        // SAFETY: takes two addresses.
        unsafe { call(mixed as *const c_void, &mut registers, &[]) };
        assert_eq!(registers.integer_results[0] as i64, -2);
        assert_eq!(f64::from_bits(registers.vector_results[0] as u64), 4.5);
        assert_eq!(registers.x87_count, 0);
    }

    #[test]
    fn arguments_on_the_stack() {
        let mut registers = Registers { integers: [5, 0, 0, 0], ..Registers::default() };
        // SAFETY: takes two structures in memory and a number in RDI.
        unsafe {
            let stack = [1, 0, 0, 0, 2, 3, 0, 0, 0, 4];
            call(on_the_stack as *const c_void, &mut registers, &stack);
        }
        assert_eq!(registers.integer_results[0], 54_321);
    }

    /// Leaves its arguments, two addresses of real(10), on the x87 stack: (first, second) in ST0, ST1.
    #[unsafe(naked)]
    extern "C" fn two_on_the_x87_stack() {
        naked_asm!("fld tbyte ptr [rsi]", "fld tbyte ptr [rdi]", "ret")
    }

    #[test]
    fn results_on_the_x87_stack() {
        // 1.0 and -2.0.
        let (a, b) = (0x3fff_8000_0000_0000_0000u128, 0xc000_8000_0000_0000_0000u128);
        let mut registers = Registers {
            integers: [
                (&raw const a).expose_provenance() as u64,
                (&raw const b).expose_provenance() as u64,
                0,
                0,
            ],
            ..Registers::default()
        };
        for _ in 0..10 {
            // SAFETY: takes two addresses.
            unsafe { call(two_on_the_x87_stack as *const c_void, &mut registers, &[]) };
            assert_eq!((registers.x87_count, registers.x87_results), (2, [a, b]));
        }
    }
}
