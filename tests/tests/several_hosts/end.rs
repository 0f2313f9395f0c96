//! Ends, signals and stacks of jobs on several hosts.

use super::{LIMIT, ends, on, proxies_of, stand_ins};
use serial_test::serial;
use std::time::Duration;
use xmp_hosts::installed;
use xmp_tests::{Program, Run, processes};

#[test]
fn the_exit_status_is_the_programs() {
    let place = stand_ins();
    for (way, who, status) in [
        ("end", "0", 0),
        ("stop-7", "3", 7),
        ("error-stop-9", "2", 9),
        ("exit-11", "3", 11),
        ("run-time-error", "1", 2),
        ("kill", "3", 137),
    ] {
        let run =
            on(&place, "a:2,b:1", ends()).args([way, who, "end"]).env("XMP_KILL_GRACE", "300");
        let outcome = run.env("XMP_FAILURE_GRACE", "300").finish();
        assert_eq!(outcome.status.code(), Some(status), "{way}: {outcome:?}");
    }
    let run = |program: &str| on(&place, "a:1,b:1", program);
    run("/bin/false").finish().exited_with(1);
    run("./nothing").finish().exited_with(127).stderr_line_with(&["cannot start", "nothing"]);
    run("/etc/passwd").finish().exited_with(126).stderr_line_with(&["passwd"]);
}

#[test]
fn an_image_that_ends_before_the_others_have_met_ends_the_job() {
    let place = stand_ins();
    let script = r#"[ "$XMPRT_MANAGER_RANK" = 2 ] && exit 5; exec "$0""#;
    let program = Program::fortran("sync/sync_all").build();
    let run = on(&place, "a:2,b:1", "/bin/sh").args([
        "-c".as_ref(),
        script.as_ref(),
        program.as_os_str(),
    ]);
    run.finish().exited_with(5).stderr_line_with(&["image 3 on b", "before all images have met"]);
}

#[test]
#[serial]
fn signals_reach_all_images() {
    let place = stand_ins();
    // A shell that a terminal or a user ends, and one that handles a signal.
    for (signal, status) in [(libc::SIGINT, 130), (libc::SIGTERM, 143), (libc::SIGHUP, 129)] {
        let script = ["-c", "echo ready; exec sleep 600"];
        let mut job = on(&place, "a:1,b:1", "/bin/sh").args(script).start();
        job.lines_after("ready", 2);
        job.signal(signal);
        job.finish().exited_with(status);
    }
    let script = "trap 'echo got; exit 0' USR2; echo ready; while :; do sleep 0.1; done";
    let mut job = on(&place, "a:1,b:1", "/bin/sh").args(["-c", script]).start();
    job.lines_after("ready", 2);
    job.signal(libc::SIGUSR2);
    job.finish().succeeded().stdout_lines(&["got", "got", "ready", "ready"]);
}

#[test]
#[serial]
fn a_question_and_a_time_limit_show_what_images_wait_for() {
    let place = stand_ins();
    let program = Program::fortran("faults/hangs").build();
    let run = || {
        let run = on(&place, "a:2,b:2", &program).args(["event on one"]);
        run.env("XMP_DEADLOCK", "ignore").env("XMP_KILL_GRACE", "300")
    };
    let job = run().start();
    proxies_of(&job, 2);
    for _ in 0..100 {
        job.signal(libc::SIGUSR1);
        std::thread::sleep(Duration::from_millis(300));
        if job.stderr().contains("2-4 ") {
            break;
        }
    }
    job.wait_for_stderr("2-4 ", LIMIT);
    job.signal(libc::SIGTERM);
    job.finish().exited_with(143);
    let outcome = run().launcher_option("--timeout").launcher_option("3").finish();
    outcome.exited_with(124).stderr_line_with(&["2-4 "]);
    // Programs that are no images.
    let sleep = on(&place, "a:1,b:1", "/bin/sleep").args(["600"]);
    let outcome = sleep.launcher_option("--timeout").launcher_option("0.3").finish();
    outcome.exited_with(124).stderr_line_with(&["has run for"]);
}

