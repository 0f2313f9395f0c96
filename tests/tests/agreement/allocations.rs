//! Images that allocate, deallocate or move different coarrays: errors without any setting.

use std::path::Path;
use std::time::Duration;
use xmp_tests::mistakes::Mistakes;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Outcome, Program, Run};

/// What image 2 does, and what the images say that execute the statement.
const ALLOCATIONS: [(&str, &str); 20] = [
    (
        "size",
        "allocate: image 1 allocates a coarray of 10 elements, image 2 a coarray of 20 elements",
    ),
    ("order", "allocate: image 1 and image 2 allocate different coarrays, of the same size"),
    (
        "component",
        "allocate: image 1 allocates a coarray of 5 elements, image 2 a coarray of 4 elements",
    ),
    (
        "shape",
        "allocate: image 1 allocates a coarray of shape (3, 2), image 2 a coarray of shape (2, 3)",
    ),
    (
        "other deallocate",
        "deallocate: image 1 deallocates a coarray of 10 elements, image 2 another one, a coarray of 10 elements",
    ),
    ("no allocate", "image 2"),
    (
        "lower bound",
        "image 1 allocates a coarray with the bounds (1:3, 1:5)[*], image 2 a coarray with the bounds (0:2, 1:5)[*]",
    ),
    (
        "cobound",
        "image 1 allocates a coarray with the bounds (1:2, 0:1)[1:2, *], image 2 a coarray with the bounds (1:2, 0:1)[1:1, *]",
    ),
    (
        "lower cobound",
        "image 1 allocates a coarray with the cobounds [*], image 2 a coarray with the cobounds [0:*]",
    ),
    (
        "far bounds",
        "image 1 and image 2 allocate a coarray of different bounds, cobounds or dynamic types",
    ),
    (
        "several",
        "image 1 and image 2 allocate coarrays of different sizes, bounds, cobounds or dynamic types",
    ),
    (
        "nothing in it",
        "image 1 allocates a coarray of shape (0, 3), image 2 a coarray of shape (0, 2)",
    ),
    (
        "length",
        "image 1 allocates a coarray of 1 element of 10 bytes, image 2 a coarray of 1 element of 20 bytes",
    ),
    (
        "lengths",
        "image 1 allocates a coarray of 3 elements of 10 bytes, image 2 a coarray of 3 elements of 20 bytes",
    ),
    ("type", "image 1 and image 2 allocate a coarray of different dynamic types"),
    ("types", "image 1 and image 2 allocate a coarray of different dynamic types"),
    (
        "extension without components",
        "image 1 and image 2 allocate a coarray of different dynamic types",
    ),
    ("local type", "image 1 and image 2 allocate a coarray of different dynamic types"),
    // The compiler has read the status before the images compare.
    (
        "bounds and stat",
        "image 1 allocates a coarray with the bounds (1:2, 2:3)[1:1, *], image 2 a coarray with the bounds (1:2, 3:4)[1:1, *]",
    ),
    (
        "stat",
        "allocate: image 1 allocates a coarray of shape (3, 5), image 2 a coarray of shape (2, 5)",
    ),
];

/// Runs `faults/allocations` with three images.
fn allocate(program: &Path, what: &str, hosts: u32, check: &str) -> Outcome {
    let run = Run::new(program).images(3).virtual_hosts(hosts).args([what]);
    let outcome = run.env("XMP_CHECK", check).finish();
    outcome.within(Duration::from_secs(300));
    outcome
}

#[test]
fn allocations_that_differ_are_errors_without_any_setting() {
    let program = Program::fortran("faults/allocations").argument("-O0").build();
    for (what, message) in ALLOCATIONS {
        for (hosts, check) in [(1, "0"), (3, "0"), (2, "0"), (1, "races"), (1, "1")] {
            let outcome = allocate(&program, what, hosts, check);
            outcome.exited_with(1).stdout_is("");
            outcome.stderr_line_with(&["allocations.f90:", message]);
        }
    }
}

#[test]
fn deallocations_with_stat_that_differ_have_the_same_status_on_all_images() {
    let program = Program::fortran("faults/allocations").argument("-O0").build();
    for hosts in [1, 2, 3] {
        let outcome = allocate(&program, "deallocate stat", hosts, "0");
        outcome.succeeded();
        let lines: Vec<_> = outcome.stdout.lines().collect();
        assert_eq!(lines, ["status 7000"; 3]);
    }
}

#[test]
fn allocations_that_agree_are_no_error() {
    let program = Program::fortran("faults/allocations").argument("-O0").build();
    for images in [1, 2, 7] {
        let outcome = Run::new(&program).images(images).args(["nothing"]).finish();
        outcome.succeeded();
        assert_eq!(outcome.stdout, "good\n".repeat(images as usize));
    }
}

#[test]
fn coarrays_that_images_move_to_other_variables_are_found_at_the_end_of_the_program() {
    let program = Program::fortran("faults/moved").argument("-O0").build();
    let run = |what: &str, hosts: u32| {
        let run = Run::new(&program).images(4).virtual_hosts(hosts).args([what]);
        let outcome = run.finish();
        outcome.within(Duration::from_secs(300));
        outcome
    };
    for hosts in [1, 2] {
        for what in ["another coarray", "to another variable", "sync all", "there and back", "stop"]
        {
            let outcome = run(what, hosts);
            outcome.exited_with(1);
            outcome.stderr_line_with(&[
                "end of the program: image",
                "has not moved the same coarrays by MOVE_ALLOC as image",
                "which has moved",
            ]);
        }
    }
    for hosts in [1, 2, 4] {
        run("nothing", hosts).succeeded().silent();
        let outcome = run("local", hosts);
        outcome.exited_with(1).stderr_line_with(&["moved.f90:", "deallocate: image 1 deallocates"]);
    }
}

/// The compiler gave the variable memory that other images cannot access, and they crashed or read what was there before.
#[test]
fn an_assignment_that_would_give_a_coarray_another_shape_is_an_error_that_names_it() {
    let program = Program::fortran("faults/reassigned").argument("-O0");
    let source = crate_dir().join("fortran/faults/reassigned.f90");
    let mistakes = Mistakes::of(&program, &source);
    for (what, name, old, new) in [
        ("all", "a", "3", "6"),
        ("one", "a", "3", "2"),
        ("matrix", "m", "2, 3", "2, 2"),
        ("dummy", "coarray", "3", "6"),
    ] {
        for hosts in [1, 2] {
            let outcome = mistakes.run(what, 2, hosts).finish();
            outcome.exited_with(1);
            let message = mistakes.without_directories(&outcome.stderr);
            let place = mistakes.with_lines(&format!("{{{what}}}: image"));
            let fault = format!(
                ": assignment to {name}: a coarray of shape ({old}) is given an array of shape ({new}), and keeps"
            );
            assert!(
                message.lines().any(|line| line.starts_with(&place) && line.contains(&fault)),
                "{what}: {message}"
            );
        }
    }
    for hosts in [1, 2] {
        mistakes.run("good", 2, hosts).finish().succeeded().stdout_is("went on\nwent on\n");
    }
}
