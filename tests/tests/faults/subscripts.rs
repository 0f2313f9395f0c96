//! Subscripts and cosubscripts out of their bounds.

use super::{ACCESSORS, SOON, ends_with_message};
use xmp_tests::exceptions::left_out_with;
use xmp_tests::mistakes::Mistakes;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Program, Run};

#[test]
fn transfers_beyond_the_coarray() {
    if left_out_with(15.., "bounds of transfers", ACCESSORS) {
        return;
    }
    for (operation, name) in [
        ("put", "put"),
        ("put-section", "put"),
        ("put-below", "put"),
        ("put-allocatable", "put"),
        ("put-vector", "put"),
        ("get", "get"),
        ("get-section", "get"),
        ("get-reversed", "get"),
        ("get-vector", "get"),
        ("between", ""),
    ] {
        let words = [name, "subscript ", " of dimension 1 is not in "];
        ends_with_message("faults/out_of_bounds", &[operation], &words);
    }
}

/// Messages had the numbers of bytes.
#[test]
fn subscripts_of_coarrays_without_elements_are_named() {
    if left_out_with(15.., "bounds of transfers", ACCESSORS) {
        return;
    }
    for (operation, words) in [
        ("put", "put to a(1)[1]: subscript 1 of dimension 1 is not in 1:0"),
        ("get", "get from a(1)[1]: subscript 1 of dimension 1 is not in 1:0"),
        ("section", "put to a(1:2)[1]: subscript 1 of dimension 1 is not in 1:0"),
        ("static", "put to s(2)[1]: subscript 2 of dimension 1 is not in 1:0"),
        ("column", "put to m(1:3, 1)[1]: subscript 1 of dimension 2 is not in 1:0"),
        ("row", "get from r[1]: the coarray has no elements"),
    ] {
        ends_with_message("faults/empty_coarrays", &[operation], &[words]);
    }
}

#[test]
fn atomics_locks_and_events_beyond_the_coarray() {
    for (operation, name) in [
        ("atomic-add", "atomic"),
        ("atomic-ref", "atomic"),
        ("lock", "lock"),
        ("event-post", "event post"),
        ("event-wait", "event wait"),
    ] {
        let words = [name, "(13)", "subscript 13 of dimension 1 is not in 1:"];
        ends_with_message("faults/out_of_bounds", &[operation], &words);
    }
}

#[test]
fn wrong_accesses_through_components_are_named() {
    let program = Program::fortran("faults/components").build();
    let outcome = Run::new(&program).images(2).args(["image"]).finish();
    outcome.exited_with(1).stdout_is("").stderr_line_with(&["get", "image index 9", "1:2"]);
    if left_out_with(15.., "components that are not there", ACCESSORS) {
        return;
    }
    for (case, words) in [
        ("unallocated", ["get from c[2]%x: ", "a component on image 2", "not allocated"]),
        ("bounds", ["get from c[1]%x(2:4): ", "subscript 4 of dimension 1", "1:3"]),
        ("element", ["get from c[1]%x(0): ", "subscript 0 of dimension 1", "1:3"]),
        ("put", ["put to c[2]%x: ", "a component on image 2", "not allocated"]),
        ("array", ["put to cs(4)[1]%x(2): ", "subscript 4 of dimension 1 is not in", "1:3"]),
        ("fixed", ["put to cs(3)[1]%k(1, 3): ", "subscript 3 of dimension 2 is not in", "1:2"]),
        ("shape", ["put to c[1]%x: ", "(3) at the destination", "(2) at the source"]),
    ] {
        let outcome = Run::new(&program).images(2).args([case]).finish();
        outcome.exited_with(1).stdout_is("");
        outcome.stderr_line_with(&words);
    }
    let outcome = Run::new(&program).images(2).args(["stat"]).finish();
    outcome.exited_with(0).stdout_is("done\n");
    let outcome = Run::new(&program).images(2).args(["surplus"]).finish();
    let words = ["image 1: warning: put", "[2] at the destination", "[3] at the source"];
    outcome.exited_with(0).stdout_is("done\n").stderr_line_with(&words);
}

