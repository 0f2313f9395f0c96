//! Intrinsic subroutines that libgfortran executes, and subroutines that gfortran has besides the standard: the variables that they
//! define or reference.

use crate::call::{Call, wrapped};

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

/// RANDOM_SEED: SIZE=, PUT=, GET=.
fn seed(call: &Call, size: usize) {
    call.variable(0, size, true);
    // SAFETY: the second and the third argument are arrays, or missing.
    unsafe {
        call.array(1, false);
        call.array(2, true);
    }
}

extern "C" fn seed_4(call: &Call) {
    seed(call, 4);
}

extern "C" fn seed_8(call: &Call) {
    seed(call, 8);
}

/// DATE_AND_TIME: three texts, an array, the lengths of the texts.
extern "C" fn date_and_time(call: &Call) {
    [(4, 0), (5, 1), (6, 2)].into_iter().for_each(|text| call.text(text, 1, true));
    // SAFETY: the fourth argument is an array, or missing.
    unsafe { call.array(3, true) };
}

/// MVBITS: FROM, FROMPOS, LEN, TO, TOPOS, of which the first and the fourth have a kind.
fn bits(call: &Call, size: usize) {
    call.variable(0, size, false);
    [1, 2, 4].into_iter().for_each(|number| call.variable(number, 4, false));
    call.variable(3, size, true);
}

extern "C" fn bits_1(call: &Call) {
    bits(call, 1);
}

extern "C" fn bits_2(call: &Call) {
    bits(call, 2);
}

extern "C" fn bits_4(call: &Call) {
    bits(call, 4);
}

extern "C" fn bits_8(call: &Call) {
    bits(call, 8);
}

extern "C" fn bits_16(call: &Call) {
    bits(call, 16);
}

/// GET_COMMAND: the text, LENGTH=, STATUS=, the length of the text.
fn command(call: &Call, size: usize) {
    call.text((3, 0), 1, true);
    [1, 2].into_iter().for_each(|number| call.variable(number, size, true));
}

extern "C" fn command_4(call: &Call) {
    command(call, 4);
}

extern "C" fn command_8(call: &Call) {
    command(call, 8);
}

/// GET_COMMAND_ARGUMENT: the number, the text, LENGTH=, STATUS=, the length of the text.
fn command_argument(call: &Call, size: usize) {
    call.variable(0, size, false);
    call.text((4, 1), 1, true);
    [2, 3].into_iter().for_each(|number| call.variable(number, size, true));
}

extern "C" fn command_argument_4(call: &Call) {
    command_argument(call, 4);
}

extern "C" fn command_argument_8(call: &Call) {
    command_argument(call, 8);
}

/// GET_ENVIRONMENT_VARIABLE: the name, the text, LENGTH=, STATUS=, TRIM_NAME=, the lengths of both texts.
fn environment_variable(call: &Call, size: usize) {
    call.text((5, 0), 1, false);
    call.text((6, 1), 1, true);
    [2, 3].into_iter().for_each(|number| call.variable(number, size, true));
    call.variable(4, size, false);
}

extern "C" fn environment_variable_4(call: &Call) {
    environment_variable(call, 4);
}

extern "C" fn environment_variable_8(call: &Call) {
    environment_variable(call, 8);
}

/// EXECUTE_COMMAND_LINE: the command, WAIT=, EXITSTAT=, CMDSTAT=, CMDMSG=, which errors alone define, the lengths of both texts.
fn command_line(call: &Call, size: usize) {
    call.text((5, 0), 1, false);
    call.variable(1, size, false);
    [2, 3].into_iter().for_each(|number| call.variable(number, size, true));
}

extern "C" fn command_line_4(call: &Call) {
    command_line(call, 4);
}

extern "C" fn command_line_8(call: &Call) {
    command_line(call, 8);
}

/// A text is defined: the characters, their number.
extern "C" fn defined_text(call: &Call) {
    call.text((1, 0), 1, true);
}

/// A text is defined, and a status: the characters, the status, their number.
extern "C" fn text_and_status(call: &Call) {
    call.text((2, 0), 1, true);
    call.variable(1, 4, true);
}

/// A text is defined after another argument: this, the characters, their number.
extern "C" fn second_text(call: &Call) {
    call.text((2, 1), 1, true);
}

/// An array is defined.
extern "C" fn array(call: &Call) {
    // SAFETY: the first argument is an array.
    unsafe { call.array(0, true) };
}

/// An array is defined after another argument.
extern "C" fn second_array(call: &Call) {
    // SAFETY: the second argument is an array.
    unsafe { call.array(1, true) };
}

/// An array and a real number are defined.
extern "C" fn array_and_real(call: &Call) {
    array(call);
    call.variable(1, 4, true);
}

wrapped! {
    random_4: "random_" "r4";
    random_8: "random_" "r8";
    random_16: "random_" "r10" "r16";
    random_4: "cpu_time_" "4";
    random_8: "cpu_time_" "8";
    random_16: "cpu_time_" "10" "16";
    clock_4: "system_clock_" "4";
    clock_8: "system_clock_" "8";
    seed_4: "random_seed_" "i4";
    seed_8: "random_seed_" "i8";
    date_and_time: "date_" "and_time";
    bits_1: "mvbits_" "i1";
    bits_2: "mvbits_" "i2";
    bits_4: "mvbits_" "i4";
    bits_8: "mvbits_" "i8";
    bits_16: "mvbits_" "i16";
    command_4: "get_command_" "i4";
    command_8: "get_command_" "i8";
    command_argument_4: "get_command_argument_" "i4";
    command_argument_8: "get_command_argument_" "i8";
    environment_variable_4: "get_environment_variable_" "i4";
    environment_variable_8: "get_environment_variable_" "i8";
    command_line_4: "execute_command_line_" "i4";
    command_line_8: "execute_command_line_" "i8";
    defined_text: "" "gerror" "getlog" "fdate_sub";
    text_and_status: "" "getcwd_i4_sub" "hostnm_i4_sub" "fget_i4_sub";
    second_text: "" "getarg_i4" "ctime_sub";
    array: "" "itime_i4" "idate_i4";
    second_array: "" "ltime_i4" "gmtime_i4";
    array_and_real: "" "etime_sub" "dtime_sub";
    random_4: "" "second_sub";
}