/// Schedulers signal all processes of a job: `ssh`, proxies, monitors and images.
#[test]
#[serial]
fn signals_for_all_processes_lose_no_host_and_show_what_images_wait_for() {
    let place = stand_ins();
    let program = Program::fortran("faults/hangs").build();
    let run = on(&place, "a:2,b:2", program).args(["event on one"]);
    let job = run.env("XMP_DEADLOCK", "ignore").env("XMP_KILL_GRACE", "300").start();
    let begin = std::time::Instant::now();
    // An image that has just been started has the default of the signal, which ends it. Their monitors wait for signals.
    let are_ready = || {
        let all = job.processes();
        let has_children = |pid| all.iter().any(|&other| processes::parent(other) == pid);
        let mut images = all.iter().filter(|&&pid| !has_children(pid));
        images.all(|&pid| processes::survives(pid, libc::SIGUSR1))
    };
    proxies_of(&job, 2);
    while !are_ready() {
        assert!(begin.elapsed() < LIMIT, "{}", processes::describe(&job.processes()));
        std::thread::sleep(Duration::from_millis(20));
    }
    // Images report when they have got to their waits.
    while !job.stderr().contains("2-4 ") && begin.elapsed() < LIMIT {
        job.processes().into_iter().for_each(|pid| processes::signal(pid, libc::SIGUSR1));
        std::thread::sleep(Duration::from_millis(300));
    }
    job.wait_for_stderr("2-4 ", LIMIT);
    assert_eq!(proxies_of(&job, 2).len(), 2);
    job.processes().into_iter().for_each(|pid| processes::signal(pid, libc::SIGTERM));
    job.finish().exited_with(143).stderr_without("is lost");
}

#[test]
#[serial]
fn stacks_of_all_hosts_are_printed_once_for_all_images_that_have_them() {
    if !installed(&["gdb"]) {
        return;
    }
    let place = stand_ins();
    let program = Program::fortran("control/late").argument("-g").build();
    let mut job = on(&place, "a:2,b:2", program).start();
    job.lines_after("image ", 4);
    let proxy = proxies_of(&job, 2)[0].to_string();
    let pid = job.pid().to_string();
    let begin = std::time::Instant::now();
    let outcome = loop {
        let outcome = Run::xmprun(["--stacks", &pid]).finish();
        // The images may have been on their way to the statements.
        if outcome.stdout.contains("images 1, 3-4:\n  _gfortran_caf_sync_all")
            || begin.elapsed() > LIMIT
        {
            break outcome;
        }
    };
    // Those of one host.
    let of_one = Run::xmprun(["--stacks", &proxy]).finish();
    job.signal(libc::SIGTERM);
    job.finish();
    outcome.succeeded();
    assert!(outcome.stdout.contains("images 1, 3-4:\n  _gfortran_caf_sync_all"), "{outcome:?}");
    assert!(outcome.stdout.contains("image 2:\n"), "{outcome:?}");
    of_one.succeeded();
    assert!(of_one.stdout.contains("image"), "{of_one:?}");
    assert!(!of_one.stdout.contains("3-4"), "{of_one:?}");
}

#[test]
#[serial]
fn a_host_whose_proxy_dies_is_named_and_nothing_is_left() {
    let place = stand_ins();
    let program = Program::fortran("faults/hangs").build();
    let run = on(&place, "a:1,b:1", &program).args(["event on one"]).env("XMP_DEADLOCK", "ignore");
    // What a proxy that was killed has started is ended by the system, a moment later.
    let run = run.starting_mpi();
    for killed in [1, 2] {
        let job = run.clone().env("XMP_KILL_GRACE", "300").env("XMP_FAILURE_GRACE", "300").start();
        let proxies = proxies_of(&job, 2);
        processes::signal(proxies[killed - 1], libc::SIGKILL);
        let outcome = job.finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.stderr_line_with(&["is lost"]);
    }
    // The launcher: its proxies end the images.
    let job = run.start();
    proxies_of(&job, 2);
    job.signal(libc::SIGKILL);
    job.finish().died_of(libc::SIGKILL);
}
