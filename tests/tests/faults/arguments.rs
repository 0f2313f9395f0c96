//! Statements with wrong image indices, sizes and variables.

use super::{ACCESSORS, SOON, ends_with_message, faulty, has_stat};
use xmp_tests::exceptions::left_out_with;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Program, Run};

#[test]
fn transfers_with_an_invalid_image_index() {
    for index in ["0", "-1", "5", "1000000"] {
        for (operation, name) in [
            ("put", "put"),
            ("put-array", "put"),
            ("get", "get"),
            ("get-array", "get"),
            ("between-to", "put"),
            ("between-from", "get"),
        ] {
            // A transfer between two images may be called by either of its halves.
            let name = if operation.starts_with("between") { "" } else { name };
            ends_with_message("faults/bad_image", &[operation, index], &[name, index, "1:4"]);
        }
    }
}

#[test]
fn a_get_with_stat_from_an_invalid_image_leaves_the_variable_alone() {
    let outcomes = has_stat("faults/bad_image", &["get-stat", "5"]);
    let reason = "the compiler assigns a temporary variable of its own";
    if left_out_with(15.., "the variable of a failed get", reason) {
        return;
    }
    for outcome in outcomes {
        assert!(outcome.stdout.trim_end().ends_with(" 5 5 5 5"), "{}", outcome.stdout);
    }
}

#[test]
fn atomics_locks_and_events_with_an_invalid_image_index() {
    // 0 means this image where the compiler passes an index to these.
    for index in ["-1", "5"] {
        for (operation, name) in [
            ("atomic-define", "atomic"),
            ("atomic-ref", "atomic"),
            ("atomic-add", "atomic"),
            ("atomic-cas", "atomic"),
            ("lock", "lock"),
            ("unlock", "unlock"),
            ("event-post", "event post"),
        ] {
            ends_with_message("faults/bad_image", &[operation, index], &[name, index, "1:4"]);
        }
        for operation in ["atomic-stat", "lock-stat", "event-post-stat"] {
            has_stat("faults/bad_image", &[operation, index]);
        }
    }
}

#[test]
fn sync_images_with_an_invalid_image_index() {
    for index in ["0", "-1", "5"] {
        for operation in ["sync-images", "sync-images-list"] {
            let words = ["sync images", index, "1:4"];
            ends_with_message("faults/bad_image", &[operation, index], &words);
        }
        has_stat("faults/bad_image", &["sync-images-stat", index]);
    }
}

#[test]
fn sync_images_with_an_image_twice() {
    let words = ["sync images", "image index 1", "more than once"];
    ends_with_message("faults/misuse", &["repeated-image"], &words);
    has_stat("faults/misuse", &["repeated-image-stat"]);
}

#[test]
fn collectives_with_an_invalid_image_index() {
    for index in ["-1", "5"] {
        for (operation, name) in
            [("co-broadcast", "co_broadcast"), ("co-sum", "co_sum"), ("co-reduce", "co_reduce")]
        {
            ends_with_message("faults/bad_image", &[operation, index], &[name, index, "1:4"]);
        }
        has_stat("faults/bad_image", &["co-max-stat", index]);
    }
    // 0 as source is no image; as result image it is how compilers say "all".
    ends_with_message("faults/bad_image", &["co-broadcast", "0"], &["co_broadcast", "0", "1:4"]);
}

#[test]
fn stat_and_errmsg_report_an_invalid_source_or_result_image_of_any_image() {
    let program = Program::fortran("faults/collective_images").build();
    let run = |hosts| Run::new(&program).images(4).virtual_hosts(hosts).limit(SOON);
    let mut calls = vec![("co_broadcast", "source_image", "0")];
    for index in ["-1", "5", "99"] {
        calls.push(("co_broadcast", "source_image", index));
        let others = ["co_sum", "co_min", "co_max", "co_reduce"];
        calls.extend(others.map(|name| (name, "result_image", index)));
    }
    for (name, argument, index) in calls {
        for hosts in [1, 2] {
            let outcome = run(hosts).args([name, index, "stat"]).finish();
            let lines = [1, 2, 3, 4].map(|me| format!("went on: {me}"));
            outcome.succeeded().stdout_lines(&lines.each_ref().map(String::as_str));
            let outcome = run(hosts).args([name, index, "plain"]).finish();
            let text = format!("{name}: {argument}: image index {index} is not in 1:4");
            outcome.exited_with(1).stdout_is("").stderr_line_with(&[&text]);
        }
    }
}

