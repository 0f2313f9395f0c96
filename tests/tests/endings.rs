//! The ends of jobs under `xmprun`: exit statuses, error termination, deaths, signals, time-outs.

use serial_test::serial;
use std::ffi::CStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::processes::{self, Pid};
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run, Running, leaks};

/// Error termination reaches all images within this time, on a busy machine too (`XMP_KILL_GRACE` is 1 s).
const SOON: Duration = Duration::from_secs(300);

fn ends() -> PathBuf {
    Program::fortran("control/ends").with("victim").build()
}

fn signals() -> PathBuf {
    Program::fortran("control/signals").with("victim").build()
}

/// All `images` end in this way.
fn all_end(images: u32, way: &str) -> Outcome {
    Run::new(ends()).images(images).args([way, "0"]).finish()
}

#[test]
fn the_exit_status_is_the_programs() {
    for (way, status) in [
        ("end", 0),
        ("stop", 0),
        ("stop-7", 7),
        ("stop-256", 1),
        ("stop-text", 0),
        ("stop-quiet", 8),
        ("error-stop", 1),
        ("error-stop-9", 9),
        ("error-stop-256", 1),
        ("error-stop-text", 1),
        ("error-stop-quiet", 10),
        ("exit-0", 0),
        ("exit-11", 11),
        ("run-time-error", 2),
        ("abort", 128 + libc::SIGABRT),
        ("kill", 128 + libc::SIGKILL),
    ] {
        for images in [1, 3] {
            all_end(images, way).exited_with(status);
        }
    }
}

#[test]
fn images_whose_output_has_no_reader_end_without_a_word() {
    let program = Program::fortran("control/talks").build();
    let line = r#""$0" -n 4 $2 "$1" | head -n 1; exit ${PIPESTATUS[0]}"#;
    for options in ["", "--prefix-output", "--virtual-hosts 2"] {
        let run = Run::new("/bin/bash").args(["-c", line]).args([toolchain().xmprun()]);
        let outcome = run.args([&program]).args([options]).finish();
        outcome.exited_with(128 + libc::SIGPIPE);
        assert_eq!((outcome.stdout.lines().count(), &*outcome.stderr), (1, ""), "{options}");
    }
}

#[test]
fn floating_point_exceptions_that_are_signalling_are_named() {
    for (way, status) in [("stop-exception", 12), ("error-stop-exception", 1)] {
        all_end(1, way).exited_with(status).stderr_line_with(&["IEEE_DIVIDE_BY_ZERO"]);
    }
    all_end(1, "stop-exception-quiet").exited_with(13).silent();
}

#[test]
fn stop_codes_are_written_to_standard_error() {
    all_end(2, "stop-7").stderr_line_with(&["STOP 7"]);
    all_end(2, "stop-text").stderr_line_with(&["STOP enough"]);
    all_end(2, "error-stop-9").stderr_line_with(&["ERROR STOP 9"]);
    all_end(2, "error-stop-text").stderr_line_with(&["ERROR STOP too bad"]);
    all_end(2, "run-time-error").stderr_line_with(&["Fortran runtime error"]);
    all_end(2, "stop").silent();
    all_end(2, "stop-quiet").silent();
    all_end(2, "error-stop-quiet").silent();
}

#[test]
fn one_image_that_stops_leaves_the_others_alone() {
    let run = Run::new(ends()).images(4).args(["stop-7", "2", "end"]);
    let others = ["image 1 reached the end", "image 3 reached the end", "image 4 reached the end"];
    run.finish().exited_with(7).stdout_lines(&others);
    Run::new(ends()).images(4).args(["exit-0", "3", "end"]).finish().succeeded().stdout_lines(&[
        "image 1 reached the end",
        "image 2 reached the end",
        "image 4 reached the end",
    ]);
}

#[test]
#[serial]
fn error_stop_of_one_image_ends_the_others_whatever_they_do() {
    for busy in ["sync-all", "sync-images", "event", "lock", "co-sum", "compute", "sleep"] {
        let run = Run::new(ends()).images(4).args(["error-stop-9", "3", busy]);
        let outcome = run.finish();
        outcome.exited_with(9).within(SOON).stdout_is("").stderr_line_with(&["ERROR STOP 9"]);
        // The others do not complain of their neighbour.
        outcome.stderr_without("xmp:");
    }
}

