//! Wrong programs, and images that die: each has a clear error or the standard's `stat`, and nothing hangs.

use serial_test::serial;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xmp_tests::exceptions::left_out_with;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run};

/// A job ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);

/// Why the library cannot find out what these versions of gfortran access.
const ACCESSORS: &str = "procedures of the compiler's own access the variable, and check nothing";

/// Image 2 of 4 does it, on each number of hosts.
fn faulty(program: &str, arguments: &[&str]) -> Vec<Outcome> {
    let program = Program::fortran(program).build();
    [1, 2]
        .map(|hosts| Run::new(&program).images(4).virtual_hosts(hosts).args(arguments).finish())
        .into()
}

/// It ends the job with status 1 and this in the message of image 2.
fn ends_with_message(program: &str, arguments: &[&str], words: &[&str]) {
    for outcome in faulty(program, arguments) {
        outcome.exited_with(1).within(SOON).stdout_is("");
        outcome.stderr_line_with(&[&["image 2: "], words].concat());
        let messages = outcome.stderr.lines().filter(|line| !line.starts_with("  ")).count();
        assert_eq!(messages, 1, "one message:\n{}", outcome.stderr);
    }
}

/// It goes on with a `stat` that is none of success and the standard's four.
fn has_stat(program: &str, arguments: &[&str]) -> Vec<Outcome> {
    let outcomes = faulty(program, arguments);
    for outcome in &outcomes {
        outcome.exited_with(99).within(SOON);
        let status: i32 = outcome
            .stdout
            .strip_prefix("status ")
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|number| number.parse().ok())
            .unwrap_or_else(|| panic!("no status in {}", outcome.stdout));
        assert!(status > 0 && ![1, 2, 6000, 6001].contains(&status), "status {status}");
    }
    outcomes
}

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
    outcome.exited_with(1).stderr_line_with(&["cosubscripts.f90:41: "]);
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

fn killed() -> PathBuf {
    Program::fortran("faults/killed").with("victim").build()
}

/// Image 2 of 4 is killed at this point, in a program that does not ask for `stat=`: the job ends.
fn death_ends_the_job(point: &str, hosts: u32) {
    let run = Run::new(killed()).images(4).virtual_hosts(hosts);
    let outcome = run.args([point, "plain"]).finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON).stdout_is("");
    outcome.stderr_line_with(&["image 2", "signal 9"]);
}

/// Image 2 of 4 is killed at this point, in a program that asks for `stat=`: the others go on.
fn stat_reports_the_death(point: &str, hosts: u32) {
    let run = Run::new(killed()).images(4).virtual_hosts(hosts);
    let outcome = run.args([point, "stat"]).finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON);
    outcome.stdout_lines(&["went on: 1", "went on: 3", "went on: 4"]);
}

/// A test for each point, and kind of program, at which image 2 is killed.
macro_rules! killed {
    ($($point:ident $name:literal $($check:ident)?;)*) => {
        mod killed {
            $(mod $point {
                use serial_test::serial;

                #[test]
                #[serial]
                fn ends_a_program_that_does_not_ask() {
                    super::super::death_ends_the_job($name, 1);
                    super::super::death_ends_the_job($name, 2);
                }

                $(#[test]
                #[serial]
                fn stat_reports_the_end() {
                    super::super::$check($name, 1);
                    super::super::$check($name, 2);
                })?
            })*
        }
    };
}

killed! {
    in_compute "compute" stat_reports_the_death;
    in_sync_all "sync-all" stat_reports_the_death;
    in_sync_images "sync-images" stat_reports_the_death;
    in_event_wait "event-wait" stat_reports_the_death;
    in_lock_wait "lock-wait" stat_reports_the_death;
    with_a_lock "lock-held" stat_reports_the_death;
    // CRITICAL has stat= only since gfortran 16.
    in_critical "critical";
    in_put_loop "put-loop" stat_reports_the_death;
    in_get_loop "get-loop" stat_reports_the_death;
    in_co_sum "co-sum" stat_reports_the_death;
    in_large_co_sum "co-sum-large" stat_reports_the_death;
    in_co_broadcast "co-broadcast" stat_reports_the_death;
    in_allocate "allocate" stat_reports_the_death;
}

#[test]
#[serial]
fn those_that_are_left_synchronise() {
    for (program, steps) in [("faults/survivors", 3000), ("faults/survivors_allocate", 600)] {
        let program = Program::fortran(program).with("victim").build();
        // Steps that are made by all or by none, and others; one host, and several.
        for (step, hosts) in
            [("central", 1), ("flat", 1), ("dissemination", 1), ("central", 2), ("flat", 3)]
        {
            go_on_without_two(&program, step, hosts, steps);
        }
    }
}

/// Images 2 and 3 of 6 fail, and the others do not.
fn go_on_without_two(program: &Path, step: &str, hosts: u32, steps: u32) {
    // What a collective area does not do takes longer.
    let steps = if hosts > 1 || step == "dissemination" { steps / 10 } else { steps };
    let run = Run::new(program).images(6).virtual_hosts(hosts).args([steps.to_string()]);
    let outcome = run.env("XMP_COLL", format!("barrier:{step}")).finish();
    outcome.exited_with(128 + libc::SIGKILL).within(4 * SOON);
    outcome.stdout_lines(&["went on: 1", "went on: 4", "went on: 5", "went on: 6"]);
}

#[test]
#[serial]
fn the_death_of_an_image_reaches_many_waiters() {
    for point in ["sync-all", "co-sum", "co-broadcast"] {
        let run = Run::new(killed()).images(16).args([point, "plain"]);
        run.finish().exited_with(128 + libc::SIGKILL).within(SOON);
    }
}
