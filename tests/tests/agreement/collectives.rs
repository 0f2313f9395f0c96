//! Collective subroutines on operands of different lengths, types or shapes: errors without any setting.

use std::time::Duration;
use xmp_tests::mistakes::Mistakes;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Program, Run};

/// The operands of image 3 have another length, type, operation or root, without any setting.
#[test]
fn long_collectives_that_differ_are_errors_without_any_setting() {
    let program = Program::fortran("faults/long_disagreement").argument("-O0").build();
    for (what, words) in [
        ("sum", ["co_sum:", "1010", "1020"]),
        ("long sum", ["co_sum:", "101000", "102000"]),
        ("min", ["co_min:", "1010", "1020"]),
        ("reduce", ["co_reduce:", "1010", "1020"]),
        ("broadcast", ["co_broadcast:", "1010", "1020"]),
        ("long broadcast", ["co_broadcast:", "101000", "102000"]),
        ("to one", ["co_sum:", "1010", "1020"]),
    ] {
        for (hosts, check) in [(1, "0"), (1, "races"), (2, "0"), (4, "0")] {
            let run = Run::new(&program).images(4).virtual_hosts(hosts).args([what]);
            let outcome = run.env("XMP_CHECK", check).finish();
            outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
            outcome.stderr_line_with(&words);
        }
    }
    for what in ["type", "operation"] {
        for hosts in [1, 2, 4] {
            let run = Run::new(&program).images(4).virtual_hosts(hosts).args([what]);
            let outcome = run.finish();
            outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
            outcome.stderr_line_with(&["co_"]);
        }
    }
}

#[test]
fn broadcasts_of_different_types_are_errors_without_any_setting() {
    let program = Program::fortran("faults/operations").build();
    for hosts in [1, 2, 3] {
        for what in ["type", "types", "long types"] {
            for check in ["0", "1"] {
                let run = Run::new(&program).images(3).virtual_hosts(hosts).args([what]);
                let outcome = run.env("XMP_CHECK", check).finish();
                outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
                outcome.stderr_line_with(&["operations.f90:", "co_broadcast:"]);
                if hosts == 1 {
                    outcome
                        .stderr_line_with(&["image 2 gives real(4)", "image 1 gives integer(4)"]);
                }
            }
        }
    }
}