/// Subscripts of the program `dimensions` that leave a dimension, and not the coarray, and what image 1 reports.
const DIMENSIONS: [(&str, &str); 12] = [
    ("vector", "put to a([1, 2, 12], 3)[2]: subscript 12 of dimension 1 is not in 1:10"),
    ("vector-get", "get from a([1, 2, 12], 3)[2]: subscript 12 of dimension 1 is not in 1:10"),
    ("vector-static", "put to s([1, 2, 12], 3)[2]: subscript 12 of dimension 1 is not in 1:10"),
    (
        "vector-beside",
        "put to a([1, 2], [1, 2, 12])[2]: subscript 12 of dimension 2 is not in 1:10",
    ),
    ("range-beside", "put to a(10:12, [1, 2])[2]: subscript 12 of dimension 1 is not in 1:10"),
    (
        "columns",
        "put to a(1:12, 1:3)[2]: subscript 11 of dimension 1 is not in 1:10 (the same addresses are a(-9:2, 2:4)[2])",
    ),
    (
        "columns-static",
        "put to s(1:12, 1:3)[2]: subscript 11 of dimension 1 is not in 1:10 (the same addresses are s(-9:2, 2:4)[2])",
    ),
    ("columns-get", "get from a(1:12, 1:3)[2]: subscript 11 of dimension 1 is not in 1:10 (the"),
    ("scalar", "put to a(8:12, 3)[2]: subscript 11 of dimension 1 is not in 1:10 (the"),
    (
        "before",
        "put to a(10:13, 2)[2]: subscript 11 of dimension 1 is not in 1:10 (the same addresses are a(0:3, 3)[2])",
    ),
    ("step", "put to a(2:12:5, 3)[2]: subscript 12 of dimension 1 is not in 1:10 (the"),
    ("converted", "put to a(1:12, 3)[2]: subscript 11 of dimension 1 is not in 1:10 (the"),
];

#[test]
fn sections_that_leave_a_dimension_and_not_the_coarray_are_errors() {
    if left_out_with(15.., "subscripts of coindexed objects", ACCESSORS) {
        return;
    }
    let program = Program::fortran("faults/dimensions").argument("-O0").build();
    for hosts in [1, 2] {
        for (case, message) in DIMENSIONS {
            let run = Run::new(&program).images(2).virtual_hosts(hosts).args([case]);
            let outcome = run.finish();
            outcome.exited_with(1).stdout_is("").stderr_line_with(&["image 1", message]);
        }
        let run = Run::new(&program).images(2).virtual_hosts(hosts).args(["right"]);
        run.finish().succeeded().stdout_is("done\n");
    }
}

#[test]
fn a_vector_subscript_in_an_expression_that_gfortran_passes_wrongly_is_named_with_what_to_write() {
    if left_out_with(13.., "faults/vector_expression", "what it passes was not tried") {
        return;
    }
    let program = Program::fortran("faults/vector_expression").argument("-O0").build();
    for case in ["static", "allocatable", "matrix"] {
        let outcome = Run::new(&program).images(2).args([case]).finish();
        let words = [
            "image 1: get from ",
            "[2]: the compiler has passed the address of another object",
            "t = a(v)[i]",
        ];
        outcome.exited_with(1).stdout_is("").stderr_line_with(&words);
    }
    Run::new(&program).images(2).args(["right"]).finish().succeeded().stdout_is("done\n");
}

#[test]
fn a_transfer_of_which_one_side_alone_has_elements_is_an_error() {
    let program = Program::fortran("faults/no_elements").build();
    for (case, shapes) in [
        ("put", "(3) at the destination, (0) at the source"),
        ("get", "(0) at the destination, (3) at the source"),
        ("copy", "(3) at the destination, (0) at the source"),
    ] {
        let outcome = Run::new(&program).images(2).args([case]).finish();
        outcome.exited_with(1).stdout_is("").stderr_line_with(&["do not conform", shapes]);
    }
    Run::new(&program).images(2).args(["right"]).finish().succeeded().stdout_is("done\n");
}

