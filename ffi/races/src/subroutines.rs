//! Intrinsic subroutines that libgfortran executes, and subroutines that gfortran has besides the standard: the variables that they
//! define or reference. SIZE is the number of bytes of those that have a kind.

use crate::arrays::defined;
use crate::call::{Call, wrapped};

/// SYSTEM_CLOCK defines up to three variables.
extern "C" fn clock<const SIZE: usize>(call: &Call) {
    (0..3).for_each(|number| call.variable(number, SIZE, true));
}

/// RANDOM_NUMBER, CPU_TIME and SECOND define a variable.
extern "C" fn variable<const SIZE: usize>(call: &Call) {
    call.variable(0, SIZE, true);
}

/// RANDOM_SEED: SIZE=, PUT=, GET=.
extern "C" fn seed<const SIZE: usize>(call: &Call) {
    call.variable(0, SIZE, true);
    // SAFETY: the second and the third argument are arrays, or missing.
    unsafe {
        call.array(1, false);
        call.array(2, true);
    }
}

/// DATE_AND_TIME: three texts, an array, the lengths of the texts.
extern "C" fn date_and_time(call: &Call) {
    [(4, 0), (5, 1), (6, 2)].into_iter().for_each(|text| call.text(text, 1, true));
    // SAFETY: the fourth argument is an array, or missing.
    unsafe { call.array(3, true) };
}

/// MVBITS: FROM, FROMPOS, LEN, TO, TOPOS, of which the first and the fourth have a kind.
extern "C" fn bits<const SIZE: usize>(call: &Call) {
    call.variable(0, SIZE, false);
    [1, 2, 4].into_iter().for_each(|number| call.variable(number, 4, false));
    call.variable(3, SIZE, true);
}

/// GET_COMMAND: the text, LENGTH=, STATUS=, the length of the text.
extern "C" fn command<const SIZE: usize>(call: &Call) {
    call.text((3, 0), 1, true);
    [1, 2].into_iter().for_each(|number| call.variable(number, SIZE, true));
}

/// GET_COMMAND_ARGUMENT: the number, the text, LENGTH=, STATUS=, the length of the text.
extern "C" fn command_argument<const SIZE: usize>(call: &Call) {
    call.variable(0, SIZE, false);
    call.text((4, 1), 1, true);
    [2, 3].into_iter().for_each(|number| call.variable(number, SIZE, true));
}

/// GET_ENVIRONMENT_VARIABLE: the name, the text, LENGTH=, STATUS=, TRIM_NAME=, the lengths of both texts.
extern "C" fn environment_variable<const SIZE: usize>(call: &Call) {
    call.text((5, 0), 1, false);
    call.text((6, 1), 1, true);
    [2, 3].into_iter().for_each(|number| call.variable(number, SIZE, true));
    call.variable(4, SIZE, false);
}

/// EXECUTE_COMMAND_LINE: the command, WAIT=, EXITSTAT=, CMDSTAT=, CMDMSG=, which errors alone define, the lengths of both texts.
extern "C" fn command_line<const SIZE: usize>(call: &Call) {
    call.text((5, 0), 1, false);
    call.variable(1, SIZE, false);
    [2, 3].into_iter().for_each(|number| call.variable(number, SIZE, true));
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

/// An array is defined after another argument.
extern "C" fn second_array(call: &Call) {
    // SAFETY: the second argument is an array.
    unsafe { call.array(1, true) };
}

/// An array and a real number are defined.
extern "C" fn array_and_real(call: &Call) {
    defined(call);
    call.variable(1, 4, true);
}

wrapped! {
    variable::<4>: "random_" "r4";
    variable::<8>: "random_" "r8";
    variable::<16>: "random_" "r10" "r16";
    variable::<4>: "cpu_time_" "4";
    variable::<8>: "cpu_time_" "8";
    variable::<16>: "cpu_time_" "10" "16";
    clock::<4>: "system_clock_" "4";
    clock::<8>: "system_clock_" "8";
    seed::<4>: "random_seed_" "i4";
    seed::<8>: "random_seed_" "i8";
    date_and_time: "date_" "and_time";
    bits::<1>: "mvbits_" "i1";
    bits::<2>: "mvbits_" "i2";
    bits::<4>: "mvbits_" "i4";
    bits::<8>: "mvbits_" "i8";
    bits::<16>: "mvbits_" "i16";
    command::<4>: "get_command_" "i4";
    command::<8>: "get_command_" "i8";
    command_argument::<4>: "get_command_argument_" "i4";
    command_argument::<8>: "get_command_argument_" "i8";
    environment_variable::<4>: "get_environment_variable_" "i4";
    environment_variable::<8>: "get_environment_variable_" "i8";
    command_line::<4>: "execute_command_line_" "i4";
    command_line::<8>: "execute_command_line_" "i8";
    defined_text: "" "gerror" "getlog" "fdate_sub";
    text_and_status: "" "getcwd_i4_sub" "hostnm_i4_sub" "fget_i4_sub";
    second_text: "" "getarg_i4" "ctime_sub";
    defined: "" "itime_i4" "idate_i4";
    second_array: "" "ltime_i4" "gmtime_i4";
    array_and_real: "" "etime_sub" "dtime_sub";
    variable::<4>: "" "second_sub";
}
