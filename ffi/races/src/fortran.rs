//! Functions that read and write variables of the program, which the compiler has not instrumented: input, output and array
//! intrinsics of libgfortran, and collective subroutines. Programs are linked so that their calls come here (`--wrap`), are entered, and go on to
//! the function itself.
//!
//! Masks are not entered. Nor are the accesses of array intrinsics to characters, and of input and output to components
//! of derived types.

use crate::copies::enter;
use crate::descriptor::Array;
use crate::filter::entry;
use crate::register_arguments::{restore_arguments, store_arguments};
use std::arch::naked_asm;

/// A call of a function: the arguments in registers, as the functions below store them, and where it returns to.
#[repr(C)]
struct Call {
    arguments: [usize; 6],
    unused: usize,
    place: usize,
}

impl Call {
    /// An argument that is an array, if it is there.
    ///
    /// # Safety
    /// The function has an array as this argument.
    unsafe fn array(&self, number: usize, writes: bool) {
        // SAFETY: as the caller says: null or an array, with its dimensions.
        unsafe {
            let array = std::ptr::with_exposed_provenance::<Array>(self.arguments[number]);
            if let Some(array) = array.as_ref() {
                array.pieces(|address, len| enter(address, len, writes, self.place));
            }
        }
    }

    /// An argument that is a variable of this number of bytes.
    fn variable(&self, number: usize, len: usize, writes: bool) {
        enter(self.arguments[number], len, writes, self.place);
    }
}

/// Functions whose names are `_gfortran_`, a first and a last part; how each uses its arguments.
macro_rules! wrapped {
    ($($note:ident: $first:literal $($last:literal)+;)+) => {$($(
        const _: () = {
            #[unsafe(naked)]
            #[unsafe(export_name = concat!("__wrap__gfortran_", $first, $last))]
            extern "C" fn wrapped() {
                naked_asm!(
                    ".cfi_startproc",
                    store_arguments!(),
                    "mov rdi, rsp",
                    "call {note}",
                    restore_arguments!(),
                    // Weak: a program that calls it has it.
                    concat!(".weak _gfortran_", $first, $last),
                    concat!("jmp qword ptr [rip + _gfortran_", $first, $last, "@GOTPCREL]"),
                    ".cfi_endproc",
                    note = sym $note,
                )
            }
        };
    )+)+};
}

/// Output of a variable: the parameters of the statement, the variable, its bytes.
extern "C" fn output(call: &Call) {
    call.variable(1, call.arguments[2] as u32 as usize, false);
}

/// Output of a complex variable: the bytes are the size of a part.
extern "C" fn output_complex(call: &Call) {
    call.variable(1, 2 * call.arguments[2] as u32 as usize, false);
}

/// Output of an array: the statement's parameters, the array.
extern "C" fn output_array(call: &Call) {
    // SAFETY: the second argument is an array.
    unsafe { call.array(1, false) };
}

extern "C" fn input(call: &Call) {
    call.variable(1, call.arguments[2] as u32 as usize, true);
}

extern "C" fn input_complex(call: &Call) {
    call.variable(1, 2 * call.arguments[2] as u32 as usize, true);
}

extern "C" fn input_array(call: &Call) {
    // SAFETY: the second argument is an array.
    unsafe { call.array(1, true) };
}

/// An intrinsic function of an array: the result, the array. What follows is not entered: masks, and scalars.
extern "C" fn of_one(call: &Call) {
    // SAFETY: the first two arguments are arrays.
    unsafe {
        call.array(1, false);
        call.array(0, true);
    }
}

/// An intrinsic function of two arrays: the result, the arrays.
extern "C" fn of_two(call: &Call) {
    // SAFETY: the first three arguments are arrays.
    unsafe {
        call.array(1, false);
        call.array(2, false);
        call.array(0, true);
    }
}

/// A section is copied to contiguous memory, unless it is contiguous: the section.
extern "C" fn packed(call: &Call) {
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, false) };
}

/// An array that is defined: by RANDOM_NUMBER, or a section that gets the values of a contiguous copy.
extern "C" fn defined(call: &Call) {
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, true) };
}

/// A collective subroutine that defines its argument on all images, or makes it undefined: the argument.
extern "C" fn reduced(call: &Call) {
    // SAFETY: the first argument is an array.
    unsafe {
        call.array(0, false);
        call.array(0, true);
    }
}

/// CO_BROADCAST: the argument, the image index of the source.
extern "C" fn broadcast(call: &Call) {
    let is_source = entry().is_some_and(|entry| (entry.is_this_image)(call.arguments[1] as i32));
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, !is_source) };
}

/// RANDOM_NUMBER of a variable.
extern "C" fn random_4(call: &Call) {
    call.variable(0, 4, true);
}

extern "C" fn random_8(call: &Call) {
    call.variable(0, 8, true);
}

extern "C" fn random_16(call: &Call) {
    call.variable(0, 16, true);
}

wrapped! {
    output: "transfer_" "integer_write" "real_write" "logical_write" "character_write" "real128_write";
    output_complex: "transfer_" "complex_write" "complex128_write";
    output_array: "transfer_" "array_write";
    input: "transfer_" "integer" "real" "logical" "character" "real128";
    input_complex: "transfer_" "complex" "complex128";
    input_array: "transfer_" "array";
    of_two: "matmul_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16" "l4" "l8" "l16";
    of_one: "pack" "" "_s";
    of_one: "unpack" "0" "1";
    of_one: "reshape" "" "_4" "_8" "_16" "_r4" "_r8" "_r10" "_r16" "_c4" "_c8" "_c10" "_c16";
    of_one: "spread" "";
    of_one: "cshift" "0_1" "0_2" "0_4" "0_8" "0_16" "1_4" "1_8" "1_16";
    of_one: "eoshift" "0_1" "0_2" "0_4" "0_8" "0_16" "1_4" "1_8" "1_16" "2_1" "2_2" "2_4" "2_8" "2_16" "3_4" "3_8" "3_16";
    of_one: "sum_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one: "msum_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one: "product_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one: "mproduct_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one: "maxval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one: "mmaxval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one: "minval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one: "mminval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one: "maxloc0_" "4_i4" "4_i8" "4_r4" "4_r8" "8_i4" "8_i8" "8_r4" "8_r8";
    of_one: "maxloc1_" "4_i4" "4_i8" "4_r4" "4_r8" "8_i4" "8_i8" "8_r4" "8_r8";
    of_one: "minloc0_" "4_i4" "4_i8" "4_r4" "4_r8" "8_i4" "8_i8" "8_r4" "8_r8";
    of_one: "minloc1_" "4_i4" "4_i8" "4_r4" "4_r8" "8_i4" "8_i8" "8_r4" "8_r8";
    of_one: "norm2_" "r4" "r8" "r10" "r16";
    of_one: "any_" "l1" "l2" "l4" "l8" "l16";
    of_one: "all_" "l1" "l2" "l4" "l8" "l16";
    of_one: "count_" "1_l" "2_l" "4_l" "8_l" "16_l";
    reduced: "caf_co_" "sum" "min" "max" "reduce";
    broadcast: "caf_co_" "broadcast";
    packed: "internal_" "pack";
    defined: "internal_" "unpack";
    defined: "arandom_" "r4" "r8" "r10" "r16";
    random_4: "random_" "r4";
    random_8: "random_" "r8";
    random_16: "random_" "r10" "r16";
}
