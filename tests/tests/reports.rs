//! Reports of libgfortran: the backtraces of several images are kept apart, and equal ones are written once.

use std::time::Duration;
use xmp_tests::{Outcome, Program, Run};

const SOON: Duration = Duration::from_secs(300);

fn program() -> Program {
    Program::fortran("faults/run_time_errors").argument("-O0").argument("-fcheck=bounds")
}

/// The reports in what a run has written: whose they are, and their lines. Checks that each backtrace is in one piece.
fn reports(outcome: &Outcome) -> Vec<(&str, Vec<&str>)> {
    let mut reports: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in outcome.stderr.lines() {
        let message = line.strip_prefix("xmp: ");
        match message.and_then(|it| it.split_once(" report")) {
            Some((images, _)) => reports.push((images, Vec::new())),
            // Others: what the launcher says, and the first image of its wait.
            None if message.is_none() => {
                if let Some((_, lines)) = reports.last_mut() {
                    lines.push(line);
                }
            }
            None => {}
        }
    }
    for (images, lines) in &reports {
        let numbers = lines.iter().filter_map(|line| line.strip_prefix('#')?.split(' ').next());
        let numbers: Vec<usize> = numbers.filter_map(|number| number.parse().ok()).collect();
        assert!(numbers.iter().copied().eq(0..numbers.len()), "{images}: {}", outcome.stderr);
    }
    reports
}

/// A report has what libgfortran writes first, the source line and the end of the backtrace.
fn is_complete(lines: &[&str], first: &str) -> bool {
    let line = if first.starts_with("Program") {
        "run_time_errors.f90:23"
    } else {
        "run_time_errors.f90:"
    };
    lines.iter().any(|it| it.starts_with(first))
        && lines.iter().any(|it| it.contains(line))
        && lines.iter().any(|it| it.ends_with(" in main"))
}

#[test]
fn a_report_that_several_images_write_alike_is_written_once() {
    let program = program().build();
    for (what, first, status) in [
        ("subscript", "Fortran runtime error: Index '11' of dimension 1 of array 'array' above", 2),
        ("input", "Fortran runtime error: End of file", 2),
        ("signal", "Program received signal SIGSEGV", 128 + libc::SIGSEGV),
    ] {
        // An image that comes late is terminated before it has written its report.
        let together = (0..50).any(|_| {
            let outcome = Run::new(&program).images(4).args([what]).limit(SOON).finish();
            outcome.exited_with(status).stdout_is("");
            let reports = reports(&outcome);
            assert!(
                reports.iter().any(|(_, lines)| is_complete(lines, first)),
                "{}",
                outcome.stderr
            );
            reports.iter().map(|(images, _)| *images).eq(["images 2-4"])
        });
        assert!(together, "{what}: three images never reported together");
    }
}

#[test]
fn backtraces_of_several_images_are_kept_apart() {
    let program = program().build();
    let all = (0..50).any(|_| {
        let outcome = Run::new(&program).images(4).args(["own subscript"]).limit(SOON).finish();
        outcome.exited_with(2).stdout_is("");
        let reports = reports(&outcome);
        for (image, lines) in &reports {
            let number = image.strip_prefix("image ").expect("one image");
            let own = format!("Index '1{number}'");
            let found: Vec<&&str> = lines.iter().filter(|line| line.contains("Index '")).collect();
            assert!(found.iter().all(|line| line.contains(&own)), "{}", outcome.stderr);
        }
        let first = "Fortran runtime error: Index '1";
        reports.iter().filter(|(_, lines)| is_complete(lines, first)).count() == 3
    });
    assert!(all, "three images never reported in one run");
}

#[test]
fn other_lines_on_standard_error_are_passed_on_at_once() {
    let script = "echo from $$ >&2; read line; echo over >&2";
    let job = Run::new("/bin/sh").images(2).args(["-c", script]).input("").finish();
    job.succeeded().stdout_is("");
    assert_eq!(job.stderr.matches("from ").count(), 2, "{}", job.stderr);
    assert_eq!(job.stderr.matches("over\n").count(), 2, "{}", job.stderr);
}