#[test]
fn images_that_disagree_on_the_root_are_found_by_the_check() {
    let program = Program::fortran("faults/bad_image").build();
    for (operation, index, other) in
        [("co-broadcast-differ", "0", "no image"), ("co-broadcast-differ", "9", "image 9")]
    {
        let run = Run::new(&program).images(4).env("XMP_CHECK", "1").limit(SOON);
        let outcome = run.args([operation, index]).finish();
        outcome.exited_with(1).stderr_line_with(&["the root is", "image 1 on", other]);
    }
}

#[test]
fn locks_that_are_not_this_images() {
    let words = ["unlock", "locked by image 1"];
    ends_with_message("faults/misuse", &["unlock-of-another"], &words);
    ends_with_message("faults/misuse", &["unlock-of-unlocked"], &["unlock", "not locked"]);
    ends_with_message("faults/misuse", &["lock-twice"], &["lock", "already locked"]);
}

#[test]
fn impossible_sizes_are_refused() {
    // All images ask; which of them is the first to say so does not matter.
    for outcome in faulty("faults/misuse", &["allocate"]) {
        outcome.exited_with(1).within(SOON);
        outcome.stderr_line_with(&["image", "allocate", "memory", "1 EiB"]);
    }
}

#[test]
fn more_memory_than_the_limit() {
    let program = Program::fortran("transfers/large").build();
    let run = Run::new(&program).images(2).env("XMP_MEMORY_LIMIT", "1M");
    run.finish().exited_with(1).within(SOON).stderr_line_with(&["image", "allocate", "memory"]);
}

#[test]
fn image_index_0_stands_in_the_brackets() {
    if left_out_with(15.., "subscripts of coindexed objects", ACCESSORS) {
        return;
    }
    let program = Program::fortran("faults/index_zero").build();
    let outcome = Run::new(program).images(4).finish();
    outcome.exited_with(1).stderr_line_with(&["put to x(3)[0]: image index 0 is not in 1:4"]);
}

#[test]
fn messages_name_teams_and_elements_of_allocatable_events_and_locks() {
    let program = Program::fortran("faults/in_a_team").build();
    for (case, message) in [
        ("put", "image index 3 is not in 1:2, the images of the current team (number 2)"),
        (
            "sync",
            "sync images: image index 3 is not in 1:2, the images of the current team (number 2)",
        ),
        ("outside", "image index 5 is not in 1:4"),
    ] {
        let outcome = Run::new(&program).images(4).args([case]).finish();
        outcome.exited_with(1).stdout_is("").stderr_line_with(&[message]);
        if case == "outside" {
            outcome.stderr_without("current team");
        }
    }
    if left_out_with(15.., "subscripts of events", ACCESSORS) {
        return;
    }
    for (case, message) in [
        ("event", "event post to ready(7)[1]: subscript 7 of dimension 1 is not in 0:3"),
        ("lock", "lock of guards(0)[1]: subscript 0 of dimension 1 is not in 1:2"),
    ] {
        let outcome = Run::new(&program).images(4).args([case]).finish();
        outcome.exited_with(1).stdout_is("").stderr_line_with(&[message]);
    }
}

#[test]
fn a_coarray_that_the_compiler_frees_as_a_component_is_named() {
    if left_out_with(15.., "scalar coarrays with allocatable components", ACCESSORS) {
        return;
    }
    let program = Program::fortran("faults/freed_as_component").build();
    let outcome = Run::new(&program).images(2).finish();
    if toolchain().gfortran_version().is_some_and(|version| version > 12) {
        // These versions free the component.
        outcome.succeeded().silent();
        return;
    }
    let words = ["freed_as_component.f90:19", "frees a scalar allocatable coarray in place of its"];
    outcome.exited_with(1).stdout_is("").stderr_line_with(&words);
}

/// gfortran 12 to 14 pass a variable of length 0, and 0 is what `len` gives.
#[test]
fn the_use_of_a_length_that_the_compiler_does_not_know_is_an_error() {
    if left_out_with(
        15..,
        "characters of deferred length",
        "components of deferred length crash it",
    ) {
        return;
    }
    for (what, line, object) in [
        ("trim", 21, "c[1]%text"),
        ("print", 23, "c[1]%text"),
        ("element", 25, "c[1]"),
        ("array", 27, "c[1]"),
    ] {
        let place = format!("lengths.f90:{line}");
        let length = if what == "trim" { "this component and takes it" } else { ", 3 on image 1," };
        let words = [&place, "get from", object, "does not know the length", length];
        ends_with_message("faults/lengths", &[what], &words);
    }
    // What has no characters, and variables of length 0, are as they should be.
    for outcome in faulty("faults/lengths", &["none"]) {
        outcome.succeeded().stdout_is("||\n");
    }
}