#[test]
fn a_section_with_a_step_as_vector_subscript_is_an_error_with_what_to_write() {
    if left_out_with(13.., "faults/vector_expression", "what it passes was not tried") {
        return;
    }
    let program = Program::fortran("faults/vector_expression").argument("-O0").build();
    for (case, what) in [("step-get", "get from "), ("step-put", "put to ")] {
        let outcome = Run::new(&program).images(2).args([case]).finish();
        let words = [
            "image 1: ",
            what,
            "the shapes do not conform",
            "a vector subscript is a section with a step, as in a(v(1:5:2))[i]",
            "w = v(1:5:2), and write a(w)[i]",
        ];
        outcome.exited_with(1).stdout_is("").stderr_line_with(&words);
    }
    Run::new(&program).images(2).args(["step-right"]).finish().succeeded().stdout_is("done\n");
}

/// Subscripts of the same program that leave a dimension, and not the coarray: the forms that gfortran alone does not find, or not without
/// its option. Whether each is found always; with `--check=bounds` all are.
const FORMS: [(&str, bool); 9] = [
    ("element", false),
    ("element-before", false),
    ("column", false),
    ("column-before", false),
    ("columns", true),
    ("vector", true),
    ("vector-get", true),
    ("beside", false),
    ("beside-get", false),
];

#[test]
fn with_the_check_of_bounds_all_wrong_subscripts_are_found() {
    if left_out_with(15.., "subscripts of coindexed objects", ACCESSORS) {
        return;
    }
    let build = |program: Program| program.argument("-O0").build();
    let always = build(Program::fortran("faults/dimensions"));
    let checked = build(Program::fortran("faults/dimensions").argument("--check=bounds"));
    for (case, is_found_always) in FORMS {
        for (program, is_found) in [(&always, is_found_always), (&checked, true)] {
            let outcome = Run::new(program).images(2).args([case]).finish();
            if is_found {
                outcome.stdout_is("");
                assert_ne!(outcome.status.code(), Some(0), "{case}: {}", outcome.stderr);
                let says = ["of dimension 1", "imension 1 of array"];
                let is_said = says.iter().any(|words| outcome.stderr.contains(words));
                assert!(is_said, "{case}: {}", outcome.stderr);
            } else {
                outcome.succeeded().stdout_is("done\n");
            }
        }
    }
    Run::new(&checked).images(2).args(["right"]).finish().succeeded().stdout_is("done\n");
}

/// The program calls a function of the library that has no binding label.
#[test]
fn the_check_of_bounds_goes_with_other_names_of_procedures() {
    for option in ["-fsecond-underscore", "-fno-underscoring"] {
        let program = Program::fortran("faults/dimensions").argument("--check=bounds");
        let program = program.argument("-O0").argument(option).build();
        let run = |case: &str| Run::new(&program).images(2).args([case]).finish();
        run("right").succeeded().stdout_is("done\n");
        run("beside").exited_with(1).stderr_line_with(&["dimensions.f90:", "of dimension 1"]);
    }
}

/// gfortran passes 0 for image index 0, and where there is no image selector or no `result_image=`; and no cobounds.
#[test]
fn with_the_check_of_bounds_wrong_cosubscripts_and_image_index_0_are_found() {
    let program = Program::fortran("faults/cosubscripts").argument("--check=bounds").build();
    for (case, words) in [
        ("post", "ready[me - 1]: cosubscript 0 of codimension 1 is below the lower cobound, 1"),
        ("lock", "guard[me - 1]: cosubscript 0 of codimension 1 is below the lower cobound, 1"),
        ("unlock", "guard[me - 1]: cosubscript 0 of codimension 1 is below the lower cobound, 1"),
        (
            "atomic",
            "counter[me - 2]: cosubscript -1 of codimension 1 is below the lower cobound, 0",
        ),
        ("beyond", "u[3, 1]: cosubscript 3 of codimension 1 is above the upper cobound, 2"),
        (
            "wide",
            "x(1)[wide]: cosubscript 4294967297 of codimension 1 is greater than any image index",
        ),
        ("below", " of codimension 1 is below the lower cobound, 1"),
        ("result", "co_sum: result_image=0 is no image index"),
        ("position", "co_max: result_image=0 is no image index"),
    ] {
        let outcome = Run::new(&program).images(4).args([case]).finish();
        outcome.exited_with(1).stdout_is("");
        outcome.stderr_line_with(&["cosubscripts.f90:", words]);
    }
    for (images, hosts) in [(2, 1), (4, 1), (7, 1), (4, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts).args(["right"]);
        run.finish().succeeded().stdout_is("done\n");
    }
    // The first line of a statement, and not what the checks have made of it.
    let outcome = Run::new(&program).images(2).args(["beyond"]).finish();
    outcome.exited_with(1).stderr_line_with(&["cosubscripts.f90:42: "]);
}

