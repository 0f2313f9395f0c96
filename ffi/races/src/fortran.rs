//! Functions of libgfortran that read and write variables of the program, which the compiler has not instrumented: input, output and array
//! intrinsics. Those with masks besides are in `masks.rs`, namelists in `namelists.rs`.

use crate::call::{Call, wrapped};
use crate::copies::enter;
use crate::descriptor::Array;
use crate::namelists;

/// Output of a variable: the parameters of the statement, the variable, its bytes.
extern "C" fn output(call: &Call) {
    call.variable(1, call.argument(2) as u32 as usize, false);
}

/// Output of a complex variable: the bytes are the size of a part.
extern "C" fn output_complex(call: &Call) {
    call.variable(1, 2 * call.argument(2) as u32 as usize, false);
}

/// Output of characters of some bytes: the statement's parameters, the characters, their number, the bytes of one.
extern "C" fn output_wide(call: &Call) {
    call.text((2, 1), call.argument(3) as u32 as usize, false);
}

/// Output of an array: the statement's parameters, the array.
extern "C" fn output_array(call: &Call) {
    // SAFETY: the second argument is an array.
    unsafe { call.array(1, false) };
}

extern "C" fn input(call: &Call) {
    call.variable(1, call.argument(2) as u32 as usize, true);
}

extern "C" fn input_complex(call: &Call) {
    call.variable(1, 2 * call.argument(2) as u32 as usize, true);
}

extern "C" fn input_wide(call: &Call) {
    call.text((2, 1), call.argument(3) as u32 as usize, true);
}

extern "C" fn input_array(call: &Call) {
    // SAFETY: the second argument is an array.
    unsafe { call.array(1, true) };
}

/// Input and output: the statement's parameters. An internal file is a variable of the program; of an array of records only the first
/// one is entered, because each statement accesses it.
fn transferred(call: &Call, writes: bool) {
    /// A bit of the flags.
    const HAS_INTERNAL_FILE: u32 = 1 << 14;
    /// The unit of an internal file of characters of 4 bytes.
    const OF_KIND_4: i32 = -2;
    let field = |offset: usize| {
        std::ptr::with_exposed_provenance::<u8>(call.argument(0)).wrapping_add(offset)
    };
    // SAFETY: the parameters of a statement, as gfortran 8 and later lay them out (libgfortran/io/io.h, st_parameter_dt).
    unsafe {
        if field(0).cast::<u32>().read() & HAS_INTERNAL_FILE == 0 {
            return;
        }
        let of_character = if field(4).cast::<i32>().read() == OF_KIND_4 { 4 } else { 1 };
        let (start, len) = (field(112).cast::<usize>().read(), field(120).cast::<usize>().read());
        enter(start, len * of_character, writes, call.place);
    }
}

/// READ.
extern "C" fn read_statement(call: &Call) {
    transferred(call, false);
}

/// WRITE.
extern "C" fn write_statement(call: &Call) {
    transferred(call, true);
    namelists::written(call);
}

/// An intrinsic function of an array: the result, the array. The scalars after them are not entered.
pub extern "C" fn of_one(call: &Call) {
    // SAFETY: the first two arguments are arrays.
    unsafe {
        call.array(1, false);
        call.array(0, true);
    }
}

/// The same with a mask or another array.
extern "C" fn of_one_and_third(call: &Call) {
    // SAFETY: the third argument is an array as well.
    unsafe { call.array(2, false) };
    of_one(call);
}

/// The same with a mask after the dimension.
pub extern "C" fn of_one_and_fourth(call: &Call) {
    // SAFETY: the fourth argument is an array as well.
    unsafe { call.array(3, false) };
    of_one(call);
}

/// The same with two further arrays, of which the last one may be missing.
extern "C" fn of_three(call: &Call) {
    // SAFETY: the fourth argument is null or an array.
    unsafe { call.array(3, false) };
    of_one_and_third(call);
}

/// An intrinsic function of an array of characters: the result, its length, the array.
extern "C" fn of_characters(call: &Call) {
    // SAFETY: the first and the third argument are arrays.
    unsafe {
        call.array(2, false);
        call.array(0, true);
    }
}

