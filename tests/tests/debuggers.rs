//! Debuggers: images that `xmprun --debug` runs under gdb or valgrind, and the stacks of a running job.

use std::process::Command;
use std::time::{Duration, Instant};
use xmp_hosts::skipped;
use xmp_tests::{Program, Run};

/// How long images may take to reach their statements on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn is_here(debugger: &str) -> bool {
    Command::new(debugger).arg("--version").output().is_ok()
}

#[test]
fn stacks_of_a_job_are_printed_once_for_all_images_that_have_them() {
    if !is_here("gdb") {
        return skipped("no gdb here");
    }
    let program = Program::fortran("control/late").argument("-g").build();
    let mut running = Run::new(program).images(4).start();
    running.lines_after("image ", 4);
    let pid = running.pid().to_string();
    let begun = Instant::now();
    let outcome = loop {
        let outcome = Run::xmprun(["--stacks", &pid]).finish();
        // The images may have been on their way to the statements.
        if outcome.stdout.contains("images 1, 3-4:\n  _gfortran_caf_sync_all")
            || begun.elapsed() > PATIENCE
        {
            break outcome;
        }
    };
    running.signal(libc::SIGTERM);
    running.finish();
    outcome.succeeded();
    let stacks: Vec<&str> = outcome.stdout.split("\nimage 2:\n").collect();
    let [others, second] = stacks[..] else { panic!("two stacks: {}", outcome.stdout) };
    assert!(others.starts_with("images 1, 3-4:\n  _gfortran_caf_sync_all"), "{others}");
    assert!(others.contains("\n  late at ") && others.contains("late.f90:7"), "{others}");
    assert!(second.contains("rest at ") && second.contains("late.f90:10"), "{second}");
    assert!(!outcome.stdout.contains("0x"), "no addresses: {}", outcome.stdout);
}

#[test]
fn a_process_without_images_is_refused() {
    let pid = std::process::id().to_string();
    let outcome = Run::xmprun(["--stacks", &pid]).finish();
    outcome.exited_with(2).stderr_line_with(&["--stacks", &pid, "no images"]);
}

#[test]
fn gdb_prints_the_stack_of_the_image_that_crashes() {
    if !is_here("gdb") {
        return skipped("no gdb here");
    }
    let program = Program::fortran("control/crashes").argument("-g").argument("-O0").build();
    let run = Run::new(program).images(3).launcher_option("--debug").launcher_option("gdb");
    let outcome = run.launcher_option("--debug-images").launcher_option("2,3").finish();
    let frames = |text: &str| text.lines().filter(|line| line.starts_with("#0 ")).count();
    assert_eq!(frames(&outcome.stdout), 1, "{outcome:?}");
    assert!(
        outcome.stdout.contains("SIGSEGV") && outcome.stdout.contains("crashes.f90:8"),
        "{outcome:?}"
    );
}

#[test]
fn valgrind_runs_images_with_small_segments() {
    if !is_here("valgrind") {
        return skipped("no valgrind here");
    }
    let program = Program::fortran("control/crashes").argument("-g").argument("-O0").build();
    let run = Run::new(program).images(2).limit(Duration::from_secs(600));
    let run = run
        .launcher_option("--debug")
        .launcher_option("valgrind")
        .launcher_option("--debug-images");
    let outcome = run.launcher_option("2").finish();
    outcome.stderr_line_with(&["==", "Invalid write of size 4"]);
    outcome.stderr_line_with(&["==", "crashes.f90:8"]);
}

#[test]
fn images_that_the_job_does_not_have_are_refused() {
    let options = ["-n", "2", "--debug", "gdb", "--debug-images", "1,3", "true"];
    Run::xmprun(options)
        .finish()
        .exited_with(2)
        .stderr_line_with(&["--debug-images 3", "2 images"]);
}
