//! The beginning and the end of jobs, which leave nothing behind.

use serial_test::serial;
use std::time::Duration;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Program, Run, leaks};

#[test]
fn a_program_without_coarrays_runs_as_often_as_there_are_images() {
    let program = Program::fortran("control/plain").build();
    Run::new(&program).finish().succeeded().stdout_is("plain Fortran\n");
    let thrice = ["plain Fortran"; 3];
    Run::new(&program).images(3).finish().succeeded().stdout_lines(&thrice);
    Run::new(&program).env("XMP_NUM_IMAGES", "3").finish().succeeded().stdout_lines(&thrice);
}

#[test]
fn a_c_main_program_may_call_fortran_with_coarrays() {
    let program = Program::c_with_fortran("calls_fortran", "control/library").build();
    Run::new(&program).finish().succeeded().stdout_is("1 images\n");
    for images in [1, 2, 4] {
        Run::new(&program)
            .images(images)
            .finish()
            .succeeded()
            .stdout_is(&format!("{images} images\n"));
    }
    Run::new(&program).env("XMP_NUM_IMAGES", "3").finish().succeeded().stdout_is("3 images\n");
}

#[test]
fn an_image_that_has_stopped_is_known_as_stopped() {
    let program = Program::fortran("control/after_stop").with("victim").build();
    for (hosts, broadcast) in [(1, "broadcast"), (2, "no-broadcast")] {
        let run = Run::new(&program).images(4).virtual_hosts(hosts).args([broadcast]);
        run.finish().succeeded().stdout_lines(&["went on: 1", "went on: 3", "went on: 4"]);
    }
}

#[test]
fn pointer_components_stay_accessible_until_all_images_have_stopped() {
    let program = Program::fortran("control/after_end").with("victim").build();
    for (images, hosts) in [(2, 1), (5, 1), (5, 2)] {
        Run::new(&program).images(images).virtual_hosts(hosts).finish().succeeded().silent();
    }
}

#[test]
fn any_thread_may_ask_for_the_image() {
    let program = Program::fortran("control/threads_ask").argument("-fopenmp");
    let program = program.build();
    for images in [1, 3] {
        Run::new(&program).images(images).finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn waiting_for_an_image_that_has_stopped_ends_the_job() {
    let program = Program::fortran("control/ends").with("victim").build();
    // By STOP, by exit (without finalizing), and by the end of the program.
    for way in ["stop", "exit-0", "end"] {
        for (waiting, operation) in
            [("sync-all", "sync all"), ("sync-images", "sync images"), ("co-sum", "co_sum")]
        {
            let outcome = Run::new(&program).images(4).args([way, "2", waiting]).finish();
            outcome.exited_with(1).within(Duration::from_secs(300));
            outcome.stderr_line_with(&["image", operation, "image 2 has stopped"]);
        }
    }
}

#[test]
fn leaving_with_exit_is_normal_termination() {
    let program = Program::fortran("control/ends").with("victim").build();
    Run::new(&program).images(3).args(["exit-0", "0"]).finish().succeeded().silent();
}

#[test]
#[serial]
fn two_jobs_at_once_do_not_meet() {
    let program = Program::fortran("collectives/mixed").build();
    let other = Program::fortran("events/producer_consumer").build();
    for _ in 0..3 {
        let jobs = [(&program, 3), (&program, 4), (&other, 2)]
            .map(|(program, images)| Run::new(program).images(images).start());
        for job in jobs {
            job.finish().succeeded().silent();
        }
    }
}

#[test]
#[serial]
fn jobs_started_within_a_job_are_jobs_of_their_own() {
    let program = Program::fortran("sync/sync_all").build();
    let xmprun = xmp_tests::toolchain::toolchain().xmprun();
    // The processes of the outer job are launchers, which is not worth a warning here.
    let outer = Run::new(&xmprun).images(2).launcher_option("-q");
    outer.args(["-n", "2"]).args([&program]).finish().succeeded().silent();
}

#[test]
#[serial]
fn sixty_four_images_share_the_cores() {
    let program = Program::fortran("control/many_images").build();
    for hosts in [1, 4] {
        Run::new(&program).images(64).virtual_hosts(hosts).finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn the_memory_of_a_job_is_gone_when_it_has_ended() {
    let program = Program::fortran("control/signals").with("victim").build();
    for signal in [libc::SIGUSR1, libc::SIGTERM] {
        let mut job = Run::new(&program).images(3).args(["sleep"]).start();
        job.lines_after("ready ", 3);
        let memory = job.shared_memory();
        assert!(!memory.is_empty(), "images map the memory of the job");
        job.signal(signal);
        job.finish();
        leaks::assert_unmapped(&memory);
    }
}

#[test]
#[serial]
fn memory_that_has_been_deallocated_is_used_again() {
    // 150 times 16 MB and more on each of 2 images, within 80 MB.
    let program = Program::fortran("allocation/many_times").build();
    Run::new(&program).images(2).env("XMP_MEMORY_LIMIT", "80M").finish().succeeded().silent();
}

/// What every program executes is adjacent in the library. `./x layout` makes the list anew.
#[test]
fn little_of_the_librarys_code_is_in_the_memory_of_an_empty_program() {
    // Kilobytes: 430, and 260 because tests have settings, which are read. Each function that the list lacks adds up to 64.
    const MAX_KILOBYTES: u32 = 900;
    if !toolchain().is_optimised() {
        return skipped(
            Requirement::Optimised,
            "the list has the functions of an optimised library",
        );
    }
    let program = Program::fortran("control/resident").build();
    let outcome = Run::new(&program).images(2).finish();
    outcome.succeeded();
    let sizes: Vec<u32> = outcome.stdout.lines().map(|line| line.parse().expect(line)).collect();
    assert_eq!(sizes.len(), 2, "a line of each image");
    for kilobytes in sizes {
        assert!(
            (1..MAX_KILOBYTES).contains(&kilobytes),
            "{kilobytes} KB of code in memory: write ffi/layout.ld by ./x layout"
        );
    }
}

#[test]
fn segments_may_be_made_small() {
    let program = Program::fortran("allocation/basics").build();
    Run::new(&program).images(3).env("XMP_SEGMENT_SIZE", "128M").finish().succeeded().silent();
}