/// Which of the values an element has afterwards is not defined, and nothing told so.
#[test]
fn with_xmp_check_a_put_by_a_vector_subscript_with_a_value_twice_is_an_error() {
    if left_out_with(15.., "puts by vector subscripts", ACCESSORS) {
        return;
    }
    let program = Program::fortran("faults/same_element").argument("-O0");
    let source = crate_dir().join("fortran/faults/same_element.f90");
    let mistakes = Mistakes::of(&program, &source);
    for (what, dimension) in [("array", 1), ("value", 1), ("matrix", 2), ("allocatable", 1)] {
        for hosts in [1, 2] {
            let outcome = mistakes.run(what, 2, hosts).env("XMP_CHECK", "1").finish();
            let fault = format!(
                "the vector subscript of dimension {dimension} has the value 3 more than once"
            );
            let place = mistakes.with_lines(&format!("{{{what}}}: image 1: "));
            outcome.exited_with(1).within(SOON).stdout_is("").stderr_line_with(&[&place, &fault]);
        }
    }
    for hosts in [1, 2] {
        let outcome = mistakes.run("good", 2, hosts).env("XMP_CHECK", "1").finish();
        outcome.succeeded().stdout_is("went on\nwent on\n");
    }
}

/// The message counted bytes, and had no subscripts.
#[test]
fn a_get_that_allocates_its_variable_is_reported_with_its_subscripts() {
    if left_out_with(15.., "bounds of transfers", ACCESSORS) {
        return;
    }
    let program = Program::fortran("faults/allocated_by_get").argument("-O0");
    let source = crate_dir().join("fortran/faults/allocated_by_get.f90");
    let mistakes = Mistakes::of(&program, &source);
    for (what, fault) in [
        ("before", "a(0:3)[1]: subscript 0 of dimension 1 is not in 1:10"),
        ("beyond", "a(3:13:2)[1]: subscript 11 of dimension 1 is not in 1:10"),
        ("lower bound", "b(1:10)[1]: subscript 5 of dimension 1 is not in 0:4"),
        ("row", "m(2, 7:10)[1]: subscript 9 of dimension 2 is not in -1:8"),
        ("matrix", "m(2:3, 7:10)[1]: subscript 9 of dimension 2 is not in -1:8"),
        ("whole columns", "m(1:10, 10)[1]: subscript 10 of dimension 2 is not in -1:8"),
    ] {
        for hosts in [1, 2] {
            let outcome = mistakes.run(what, 2, hosts).finish();
            let place = mistakes.with_lines(&format!("{{{what}}}: image 2: get from "));
            outcome.exited_with(1).within(SOON).stderr_line_with(&[&place, fault]);
        }
    }
}

/// A section went on in the next object, without a message.
#[test]
fn sections_of_array_components_that_leave_their_object_are_errors() {
    if left_out_with(15.., "bounds of transfers", ACCESSORS) {
        return;
    }
    let program = Program::fortran("faults/component_sections").argument("-O0");
    let source = crate_dir().join("fortran/faults/component_sections.f90");
    let mistakes = Mistakes::of(&program, &source);
    for (what, operation) in
        [("put", "put to c"), ("get", "get from c"), ("allocatable", "put to a")]
    {
        for hosts in [1, 2] {
            let outcome = mistakes.run(what, 2, hosts).finish();
            let place = mistakes.with_lines(&format!("{{{what}}}: image 2: {operation}"));
            let fault = "a subscript of the component is out of bounds";
            outcome.exited_with(1).within(SOON).stderr_line_with(&[&place, fault]);
        }
    }
    for hosts in [1, 2] {
        mistakes.run("good", 2, hosts).finish().succeeded().silent();
    }
}