#[test]
#[serial]
fn exit_with_another_status_than_0_lets_the_other_images_go_on() {
    let others = ["image 1 reached the end", "image 3 reached the end"];
    for hosts in [1, 3] {
        let run = Run::new(ends()).images(3).virtual_hosts(hosts).args(["exit-11", "2", "end"]);
        run.finish().exited_with(11).stdout_lines(&others);
    }
    // Who needs the image learns that it has stopped.
    let outcome = Run::new(ends()).images(3).args(["exit-11", "2", "sync-all"]).finish();
    assert!(!outcome.status.success(), "{outcome:?}");
    outcome.stderr_line_with(&["sync all", "image 2"]);
}

#[test]
#[serial]
fn a_return_of_a_c_main_program_lets_the_other_images_go_on() {
    for program in [Program::c("returns"), Program::xmp_c(&["returns"])] {
        let program = program.build();
        for way in ["return", "exit"] {
            let run = || Run::new(&program).args([way]);
            run().images(3).finish().exited_with(3).stdout_lines(&["went on: 2", "went on: 3"]);
            for mpirun in mpis_with_plugin() {
                let outcome = run().mpirun(&mpirun).images(3).finish();
                assert!(!outcome.status.success(), "{outcome:?}");
                assert_eq!(outcome.stdout.matches("went on").count(), 2, "{outcome:?}");
            }
        }
    }
}

#[test]
#[serial]
fn a_run_time_error_of_the_compilers_library_ends_the_job() {
    let archive = Program::fortran("control/ends").with("victim").argument("-static-libgfortran");
    for program in [ends(), archive.build()] {
        let run = Run::new(program).images(3).args(["run-time-error", "2", "sync-all"]);
        let outcome = run.finish();
        outcome.exited_with(2).within(SOON).stderr_line_with(&["Fortran runtime error"]);
    }
}

#[test]
#[serial]
fn error_stop_ends_other_hosts_too() {
    for busy in ["sync-all", "co-sum", "event"] {
        Run::new(ends())
            .images(4)
            .virtual_hosts(2)
            .args(["error-stop-9", "4", busy])
            .finish()
            .exited_with(9)
            .within(SOON);
    }
}

#[test]
#[serial]
fn the_death_of_an_image_is_reported_with_its_signal() {
    for (way, number) in [("kill", libc::SIGKILL), ("abort", libc::SIGABRT)] {
        let outcome = Run::new(ends()).images(4).args([way, "2", "sync-all"]).finish();
        outcome.exited_with(128 + number).within(SOON);
        outcome.stderr_line_with(&["image 2", &format!("signal {number}")]);
    }
}

#[test]
#[serial]
fn an_unnoticed_death_ends_the_job_after_the_grace_period() {
    let outcome = Run::new(ends())
        .images(3)
        .args(["kill", "2", "sleep"])
        .env("XMP_FAILURE_GRACE", "300")
        .finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON).stderr_line_with(&["image 2"]);
}

#[test]
#[serial]
fn a_program_that_started_itself_ends_like_one_under_the_launcher() {
    let run = Run::new(ends()).env("XMP_NUM_IMAGES", "3");
    run.clone().args(["stop-7", "0"]).finish().exited_with(7);
    run.clone().args(["error-stop-9", "2", "sync-all"]).finish().exited_with(9).within(SOON);
    run.clone().args(["kill", "2", "sync-all"]).finish().exited_with(137).within(SOON);
}

/// A job of 3 images that have said that they are there, with the processes of the images.
fn started(what: &str) -> (Running, Vec<Pid>) {
    let mut job = Run::new(signals()).images(3).args([what]).start();
    let images = job
        .lines_after("ready ", 3)
        .iter()
        .map(|line| line.split(' ').nth(1).expect("a process").parse().expect("a number"))
        .collect();
    (job, images)
}

#[test]
#[serial]
fn signals_for_the_launcher_end_the_job() {
    for what in ["sync-all", "compute", "sleep"] {
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            let (job, _) = started(what);
            job.signal(signal);
            job.finish().exited_with(128 + signal).within(SOON);
        }
    }
}

#[test]
#[serial]
fn signals_for_the_launcher_end_images_that_are_stopped() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        let (job, images) = started("sleep");
        for process in images {
            processes::signal(process, libc::SIGSTOP);
        }
        job.signal(signal);
        job.finish().exited_with(128 + signal).within(SOON);
    }
}

