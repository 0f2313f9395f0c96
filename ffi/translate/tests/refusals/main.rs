//! Sources that cannot be translated are refused with the user's line: exact messages.

mod coarrays;
#[path = "../compilers/mod.rs"]
mod compilers;
mod directives;
mod loops;
mod macros;
mod mappings;
mod pointers;

use std::path::Path;
use xmp_translate::{c, diagnostics};

/// Objects that the programs below use.
const OBJECTS: &str = "\
#pragma xmp nodes p[*]
#pragma xmp template t[100]
#pragma xmp distribute t[block] onto p
double a[100], b[100][5], x;
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i][*] with t[i]
#pragma xmp shadow b[1][0]
";

/// What a program becomes.
fn translated(program: &str) -> Result<String, Vec<diagnostics::Diagnostic>> {
    c::translate(Path::new("prog.c"), program, c::Options::default())
}

/// Checks that a program is translated, to one that is compiled.
#[track_caller]
fn accepted(program: &str) {
    match translated(program) {
        Ok(text) => compilers::compiles_c(&text),
        Err(wrong) => panic!("{}", diagnostics::render("prog.c", program, &wrong, false)),
    }
}

/// The messages about a program.
fn messages(program: &str) -> String {
    match translated(program) {
        Ok(text) => panic!("it was translated:\n{text}"),
        Err(wrong) => diagnostics::render("prog.c", program, &wrong, false),
    }
}

/// The help where a directive has no statement.
const STATEMENT: &str =
    "write the statement that it applies to after it; a macro for it has to be written out";

/// Asserts that these lines in a function with the objects above are refused: title, marked text and help of the first
/// message.
#[track_caller]
fn refused(body: &str, title: &str, marked: &str, help: &str) {
    let program = format!("{OBJECTS}void f(int n, double *q)\n{{\n    int i, j;\n{body}\n}}\n");
    let wrong = translated(&program).expect_err("it is refused");
    let first = &wrong[0];
    assert_eq!(
        (first.title.as_str(), &program[first.span.clone()], first.help.as_str()),
        (title, marked, help)
    );
}