/// With as many elements, they were combined or copied in the order of memory, without a message.
#[test]
fn arrays_of_different_shapes_are_errors_without_any_setting() {
    let program = Program::fortran("faults/shapes").build();
    let cases = [
        ("sum", "(2, 3)", "an array of shape (3, 2)"),
        ("vector", "(2, 3)", "a scalar or a vector"),
        ("reduction", "(2, 3)", "an array of shape (3, 2)"),
        ("broadcast", "(2, 3)", "an array of shape (3, 2)"),
        ("long sum", "(300, 400)", "an array of shape (400, 300)"),
        ("long broadcast", "(300, 400)", "an array of shape (400, 300)"),
    ];
    for hosts in [1, 2, 3] {
        for (what, first, second) in cases {
            for check in ["0", "1"] {
                let run = Run::new(&program).images(3).virtual_hosts(hosts).args([what]);
                let outcome = run.env("XMP_CHECK", check).finish();
                outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
                outcome.stderr_line_with(&["shapes.f90:", "co_"]);
                let is_named = check == "1" || (hosts == 1 && what.starts_with("long"));
                // Short operands may go a way on which a number alone is compared.
                let words = if is_named || outcome.stderr.contains("gives an array") {
                    vec![
                        format!("image 1 gives an array of shape {first}"),
                        format!("image 2 gives {second}"),
                    ]
                } else {
                    vec!["another type, shape".to_string()]
                };
                outcome.stderr_line_with(&words.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
    }
}

/// Of arrays with a shape the number of the call has no room for all.
#[test]
fn another_operation_on_small_arrays_is_not_said_to_be_another_type() {
    let program = Program::fortran("faults/shapes").build();
    for check in ["0", "1"] {
        let run = Run::new(&program).images(3).env("XMP_CHECK", check).args(["operation"]);
        let outcome = run.finish();
        outcome.exited_with(1).stdout_is("").stderr_without("number of elements");
        let is_named = check == "1" || outcome.stderr.contains("co_max");
        let words = if is_named { "image 2 co_max" } else { "executes another" };
        outcome.stderr_line_with(&["shapes.f90:", words]);
    }
}

#[test]
fn after_a_broadcast_of_another_shape_with_stat_the_next_statements_are_right() {
    let program = Program::fortran("faults/shapes").build();
    for images in [2, 3, 4] {
        let outcome = Run::new(&program).images(images).args(["stat"]).finish();
        outcome.succeeded().stdout_is("good\n");
    }
}

/// Components that no image has allocated are no error; others are.
#[test]
fn broadcasts_of_components_that_no_image_has_allocated_leave_them_so() {
    let program = Program::fortran("faults/absent_components").argument("-O0").build();
    let run = |what: &str, images, hosts| {
        Run::new(&program).images(images).virtual_hosts(hosts).args([what]).finish()
    };
    for (images, hosts) in [(1, 1), (2, 1), (4, 1), (4, 2), (5, 2)] {
        let outcome = run("none", images, hosts);
        outcome.succeeded();
        assert_eq!(outcome.stdout, "good\n".repeat(images as usize));
    }
    for hosts in [1, 2] {
        for what in ["source only", "others only", "sizes"] {
            run(what, 4, hosts).exited_with(1);
        }
        run("sizes", 4, hosts).stderr_line_with(&["co_broadcast:", "elements"]);
    }
    run("source only", 4, 1).stderr_line_with(&["is not allocated on image", "and is on image"]);
}

/// A variable was taken for a component of an object that is broadcast, which need not be allocated, and one with the bounds of
/// an array without elements for such an array.
#[test]
fn arguments_that_are_not_allocated_are_errors_that_name_them() {
    let program = Program::fortran("faults/not_allocated").argument("-O0").argument("-g");
    let source = crate_dir().join("fortran/faults/not_allocated.f90");
    let mistakes = Mistakes::of(&program, &source);
    for (what, operation, name) in [
        ("vector", "co_broadcast", "l"),
        ("scalar", "co_broadcast", "k"),
        ("derived", "co_broadcast", "points"),
        ("dummy", "co_broadcast", "values"),
        ("matrix", "co_broadcast", "matrix"),
        ("from 0", "co_broadcast", "from_zero"),
        ("pointer", "co_broadcast", "target_of"),
        ("text", "co_broadcast", "text"),
        ("word", "co_broadcast", "word"),
        ("coarray", "co_broadcast", "coarray"),
        ("sum", "co_sum", "l"),
        ("empty sum", "co_sum", "matrix"),
        ("sum of pointer", "co_min", "target_of"),
        ("greatest text", "co_max", "text"),
        ("least scalar", "co_min", "k"),
        ("reduction", "co_reduce", "target_of"),
    ] {
        for hosts in [1, 2] {
            let outcome = mistakes.run(what, 2, hosts).finish();
            outcome.exited_with(1).stdout_is("");
            let message = mistakes.without_directories(&outcome.stderr);
            let place = mistakes.with_lines(&format!("{{{what}}}: image"));
            assert!(message.starts_with(&place), "{what}: {message}");
            let text = format!(": {operation}: {name} is not allocated on this image");
            assert!(message.contains(&text), "{what}: {message}");
        }
    }
    for hosts in [1, 2] {
        let outcome = mistakes.run("on one image", 2, hosts).finish();
        outcome.exited_with(1).stderr_line_with(&["image 2: co_broadcast: l is not allocated"]);
        mistakes.run("good", 2, hosts).finish().succeeded().stdout_is("went on\nwent on\n");
    }
}

/// Of a scalar, and a vector that was allocated before, the call of CO_BROADCAST is that of a component.
#[test]
fn arguments_that_are_not_allocated_are_errors_without_debugging_information() {
    let program = Program::fortran("faults/not_allocated").argument("-O0").argument("-g0").build();
    for (operation, cases) in [
        ("co_broadcast", &["matrix", "from 0", "pointer", "text", "word"][..]),
        ("co_sum", &["sum", "empty sum"]),
        ("co_min", &["sum of pointer", "least scalar"]),
        ("co_max", &["greatest text"]),
        ("co_reduce", &["reduction"]),
    ] {
        for (what, hosts) in cases.iter().flat_map(|what| [(what, 1), (what, 2)]) {
            let outcome = Run::new(&program).images(2).virtual_hosts(hosts).args([what]).finish();
            outcome.exited_with(1).stdout_is("");
            outcome.stderr_line_with(&[operation, ": the argument is not allocated on this image"]);
        }
    }
    let outcome = Run::new(&program).images(2).args(["good"]).finish();
    outcome.succeeded().stdout_is("went on\nwent on\n");
}