#[test]
fn user_signals_are_forwarded() {
    let (job, _) = started("sleep");
    job.signal(libc::SIGUSR1);
    let outcome = job.finish();
    outcome.succeeded();
    let signalled = outcome.stdout.lines().filter(|line| line.starts_with("signal ")).count();
    assert_eq!(signalled, 3, "{}", outcome.stdout);
}

#[test]
#[serial]
fn nothing_survives_the_launcher() {
    for what in ["sync-all", "compute", "sleep"] {
        let (mut job, _) = started(what);
        let memory = job.shared_memory();
        assert!(!memory.is_empty(), "images map the memory of the job");
        job.signal(libc::SIGKILL);
        job.wait();
        leaks::assert_unmapped(&memory);
        let deadline = Instant::now() + SOON;
        while !job.processes().is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
        job.finish().died_of(libc::SIGKILL);
    }
}

#[test]
#[serial]
fn children_that_an_image_leaves_behind_are_ended() {
    // A child of an image that outlives it.
    let script = "sleep 1000 & echo started";
    Run::new("/bin/sh").images(2).args(["-c", script]).finish().succeeded();
}

#[test]
#[serial]
fn the_timeout_ends_the_job_with_status_124() {
    for what in ["sync-all", "compute", "sleep"] {
        Run::new(signals())
            .images(2)
            .launcher_option("--timeout")
            .launcher_option("0.4")
            .args([what])
            .finish()
            .exited_with(124)
            .within(SOON)
            .stderr_line_with(&["has run for"]);
    }
    Run::new(ends())
        .images(2)
        .launcher_option("--timeout")
        .launcher_option("50")
        .args(["end", "0"])
        .finish()
        .succeeded();
}

/// A terminal that `master` is the other end of. Its processes are in a session of their own.
struct Terminal {
    master: File,
    slave: File,
}

impl Terminal {
    fn open() -> Terminal {
        // SAFETY: a new descriptor or -1; the calls after it change the terminal of that descriptor only.
        let master = unsafe {
            let master = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            assert!(master >= 0 && libc::grantpt(master) == 0 && libc::unlockpt(master) == 0);
            File::from_raw_fd(master)
        };
        let mut name = [0; 64];
        // SAFETY: room for this many characters.
        let code = unsafe { libc::ptsname_r(master.as_raw_fd(), name.as_mut_ptr(), name.len()) };
        assert_eq!(code, 0);
        // SAFETY: the system has written a string.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_str().expect("a path");
        let mut options = File::options();
        let slave = options.read(true).write(true).custom_flags(libc::O_NOCTTY).open(name);
        Terminal { master, slave: slave.expect("the terminal") }
    }

    /// Starts a command that leads the session of the terminal.
    fn start(&self, command: &mut Command) -> Child {
        let end = || Stdio::from(self.slave.try_clone().expect("a descriptor"));
        command.stdin(end()).stdout(end()).stderr(end());
        // SAFETY: system calls only.
        unsafe {
            command.pre_exec(|| {
                // The tests may run under `nohup`.
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                match (libc::setsid(), libc::ioctl(0, libc::TIOCSCTTY, 0)) {
                    (1.., 0) => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        command.spawn().expect("xmprun starts")
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_job_of_its_session_leader() {
    let terminal = Terminal::open();
    let mut command = Command::new(toolchain().xmprun());
    command.args(["-n", "2"]).arg(signals()).arg("compute");
    let mut xmprun = terminal.start(&mut command);
    let Terminal { master, slave } = terminal;
    drop(slave);
    let lines = BufReader::new(&master).lines().map(|line| line.expect("text"));
    let ready: Vec<String> = lines.filter(|line| line.starts_with("ready ")).take(2).collect();
    let images: Vec<Pid> = ready
        .iter()
        .map(|line| line.split(' ').nth(2).expect("a process").trim().parse().unwrap())
        .collect();
    drop(master);
    let start = Instant::now();
    let status = loop {
        if let Some(status) = xmprun.try_wait().expect("a child") {
            break status;
        }
        if start.elapsed() > SOON {
            xmprun.kill().expect("it runs");
            panic!("the job goes on without its terminal");
        }
        thread::sleep(Duration::from_millis(10));
    };
    assert_eq!(status.code(), Some(128 + libc::SIGHUP));
    assert!(images.iter().all(|image| !PathBuf::from(format!("/proc/{image}")).exists()));
}
