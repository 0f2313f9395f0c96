//! The headers of C and C++: programs that check themselves, and programs in C and Fortran.

use serial_test::serial;
use xmp_tests::matrix::conforms_program;
use xmp_tests::{Program, Run};

#[test]
fn teams() {
    conforms_program(&Program::c("teams"), "teams");
}

#[test]
fn collectives() {
    conforms_program(&Program::c("collectives"), "collectives");
}

#[test]
fn memory() {
    conforms_program(&Program::c("memory"), "memory");
}

#[test]
fn atomics() {
    conforms_program(&Program::c("atomics"), "atomics");
}

#[test]
fn signals() {
    conforms_program(&Program::c("signals"), "signals");
}

#[test]
fn sections() {
    conforms_program(&Program::c("sections"), "sections");
}

#[test]
fn reductions() {
    conforms_program(&Program::c("reductions"), "reductions");
}

#[test]
fn operations() {
    conforms_program(&Program::c("operations"), "operations");
}

#[test]
fn parts_in_place() {
    conforms_program(&Program::c("in_place"), "in_place");
}

#[test]
fn atomics_of_floating_point() {
    conforms_program(&Program::c("float_atomics"), "float_atomics");
}

#[test]
fn classes_of_cpp_17() {
    conforms_program(&Program::cpp("classes", "c++17"), "classes (C++17)");
}

#[test]
fn classes_of_cpp_20() {
    conforms_program(&Program::cpp("classes", "c++20"), "classes (C++20)");
}

#[test]
fn classes_of_cpp_meet_some_images_await_some_operations_and_copy_sections() {
    for standard in ["c++17", "c++20"] {
        let program = Program::cpp("more_classes", standard);
        conforms_program(&program, &format!("more_classes ({standard})"));
    }
}

#[test]
fn requests() {
    conforms_program(&Program::c("requests"), "requests");
}

#[test]
fn global_view() {
    conforms_program(&Program::c("global"), "global");
}

#[test]
fn fortran_calls_c_in_its_teams() {
    let program = Program::fortran("control/calls_c").with_c("called_by_fortran");
    conforms_program(&program, "calls_c");
}

#[test]
fn rust_routines_read_the_coarrays_of_fortran() {
    let program = Program::fortran("control/calls_rust").with_rust("reads_coarrays");
    conforms_program(&program, "calls_rust");
}

#[test]
#[serial]
fn images_that_stop_are_reported_by_a_code() {
    let program = Program::c("ends").build();
    for way in ["stop", "return"] {
        for hosts in [1, 3] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            run.finish().succeeded().silent();
        }
    }
    Run::new(&program).images(3).args(["error-stop"]).finish().exited_with(17);
}

#[test]
#[serial]
fn a_cpp_program_goes_on_in_a_team_without_the_image_that_has_failed() {
    let program = Program::cpp("left_teams", "c++17").build();
    for images in [2, 3, 4] {
        for hosts in [1, 2] {
            Run::new(&program).images(images).virtual_hosts(hosts).finish().succeeded();
        }
    }
}

#[test]
#[serial]
fn waits_that_no_image_can_end_any_more_are_reported_by_a_code() {
    let program = Program::c("failures").build();
    for way in ["fail", "stop"] {
        for hosts in [1, 2, 3] {
            Run::new(&program).images(3).virtual_hosts(hosts).args([way]).finish().succeeded();
        }
    }
}

#[test]
#[serial]
fn an_error_that_a_wait_finds_names_the_call_that_has_begun_the_operation() {
    let program = Program::c("begun").build();
    let waits = ["xmprt_wait", "xmprt_wait_all", "xmprt_wait_any", "xmprt_wait_some", "xmprt_test"];
    for (hosts, check, begun) in [
        (1, "0", "xmprt_begin_co_sum: "),
        (2, "0", "xmprt_begin_co_sum: "),
        (1, "1", "xmprt_begin_co_sum at c/begun.c:27: "),
    ] {
        let run = Run::new(&program).images(2).virtual_hosts(hosts).env("XMP_CHECK", check);
        let outcome = run.finish();
        outcome.succeeded();
        let lines: Vec<&str> = outcome.stdout.lines().collect();
        assert_eq!(lines.len(), waits.len(), "{lines:?}");
        for (line, wait) in lines.iter().zip(waits) {
            assert!(line.starts_with(&format!("{wait}: {begun}")), "{line}");
        }
    }
}

