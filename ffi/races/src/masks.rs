//! Functions of libgfortran with masks that are scalars, and those for searches and greatest and least characters: as in `arrays.rs`.

use crate::arrays::{of_one, of_one_and_fourth};
use crate::call::{Call, wrapped};

/// Enters the read of a mask that is a scalar. Whether elements are looked at.
fn is_true(call: &Call, number: usize) -> bool {
    let mask = std::ptr::with_exposed_provenance::<i32>(call.argument(number));
    call.variable(number, size_of::<i32>(), false);
    // SAFETY: the argument is null, which selects all elements, or the address of a default logical.
    unsafe { mask.as_ref() }.is_none_or(|&mask| mask != 0)
}

/// A function of an array: the result, the array; the mask is the argument with this number.
fn of_one_with_mask(call: &Call, mask: usize) {
    if is_true(call, mask) {
        return of_one(call);
    }
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, true) };
}

/// The mask follows the array.
extern "C" fn mask_third(call: &Call) {
    of_one_with_mask(call, 2);
}

/// The mask follows the dimension, or the value that is sought.
extern "C" fn mask_fourth(call: &Call) {
    of_one_with_mask(call, 3);
}

/// The mask follows both.
extern "C" fn mask_fifth(call: &Call) {
    of_one_with_mask(call, 4);
}

/// The result, the array, the value, the dimension; a mask that is an array.
extern "C" fn of_one_and_fifth(call: &Call) {
    // SAFETY: the fifth argument is an array as well.
    unsafe { call.array(4, false) };
    of_one(call);
}

/// An array of characters of one dimension, whose result is a value.
extern "C" fn characters(call: &Call) {
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, false) };
}

/// The same with a mask that is an array.
extern "C" fn characters_masked(call: &Call) {
    // SAFETY: the second argument is an array as well.
    unsafe { call.array(1, false) };
    characters(call);
}

/// The same with a value and a mask that is an array.
extern "C" fn characters_sought(call: &Call) {
    // SAFETY: the third argument is an array as well.
    unsafe { call.array(2, false) };
    characters(call);
}

/// The same with a mask that is a scalar.
extern "C" fn characters_or_none(call: &Call) {
    if is_true(call, 1) {
        characters(call);
    }
}

/// The same with a value.
extern "C" fn characters_sought_or_none(call: &Call) {
    if is_true(call, 2) {
        characters(call);
    }
}

/// The greatest or least characters of an array: the result, its length, the array; a character has `SIZE` bytes.
extern "C" fn chosen<const SIZE: usize>(call: &Call) {
    // SAFETY: the third argument is an array.
    unsafe { call.array(2, false) };
    call.text((1, 0), SIZE, true);
}

/// The same with a mask that is an array.
extern "C" fn chosen_masked<const SIZE: usize>(call: &Call) {
    // SAFETY: the fourth argument is an array as well.
    unsafe { call.array(3, false) };
    chosen::<SIZE>(call);
}

/// The same with a mask that is a scalar.
extern "C" fn chosen_or_none<const SIZE: usize>(call: &Call) {
    if is_true(call, 3) {
        return chosen::<SIZE>(call);
    }
    call.text((1, 0), SIZE, true);
}

/// The same along a dimension: the result is an array.
extern "C" fn chosen_along(call: &Call) {
    // SAFETY: the first and the third argument are arrays.
    unsafe {
        call.array(2, false);
        call.array(0, true);
    }
}

/// The same with a mask that is an array.
extern "C" fn chosen_along_masked(call: &Call) {
    // SAFETY: the fifth argument is an array as well.
    unsafe { call.array(4, false) };
    chosen_along(call);
}

/// The same with a mask that is a scalar.
extern "C" fn chosen_along_or_none(call: &Call) {
    if is_true(call, 4) {
        return chosen_along(call);
    }
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, true) };
}

wrapped! {
    mask_fourth: "ssum_" "c4" "c8" "c10" "c16" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    mask_fourth: "sproduct_" "c4" "c8" "c10" "c16" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    mask_fourth: "smaxval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    mask_fourth: "sminval_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16";
    mask_fourth: "siall_" "i1" "i2" "i4" "i8" "i16";
    mask_fourth: "siany_" "i1" "i2" "i4" "i8" "i16";
    mask_fourth: "siparity_" "i1" "i2" "i4" "i8" "i16";
    mask_third: "smaxloc0_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fourth: "smaxloc1_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    characters: "maxloc2_4_" "s1" "s4";
    characters_masked: "mmaxloc2_4_" "s1" "s4";
    characters_or_none: "smaxloc2_4_" "s1" "s4";
    mask_third: "smaxloc0_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fourth: "smaxloc1_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    characters: "maxloc2_8_" "s1" "s4";
    characters_masked: "mmaxloc2_8_" "s1" "s4";
    characters_or_none: "smaxloc2_8_" "s1" "s4";
    mask_third: "smaxloc0_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fourth: "smaxloc1_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    characters: "maxloc2_16_" "s1" "s4";
    characters_masked: "mmaxloc2_16_" "s1" "s4";
    characters_or_none: "smaxloc2_16_" "s1" "s4";
    chosen::<1>: "maxval0_" "s1";
    chosen_masked::<1>: "mmaxval0_" "s1";
    chosen_or_none::<1>: "smaxval0_" "s1";
    chosen::<4>: "maxval0_" "s4";
    chosen_masked::<4>: "mmaxval0_" "s4";
    chosen_or_none::<4>: "smaxval0_" "s4";
    chosen_along: "maxval1_" "s1" "s4";
    chosen_along_masked: "mmaxval1_" "s1" "s4";
    chosen_along_or_none: "smaxval1_" "s1" "s4";
    mask_third: "sminloc0_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fourth: "sminloc1_4_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    characters: "minloc2_4_" "s1" "s4";
    characters_masked: "mminloc2_4_" "s1" "s4";
    characters_or_none: "sminloc2_4_" "s1" "s4";
    mask_third: "sminloc0_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fourth: "sminloc1_8_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    characters: "minloc2_8_" "s1" "s4";
    characters_masked: "mminloc2_8_" "s1" "s4";
    characters_or_none: "sminloc2_8_" "s1" "s4";
    mask_third: "sminloc0_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fourth: "sminloc1_16_" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    characters: "minloc2_16_" "s1" "s4";
    characters_masked: "mminloc2_16_" "s1" "s4";
    characters_or_none: "sminloc2_16_" "s1" "s4";
    chosen::<1>: "minval0_" "s1";
    chosen_masked::<1>: "mminval0_" "s1";
    chosen_or_none::<1>: "sminval0_" "s1";
    chosen::<4>: "minval0_" "s4";
    chosen_masked::<4>: "mminval0_" "s4";
    chosen_or_none::<4>: "sminval0_" "s4";
    chosen_along: "minval1_" "s1" "s4";
    chosen_along_masked: "mminval1_" "s1" "s4";
    chosen_along_or_none: "sminval1_" "s1" "s4";
    of_one_and_fourth: "mfindloc0_" "c4" "c8" "c10" "c16" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    of_one_and_fifth: "mfindloc1_" "c4" "c8" "c10" "c16" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fourth: "sfindloc0_" "c4" "c8" "c10" "c16" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    mask_fifth: "sfindloc1_" "c4" "c8" "c10" "c16" "i1" "i2" "i4" "i8" "i16" "r4" "r8" "r10" "r16" "s1" "s4";
    characters: "findloc2_" "s1" "s4";
    characters_sought: "mfindloc2_" "s1" "s4";
    characters_sought_or_none: "sfindloc2_" "s1" "s4";
}
