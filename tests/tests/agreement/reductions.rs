//! Reductions by different functions, or of different locations: errors without any setting.

use std::ffi::OsString;
use std::time::Duration;
use xmp_tests::{Program, Run};

#[test]
fn reductions_by_different_functions_are_errors_without_any_setting() {
    let program = Program::fortran("faults/operations").build();
    for hosts in [1, 2] {
        for what in ["one", "many"] {
            for check in ["0", "1", "races"] {
                let run = Run::new(&program).images(3).virtual_hosts(hosts).args([what]);
                let outcome = run.env("XMP_CHECK", check).finish();
                outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
                outcome.stderr_line_with(&["operations.f90:", "co_reduce:", "operation"]);
            }
        }
    }
    let outcome = Run::new(&program).images(3).args(["many"]).finish();
    let words = ["co_reduce: image 1 and image 2 give different operations"];
    outcome.stderr_line_with(&words);
}

#[test]
fn reductions_by_the_same_function_in_different_statements_agree() {
    let program = Program::fortran("faults/operations").build();
    for (images, hosts) in [(1, 1), (2, 1), (7, 1), (4, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts).args(["alike"]);
        run.finish().succeeded().stdout_is("good\n");
    }
    // Programs that the launcher does not know.
    let script = ["-c", "exec \"$0\" alike"].map(OsString::from);
    let run = Run::new("/bin/sh").images(2).args(script.into_iter().chain([program.into()]));
    run.finish().succeeded().stdout_is("good\n");
}

/// Images of a C program, of which the second reduces by another function.
#[test]
fn reductions_of_c_by_different_functions_are_errors_without_any_setting() {
    let program = Program::c("functions").build();
    for hosts in [1, 2, 3] {
        for way in ["one", "some", "many", "first some", "first many", "begun one", "begun many"] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            let outcome = run.env("XMP_CHECK", "0").finish();
            outcome.exited_with(9).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["functions.c:", "_co_reduce", "operation"]);
        }
        for way in ["one alike", "many alike", "begun one alike", "begun many alike"] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            run.finish().succeeded().silent();
        }
    }
    let outcome = Run::new(&program).images(3).args(["one"]).finish();
    outcome.stderr_line_with(&["xmprt_co_reduce: image 1 and image 2 give different operations"]);
}

#[test]
fn reductions_of_cpp_by_different_functions_are_errors_without_any_setting() {
    let program = Program::cpp("functions_of_cpp", "c++17").build();
    for hosts in [1, 2] {
        for ways in [&[][..], &["begun"]] {
            let outcome = Run::new(&program).images(3).virtual_hosts(hosts).args(ways).finish();
            outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["_co_reduce", "operation"]);
        }
    }
}

/// Reductions `firstmax` and so on, of which one image wants another extreme or gives variables of other types.
#[test]
fn reductions_with_locations_that_differ_are_errors_without_any_setting() {
    let program = Program::xmp_c(&["extremes"]).build();
    let fortran = Program::xmp_fortran(&["extremes.f90"]).build();
    for hosts in [1, 2, 3] {
        for way in ["least", "last", "types", "value", "unsigned", "location"] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            let outcome = run.finish();
            outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_line_with(&["extremes.c:", "reduction"]);
        }
        let run = Run::new(&program).images(3).virtual_hosts(hosts).args(["alike"]);
        run.finish().succeeded().silent();
        let outcome = Run::new(&fortran).images(3).virtual_hosts(hosts).finish();
        outcome.exited_with(1).within(Duration::from_secs(60)).stdout_is("");
        outcome.stderr_line_with(&["extremes.f90:", "reduction"]);
    }
}

/// All images may wait for messages that no image sends. The launcher then reported a deadlock only.
#[test]
fn different_operations_in_the_background_are_errors_without_any_setting() {
    let program = Program::c("begun_kinds").build();
    for (images, hosts) in [(2, 1), (3, 1), (5, 1), (2, 2), (3, 2), (4, 2), (8, 3)] {
        let run = |odd: &str, even: &str| {
            let run = Run::new(&program).images(images).virtual_hosts(hosts).args([odd, even]);
            run.finish()
        };
        for [odd, even] in
            [["sum", "scan"], ["scan", "sum"], ["exscan", "sum"], ["sum", "broadcast"]]
        {
            let outcome = run(odd, even);
            outcome.exited_with(9).within(Duration::from_secs(60)).stdout_is("");
            outcome.stderr_without("deadlock");
            outcome.stderr_line_with(&["begun_kinds.c:", "xmprt_begin_", "image"]);
            let text = &outcome.stderr;
            assert!(text.contains("another operation") || text.contains("has begun"), "{text}");
        }
        run("scan", "scan").succeeded().silent();
    }
    // All of them wait.
    let outcome = Run::new(&program).images(3).virtual_hosts(2).args(["sum", "scan"]).finish();
    outcome.stderr_line_with(&["has begun xmprt_co_", "xmprt_co_scan", "xmprt_co_sum"]);
}

/// Within a task the handle of a team of its images and `XMPRT_CURRENT` name one order of operations.
#[test]
fn images_of_a_task_begin_one_operation_however_they_name_their_team() {
    let program = Program::c("begun_in_task").build();
    for (images, hosts) in [(3, 1), (5, 1), (4, 2), (5, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts);
        run.clone().finish().succeeded().silent();
        let outcome = run.args(["other"]).finish();
        outcome.exited_with(9).within(Duration::from_secs(60)).stdout_is("");
        outcome.stderr_without("deadlock").stderr_line_with(&["begun_in_task.c:", "xmprt_begin_"]);
    }
}