/// Their results went to what was allocated there next.
#[test]
#[serial]
fn operations_on_a_block_are_complete_when_it_has_been_freed() {
    let program = Program::c("freed_in_use").build();
    for images in [1, 2, 3, 4] {
        for hosts in [1, 2, 3] {
            let run = Run::new(&program).images(images).virtual_hosts(hosts.min(images));
            run.finish().succeeded().silent();
        }
    }
}

#[test]
#[serial]
fn a_block_that_the_c_library_frees_or_makes_larger_is_an_error_that_names_xmprt_free() {
    let program = Program::c("wrong_free").build();
    for function in ["free", "realloc"] {
        for hosts in [1, 2] {
            let run = Run::new(&program).images(2).virtual_hosts(hosts).args([function]).finish();
            run.exited_with(1).stderr_line_with(&[
                function,
                "a block of xmprt_allocate: xmprt_free frees it, and",
            ]);
        }
    }
}

#[test]
#[serial]
fn elements_that_are_put_to_one_place_are_an_error_with_the_check() {
    let program = Program::c("sections").build();
    for hosts in [1, 2] {
        Run::new(&program)
            .images(4)
            .virtual_hosts(hosts)
            .env("XMP_CHECK", "1")
            .finish()
            .succeeded()
            .silent();
    }
}

#[test]
#[serial]
fn a_guard_whose_lock_this_image_does_not_hold_ends_the_job_with_a_message() {
    let program = Program::cpp("guards", "c++17").build();
    for hosts in [1, 2] {
        let run = Run::new(&program).images(2).virtual_hosts(hosts).finish();
        run.exited_with(1).stderr_line_with(&["xmprt_lock_release", "is not locked"]);
    }
}

#[test]
#[serial]
fn a_barrier_on_one_image_against_another_collective_is_an_error_on_all_images() {
    let program = Program::c("mismatch").build();
    for (images, hosts) in [(2, 1), (3, 1), (8, 1), (2, 2), (3, 2), (8, 2)] {
        for barrier in ["central", "flat", "dissemination", "grouped"] {
            let run = Run::new(&program).images(images).virtual_hosts(hosts);
            run.env("XMP_COLL", format!("barrier:{barrier}")).finish().succeeded().silent();
        }
    }
}

#[test]
#[serial]
fn an_exception_that_nothing_catches_is_one_message_with_its_line() {
    let program = Program::cpp("uncaught", "c++17").build();
    for (what, line, message) in [
        ("put", 11, "xmprt_put: image index 9 is not in 1:2"),
        ("place", 13, "xmprt::remote: element 5 is not within the 1 of the coarray on image 1"),
        ("program", 15, "of the program"),
    ] {
        let run = Run::new(&program).images(2).args([what]).finish();
        run.exited_with(1);
        let place = format!("uncaught.cpp:{line}: image");
        run.stderr_line_with(&[&place, &format!("uncaught exception: {message}")]);
        assert!(!run.stderr.contains("terminate called"), "{}", run.stderr);
    }
    // What is no std::exception is left to the run-time library of C++.
    let run = Run::new(&program).images(1).args(["other"]).finish();
    assert!(run.stderr.contains("terminate called"), "{}", run.stderr);
}

#[test]
#[serial]
fn errors_that_are_fatal_end_the_job_with_the_message() {
    let program = Program::c("fatal").build();
    for (way, message) in [
        ("put", "xmprt_put: image index 3 is not in 1:2"),
        ("part", "xmprt_co_gatherv: image index 1 gives 3 bytes where 4 are expected"),
        ("team", "xmprt_put: image index 3 is not in 1:2, the images of the team (number 7)"),
    ] {
        for hosts in [1, 2] {
            let run = Run::new(&program).images(2).virtual_hosts(hosts).args([way]).finish();
            run.exited_with(1).stderr_line_with(&["fatal.c:", message]);
        }
    }
}

#[test]
#[serial]
fn with_the_check_different_collectives_of_images_are_named_as_in_c() {
    let program = Program::c("differ").build();
    for (images, hosts) in [(2, 1), (3, 1), (8, 1), (3, 2), (8, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts).env("XMP_CHECK", "1");
        run.finish().succeeded().silent();
    }
}
