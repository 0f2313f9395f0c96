//! Input and output: functions of libgfortran that read and write the variables of statements. Variables of namelists are in
//! `namelists.rs`.

use crate::call::{Call, enclosed, wrapped};
use crate::namelists;
use crate::parameters::{Parameters, STATEMENT};

/// Input defines what it transfers.
const INPUT: bool = true;
const OUTPUT: bool = false;

/// Input or output of a variable: the parameters of the statement, the variable, its bytes.
extern "C" fn variable<const DEFINES: bool>(call: &Call) {
    call.variable(1, call.argument(2) as u32 as usize, DEFINES);
}

/// The same of a complex variable: the bytes are the size of a part.
extern "C" fn complex<const DEFINES: bool>(call: &Call) {
    call.variable(1, 2 * call.argument(2) as u32 as usize, DEFINES);
}

/// The same of characters of some bytes: the statement's parameters, the characters, their number, the bytes of one.
extern "C" fn wide<const DEFINES: bool>(call: &Call) {
    call.text((2, 1), call.argument(3) as u32 as usize, DEFINES);
}

/// The same of an array: the statement's parameters, the array.
extern "C" fn array<const DEFINES: bool>(call: &Call) {
    // SAFETY: the second argument is an array.
    unsafe { call.array(1, DEFINES) };
}

/// READ begins.
extern "C" fn read_statement(call: &Call) {
    let parameters = Parameters::of(call);
    parameters.begin(call);
    parameters.transfer(call, false);
}

/// WRITE begins.
extern "C" fn write_statement(call: &Call) {
    let parameters = Parameters::of(call);
    parameters.begin(call);
    parameters.transfer(call, true);
    namelists::written(call);
}

/// READ is about to be complete: its namelist is read now.
extern "C" fn before_reading(call: &Call) {
    namelists::before_reading(call);
}

/// READ is complete.
extern "C" fn after_reading(call: &Call) {
    namelists::after_reading(call);
    let parameters = Parameters::of(call);
    parameters.variables(call, &[STATEMENT.size]);
    parameters.end(call);
}

/// Another statement begins, or WRITE is about to be complete.
extern "C" fn begin(call: &Call) {
    Parameters::of(call).begin(call);
}

/// A statement is complete.
extern "C" fn end(call: &Call) {
    Parameters::of(call).end(call);
}

/// OPEN is complete.
extern "C" fn opened(call: &Call) {
    let parameters = Parameters::of(call);
    parameters.variables(call, &[STATEMENT.newunit]);
    parameters.end(call);
}

/// OPEN begins: its texts are read.
extern "C" fn opens(call: &Call) {
    let parameters = Parameters::of(call);
    parameters.begin(call);
    parameters.texts(call, STATEMENT.of_open, false);
}

/// INQUIRE is complete: it has defined variables and texts.
extern "C" fn inquired(call: &Call) {
    let parameters = Parameters::of(call);
    parameters.variables(call, STATEMENT.numbers_of_inquire);
    parameters.texts(call, STATEMENT.texts_of_inquire, true);
    parameters.end(call);
}

/// The length of a record is known.
extern "C" fn measured(call: &Call) {
    Parameters::of(call).variables(call, &[STATEMENT.iolength]);
}

wrapped! {
    variable::<OUTPUT>: "transfer_" "integer_write" "real_write" "logical_write" "character_write" "real128_write";
    complex::<OUTPUT>: "transfer_" "complex_write" "complex128_write";
    wide::<OUTPUT>: "transfer_" "character_wide_write";
    array::<OUTPUT>: "transfer_" "array_write";
    variable::<INPUT>: "transfer_" "integer" "real" "logical" "character" "real128";
    complex::<INPUT>: "transfer_" "complex" "complex128";
    wide::<INPUT>: "transfer_" "character_wide";
    array::<INPUT>: "transfer_" "array";
    read_statement: "st_" "read";
    write_statement: "st_" "write";
}

enclosed! {
    before_reading, after_reading: "st_" "read_done";
    begin, end: "st_" "write_done" "close" "rewind" "backspace" "endfile" "flush" "wait";
    opens, opened: "st_" "open";
    begin, inquired: "st_" "inquire";
    begin, measured: "st_" "iolength_done";
}
