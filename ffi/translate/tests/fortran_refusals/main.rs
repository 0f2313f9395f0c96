//! Fortran that cannot be translated is refused with the user's line: exact messages.

#[path = "../compilers/mod.rs"]
mod compilers;
mod directives;
mod io;
mod loops;
mod storage;

use std::path::Path;
use xmp_translate::{diagnostics, fortran};

/// A specification part that the programs below use.
const OBJECTS: &str = "\
program prog
  real :: a(100), b(100, 5), c(100), x
  integer :: i, j, n
  !$xmp nodes p(*)
  !$xmp template t(100)
  !$xmp distribute t(block) onto p
  !$xmp template s(100)
  !$xmp distribute s(cyclic(3)) onto p
  !$xmp align a(i) with t(i)
  !$xmp align b(i, *) with t(i)
  !$xmp align c(i) with s(i)
  !$xmp shadow b(1, 0)
";

/// The messages about a program.
fn wrong(program: &str) -> Vec<diagnostics::Diagnostic> {
    let form = fortran::Form::Free;
    match fortran::translate(Path::new("prog.f90"), program, fortran::Options::of(form), &|_| None)
    {
        Ok(translated) => panic!("it was translated:\n{}", translated.text),
        Err(wrong) => wrong,
    }
}

/// Asserts that these lines after the objects above are refused: title, marked text and help of the first message.
#[track_caller]
fn refused(body: &str, title: &str, marked: &str, help: &str) {
    let program = format!("{OBJECTS}{body}\nend program\n");
    let first = &wrong(&program)[0];
    assert_eq!(
        (first.title.as_str(), &program[first.span.clone()], first.help.as_str()),
        (title, marked, help)
    );
}
