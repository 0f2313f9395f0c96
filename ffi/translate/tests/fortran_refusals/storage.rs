//! Statements about storage, function results and entries.

use super::{OBJECTS, compilers, refused, wrong};
use std::path::Path;
use xmp_translate::fortran;

#[test]
fn distributed_arrays_in_statements_about_storage() {
    let of = |statement: &str| {
        format!("real :: d(100), e(100)\n{statement}\n!$xmp align d(i) with t(i)")
    };
    let title = |word: &str| format!("`d` is distributed: it is not allowed in `{word}`");
    let data = "assign the values in a loop, or give the declaration one value: `= 0`";
    refused(&of("data d /100*2.0/"), &title("data"), "d", data);
    refused(&of("data e, (d(j), j = 1, 100) /200*2.0/"), &title("data"), "d", data);
    let pointer = "use one name, or a pointer to the whole array";
    refused(&of("equivalence (e(1), d(1))"), &title("equivalence"), "d", pointer);
}

#[test]
fn a_function_whose_result_is_distributed() {
    for (head, name) in [("function r(k)", "r"), ("function f(k) result(s)", "s")] {
        let program = format!(
            "{OBJECTS}contains\n{head}\nreal :: {name}(100)\n!$xmp align {name}(i) with t(i)\nend function\nend program\n"
        );
        let first = &wrong(&program)[0];
        let title = format!("`{name}` is the result of a function: it cannot be distributed");
        assert_eq!((first.title.as_str(), &program[first.span.clone()]), (title.as_str(), name));
    }
}

/// The part of an array is a pointer in the block: each unit has to have it there.
#[test]
fn distributed_arrays_in_common() {
    let align = "!$xmp align d(i) with t(i)";
    let units = |second: &str| {
        let nodes = "!$xmp nodes q(*)\n!$xmp template t(100)\n!$xmp distribute t(block) onto q\n";
        let first = format!("common /v/ e, d(100)\n{align}\n");
        format!("{OBJECTS}{first}end program\nsubroutine s\n{nodes}{second}\nend subroutine\n")
    };
    let title = "`/v/` has distributed arrays in another unit, and others here";
    for second in [
        "common /v/ e, d(100)".to_owned(),
        format!("common /v/ d(100), e\n{align}"),
        format!("common /v/ e, d(100), f\n{align}"),
    ] {
        let program = units(&second);
        let first = &wrong(&program)[0];
        let marked = second.lines().next().expect("a line");
        assert_eq!((first.title.as_str(), &program[first.span.clone()]), (title, marked));
        assert_eq!(first.help, "declare and align the same arrays in each unit");
    }
    let module = format!(
        "module m\n!$xmp nodes q(*)\n!$xmp template t(100)\n!$xmp distribute t(block) onto q\nreal d\ncommon /v/ d(100)\n{align}\nend module\n"
    );
    let first = &wrong(&module)[0];
    assert_eq!(
        (first.title.as_str(), first.help.as_str()),
        (
            "`d` is distributed: it is not allowed in `common`",
            "make it a variable of a module, which all procedures use"
        )
    );
}

#[test]
fn entries_without_an_argument_that_templates_need() {
    let program = |arguments: &str| {
        format!(
            "subroutine s(a, n)\ninteger :: n\nreal :: a(n)\n!$xmp nodes p(*)\n!$xmp template t(n)\n\
             !$xmp distribute t(block) onto p\n!$xmp align a(i) with t(i)\na(1) = 1\nreturn\n\
             entry e({arguments})\na(2) = 1\nend subroutine\n"
        )
    };
    let without = program("a");
    let first = &wrong(&without)[0];
    assert_eq!(
        (first.title.as_str(), &without[first.span.clone()]),
        ("`n` is no argument of each `entry`", "t(n)")
    );
    let (name, form) = (Path::new("prog.f90"), fortran::Form::Free);
    let with = program("n, a");
    let translated = fortran::translate(name, &with, fortran::Options::of(form), &|_| None);
    compilers::compiles_fortran(&translated.expect("it is translated").text);
}
