//! Calling a function whose types are known at run time only: all registers in which the AAPCS64 passes structures and
//! returns them, as memory.

use std::arch::naked_asm;
use std::ffi::c_void;
use std::mem::offset_of;

/// Registers before the call (arguments) and after it (results).
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Registers {
    /// V0 to V7 before.
    pub vectors: [u128; 8],
    /// V0 to V3 after.
    pub vector_results: [u128; 4],
    /// X0 to X3 before.
    pub integers: [u64; 4],
    /// X0 and X1 after.
    pub integer_results: [u64; 2],
    /// X8 before: where a result in memory is written.
    pub place: u64,
}

/// Calls `function` with these registers.
///
/// # Safety
/// The function takes its arguments, of any types, from there, follows the convention and does not unwind.
pub unsafe fn call(function: *const c_void, registers: &mut Registers) {
    // SAFETY: the contract of this function: what `function` reads is in the registers.
    unsafe { enter(function, registers) };
}

#[unsafe(naked)]
unsafe extern "C" fn enter(function: *const c_void, registers: *mut Registers) {
    naked_asm!(
        ".cfi_startproc",
        "stp x29, x30, [sp, #-32]!",
        ".cfi_def_cfa_offset 32",
        ".cfi_offset x29, -32",
        ".cfi_offset x30, -24",
        "mov x29, sp",
        "str x19, [sp, #16]",
        ".cfi_offset x19, -16",
        "mov x19, x1",
        "mov x16, x0",
        "ldp q0, q1, [x19, #{vectors}]",
        "ldp q2, q3, [x19, #{vectors} + 32]",
        "ldp q4, q5, [x19, #{vectors} + 64]",
        "ldp q6, q7, [x19, #{vectors} + 96]",
        "ldr x8, [x19, #{place}]",
        "ldp x2, x3, [x19, #{integers} + 16]",
        "ldp x0, x1, [x19, #{integers}]",
        "blr x16",
        "stp x0, x1, [x19, #{integer_results}]",
        "stp q0, q1, [x19, #{vector_results}]",
        "stp q2, q3, [x19, #{vector_results} + 32]",
        "ldr x19, [sp, #16]",
        "ldp x29, x30, [sp], #32",
        "ret",
        ".cfi_endproc",
        integers = const offset_of!(Registers, integers),
        vectors = const offset_of!(Registers, vectors),
        place = const offset_of!(Registers, place),
        integer_results = const offset_of!(Registers, integer_results),
        vector_results = const offset_of!(Registers, vector_results),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Three([f64; 3]);

    #[repr(C)]
    struct Five([u64; 5]);

    extern "C" fn three(a: Three, b: Three) -> Three {
        Three(std::array::from_fn(|at| a.0[at] - 2.0 * b.0[at]))
    }

    extern "C" fn five(a: &Five, b: Five) -> Five {
        Five(std::array::from_fn(|at| a.0[at] + 10 * b.0[at]))
    }

    #[test]
    fn structures_of_equal_reals_are_in_vector_registers() {
        let mut registers = Registers::default();
        for (register, value) in registers.vectors.iter_mut().zip([1.0, 2.0, 3.0, 4.0, 5.0, 6.0f64])
        {
            *register = value.to_bits().into();
        }
        // SAFETY: takes six numbers.
        unsafe { call(three as *const c_void, &mut registers) };
        let result = [0, 1, 2].map(|at| f64::from_bits(registers.vector_results[at] as u64));
        assert_eq!(result, [-7.0, -8.0, -9.0]);
    }

    #[test]
    fn structures_in_memory_are_passed_by_their_addresses() {
        let (a, b, mut result) = (Five([1; 5]), Five([2; 5]), Five([0; 5]));
        let mut registers = Registers::default();
        registers.integers[0] = (&raw const a).expose_provenance() as u64;
        registers.integers[1] = (&raw const b).expose_provenance() as u64;
        registers.place = (&raw mut result).expose_provenance() as u64;
        // SAFETY: takes two addresses, and the place of its result.
        unsafe { call(five as *const c_void, &mut registers) };
        assert_eq!(result.0, [21; 5]);
    }
}
