//! Array intrinsics of libgfortran. Those with masks besides are in `masks.rs`.

use crate::call::{Call, wrapped};

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

/// A function of one array with the value that moves in, a scalar.
extern "C" fn of_one_and_bound(call: &Call) {
    // SAFETY: the second argument is an array with such elements.
    unsafe { call.element_of(1, 3) };
    of_one(call);
}

/// The same with another array besides.
extern "C" fn of_one_and_third_and_bound(call: &Call) {
    // SAFETY: the third argument is an array as well.
    unsafe { call.array(2, false) };
    of_one_and_bound(call);
}

/// UNPACK with a scalar: the result, the vector, the mask, the scalar.
extern "C" fn unpacked(call: &Call) {
    // SAFETY: the second argument is an array with such elements.
    unsafe { call.element_of(1, 3) };
    of_one_and_third(call);
}

/// RESHAPE: the result, the array, the shape; the filling and the order, if they are there.
extern "C" fn reshaped(call: &Call) {
    // SAFETY: the fifth argument is null or an array.
    unsafe { call.array(4, false) };
    of_three(call);
}

/// An intrinsic function of an array of characters: the result, its length, the array.
extern "C" fn of_characters(call: &Call) {
    // SAFETY: the first and the third argument are arrays.
    unsafe {
        call.array(2, false);
        call.array(0, true);
    }
}

/// The same with another array.
extern "C" fn of_characters_and_fourth(call: &Call) {
    // SAFETY: the fourth argument is an array as well.
    unsafe { call.array(3, false) };
    of_characters(call);
}

/// The same with an array after a scalar.
extern "C" fn of_characters_and_fifth(call: &Call) {
    // SAFETY: the fifth argument is null or an array.
    unsafe { call.array(4, false) };
    of_characters(call);
}

/// The same with two further arrays, of which the last one may be missing.
extern "C" fn of_three_of_characters(call: &Call) {
    // SAFETY: the fourth argument is an array as well.
    unsafe { call.array(3, false) };
    of_characters_and_fifth(call);
}

/// RESHAPE of characters.
extern "C" fn reshaped_characters(call: &Call) {
    // SAFETY: the sixth argument is null or an array.
    unsafe { call.array(5, false) };
    of_three_of_characters(call);
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
pub extern "C" fn defined(call: &Call) {
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, true) };
}

/// A copy of a scalar is spread: the result, the scalar.
extern "C" fn of_scalar(call: &Call) {
    // SAFETY: the first argument is an array of such elements.
    unsafe {
        call.element_of(0, 1);
        call.array(0, true);
    }
}

/// A copy of characters is spread: the result, the number of bytes or characters, the characters.
extern "C" fn of_scalar_characters(call: &Call) {
    // SAFETY: the first argument is an array of such elements.
    unsafe {
        call.element_of(0, 2);
        call.array(0, true);
    }
}

wrapped! {
    of_two: "matmul_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "c4" "c8" "c10" "c16" "l4" "l8" "l16";
    of_three: "pack" "";
    of_one_and_fourth: "pack" "_s";
    unpacked: "unpack" "0";
    of_three: "unpack" "1";
    reshaped: "reshape" "" "_4" "_8" "_16" "_r4" "_r8" "_r10" "_r16" "_c4" "_c8" "_c10" "_c16";
    of_one: "spread" "";
    of_one: "cshift" "0_1" "0_2" "0_4" "0_8" "0_16";
    of_one_and_third: "cshift" "1_4" "1_8" "1_16";
    of_one_and_bound: "eoshift" "0_1" "0_2" "0_4" "0_8" "0_16";
    of_one_and_third_and_bound: "eoshift" "1_4" "1_8" "1_16";
    of_one_and_fourth: "eoshift" "2_1" "2_2" "2_4" "2_8" "2_16";
    of_three: "eoshift" "3_4" "3_8" "3_16";
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
    of_three_of_characters: "pack_" "char" "char4";
    of_characters_and_fifth: "pack_" "s_char" "s_char4";
    of_characters_and_fourth: "unpack" "0_char" "0_char4";
    of_three_of_characters: "unpack" "1_char" "1_char4";
    reshaped_characters: "reshape_" "char";
    of_characters: "spread_" "char";
    of_characters: "cshift" "0_1_char" "0_2_char" "0_4_char" "0_8_char" "0_16_char";
    of_characters_and_fourth: "cshift" "1_4_char" "1_8_char" "1_16_char";
    of_characters: "eoshift" "0_1_char" "0_2_char" "0_4_char" "0_8_char" "0_16_char";
    of_characters_and_fourth: "eoshift" "1_4_char" "1_8_char" "1_16_char";
    of_characters_and_fifth: "eoshift" "2_1_char" "2_2_char" "2_4_char" "2_8_char" "2_16_char";
    of_three_of_characters: "eoshift" "3_4_char" "3_8_char" "3_16_char";
    reshaped_characters: "reshape_" "char4";
    of_characters: "spread_" "char4";
    of_characters: "cshift" "0_1_char4" "0_2_char4" "0_4_char4" "0_8_char4" "0_16_char4";
    of_characters_and_fourth: "cshift" "1_4_char4" "1_8_char4" "1_16_char4";
    of_characters: "eoshift" "0_1_char4" "0_2_char4" "0_4_char4" "0_8_char4" "0_16_char4";
    of_characters_and_fourth: "eoshift" "1_4_char4" "1_8_char4" "1_16_char4";
    of_characters_and_fifth: "eoshift" "2_1_char4" "2_2_char4" "2_4_char4" "2_8_char4" "2_16_char4";
    of_three_of_characters: "eoshift" "3_4_char4" "3_8_char4" "3_16_char4";
    packed: "internal_" "pack";
    defined: "internal_" "unpack";
    defined: "arandom_" "m1" "m2" "m4" "m8" "m16" "r4" "r8" "r10" "r16";
    of_scalar: "spread_" "scalar";
    of_scalar_characters: "spread_" "char_scalar" "char4_scalar";
}