/// Two texts: length and characters of each.
extern "C" fn two_texts(call: &Call) {
    call.text((0, 1), 1, false);
    call.text((2, 3), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn two_texts_4(call: &Call) {
    call.text((0, 1), 4, false);
    call.text((2, 3), 4, false);
}

/// A text: its length and characters.
extern "C" fn text(call: &Call) {
    call.text((0, 1), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn text_4(call: &Call) {
    call.text((0, 1), 4, false);
}

/// A text after two other arguments: its length and characters.
extern "C" fn third_text(call: &Call) {
    call.text((2, 3), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn third_text_4(call: &Call) {
    call.text((2, 3), 4, false);
}

/// SELECT CASE of a text: two other arguments, the characters, their number.
extern "C" fn selected(call: &Call) {
    call.text((3, 2), 1, false);
}

/// The same with characters of 4 bytes.
extern "C" fn selected_4(call: &Call) {
    call.text((3, 2), 4, false);
}

/// A text is made of another one: the result, the length, the text.
extern "C" fn adjusted(call: &Call) {
    call.text((1, 2), 1, false);
    call.text((1, 0), 1, true);
}

/// The same with characters of 4 bytes.
extern "C" fn adjusted_4(call: &Call) {
    call.text((1, 2), 4, false);
    call.text((1, 0), 4, true);
}

/// A text is made of two others: length and characters of each.
extern "C" fn concatenated(call: &Call) {
    call.text((2, 3), 1, false);
    call.text((4, 5), 1, false);
    call.text((0, 1), 1, true);
}

/// The same with characters of 4 bytes.
extern "C" fn concatenated_4(call: &Call) {
    call.text((2, 3), 4, false);
    call.text((4, 5), 4, false);
    call.text((0, 1), 4, true);
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

/// A copy of a scalar is spread: the result, the scalar.
extern "C" fn of_scalar(call: &Call) {
    // SAFETY: the first argument is an array of such elements.
    unsafe {
        let array = std::ptr::with_exposed_provenance::<Array>(call.argument(0));
        if let Some(array) = array.as_ref() {
            call.variable(1, array.element(), false);
        }
        call.array(0, true);
    }
}

/// SYSTEM_CLOCK defines up to three variables.
extern "C" fn clock_4(call: &Call) {
    (0..3).for_each(|number| call.variable(number, 4, true));
}

extern "C" fn clock_8(call: &Call) {
    (0..3).for_each(|number| call.variable(number, 8, true));
}

/// RANDOM_NUMBER and CPU_TIME define a variable.
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
    output_wide: "transfer_" "character_wide_write";
    output_array: "transfer_" "array_write";
    input: "transfer_" "integer" "real" "logical" "character" "real128";
    input_complex: "transfer_" "complex" "complex128";
    input_wide: "transfer_" "character_wide";
    input_array: "transfer_" "array";
    of_two: "matmul_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16" "l4" "l8" "l16";
    read_statement: "st_" "read";
    write_statement: "st_" "write";
    of_three: "pack" "";
    of_one_and_fourth: "pack" "_s";
    of_one_and_third: "unpack" "0";
    of_three: "unpack" "1";
    of_one: "reshape" "" "_4" "_8" "_16" "_r4" "_r8" "_r10" "_r16" "_c4" "_c8" "_c10" "_c16";
    of_one: "spread" "";
    of_one: "cshift" "0_1" "0_2" "0_4" "0_8" "0_16" "1_4" "1_8" "1_16";
    of_one: "eoshift" "0_1" "0_2" "0_4" "0_8" "0_16" "1_4" "1_8" "1_16" "2_1" "2_2" "2_4" "2_8" "2_16" "3_4" "3_8" "3_16";
    of_one: "sum_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one_and_fourth: "msum_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one: "product_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one_and_fourth: "mproduct_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16";
    of_one: "maxval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one_and_fourth: "mmaxval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one: "minval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one_and_fourth: "mminval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    of_one: "iall_" "i1" "i2" "i4" "i8" "i16";
    of_one_and_fourth: "miall_" "i1" "i2" "i4" "i8" "i16";
    of_one: "iany_" "i1" "i2" "i4" "i8" "i16";
    of_one_and_fourth: "miany_" "i1" "i2" "i4" "i8" "i16";
    of_one: "iparity_" "i1" "i2" "i4" "i8" "i16";
    of_one_and_fourth: "miparity_" "i1" "i2" "i4" "i8" "i16";
    of_one: "maxloc0_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "maxloc1_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_third: "mmaxloc0_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_fourth: "mmaxloc1_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "maxloc0_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "maxloc1_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_third: "mmaxloc0_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_fourth: "mmaxloc1_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "maxloc0_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "maxloc1_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_third: "mmaxloc0_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_fourth: "mmaxloc1_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "minloc0_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "minloc1_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_third: "mminloc0_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_fourth: "mminloc1_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "minloc0_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "minloc1_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_third: "mminloc0_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_fourth: "mminloc1_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "minloc0_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "minloc1_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_third: "mminloc0_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_fourth: "mminloc1_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one: "findloc0_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16" "s1" "s4";
    of_one: "findloc1_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16" "s1" "s4";
    of_one: "norm2_" "r4" "r8" "r10" "r16";
    of_one: "any_" "l1" "l2" "l4" "l8" "l16";
    of_one: "all_" "l1" "l2" "l4" "l8" "l16";
    of_one: "parity_" "l1" "l2" "l4" "l8" "l16";
    of_one: "count_" "1_l" "2_l" "4_l" "8_l" "16_l";
    of_characters: "pack_" "char" "s_char";
    of_characters: "unpack" "0_char" "1_char";
    of_characters: "reshape_" "char";
    of_characters: "spread_" "char";
    of_characters: "cshift" "0_1_char" "0_2_char" "0_4_char" "0_8_char" "0_16_char" "1_4_char" "1_8_char" "1_16_char";
    of_characters: "eoshift" "0_1_char" "0_2_char" "0_4_char" "0_8_char" "0_16_char" "1_4_char" "1_8_char" "1_16_char" "2_1_char" "2_2_char" "2_4_char" "2_8_char" "2_16_char" "3_4_char" "3_8_char" "3_16_char";
    of_characters: "pack_" "char4" "s_char4";
    of_characters: "unpack" "0_char4" "1_char4";
    of_characters: "reshape_" "char4";
    of_characters: "spread_" "char4";
    of_characters: "cshift" "0_1_char4" "0_2_char4" "0_4_char4" "0_8_char4" "0_16_char4" "1_4_char4" "1_8_char4" "1_16_char4";
    of_characters: "eoshift" "0_1_char4" "0_2_char4" "0_4_char4" "0_8_char4" "0_16_char4" "1_4_char4" "1_8_char4" "1_16_char4" "2_1_char4" "2_2_char4" "2_4_char4" "2_8_char4" "2_16_char4" "3_4_char4" "3_8_char4" "3_16_char4";
    two_texts: "compare_string" "";
    two_texts: "string_" "index" "scan" "verify";
    text: "string_" "len_trim";
    third_text: "string_" "trim";
    selected: "select_string" "";
    adjusted: "adjust" "l" "r";
    concatenated: "concat_string" "";
    two_texts_4: "compare_string" "_char4";
    two_texts_4: "string_" "index_char4" "scan_char4" "verify_char4";
    text_4: "string_" "len_trim_char4";
    third_text_4: "string_" "trim_char4";
    selected_4: "select_string" "_char4";
    adjusted_4: "adjust" "l_char4" "r_char4";
    concatenated_4: "concat_string" "_char4";
    packed: "internal_" "pack";
    defined: "internal_" "unpack";
    defined: "arandom_" "r4" "r8" "r10" "r16";
    of_scalar: "spread_" "scalar";
    random_4: "random_" "r4";
    random_8: "random_" "r8";
    random_16: "random_" "r10" "r16";
    random_4: "cpu_time_" "4";
    random_8: "cpu_time_" "8";
    random_16: "cpu_time_" "10" "16";
    clock_4: "system_clock_" "4";
    clock_8: "system_clock_" "8";
}
