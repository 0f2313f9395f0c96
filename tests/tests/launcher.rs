//! What users of `xmprun` see, and of programs that start themselves.

use serial_test::serial;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;
use xmp_tests::processes::Pid;
use xmp_tests::{Outcome, Program, Run, Running, leaks};

/// Error termination reaches everybody within this time, on a busy machine too (`XMP_KILL_GRACE` is 1 s).
const SOON: Duration = Duration::from_secs(8);

fn echo() -> PathBuf {
    Program::fortran("control/echo").build()
}

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
fn standard_input_goes_to_image_1() {
    Run::new(echo()).images(3).input("one\ntwo\n").finish().succeeded().stdout_lines(&[
        "1 read one",
        "1 read two",
        "1 of 3",
        "2 of 3",
        "3 of 3",
    ]);
}

#[test]
fn large_standard_input_arrives_whole() {
    let lines = 20_000;
    let input: String = (0..lines).map(|number| format!("line {number}\n")).collect();
    let outcome = Run::new(echo()).images(2).input(input).finish();
    outcome.succeeded();
    let read = outcome.stdout.lines().filter(|line| line.starts_with("1 read line ")).count();
    assert_eq!(read, lines);
}

#[test]
fn prefix_output_names_the_image_of_each_line() {
    let outcome =
        Run::new(echo()).images(2).launcher_option("--prefix-output").input("text\n").finish();
    outcome.succeeded().stdout_lines(&["[1] 1 read text", "[1] 1 of 2", "[2] 2 of 2"]);
    outcome.stderr_line_with(&["[2] to standard error"]);
}

#[test]
fn arguments_and_environment_reach_every_image() {
    Run::new("/bin/sh")
        .images(2)
        .args(["-c", r#"echo "$GREETING,$1,$2,$#""#, "sh", "two words", ""])
        .env("GREETING", "hello")
        .finish()
        .succeeded()
        .stdout_is("hello,two words,,2\nhello,two words,,2\n");
}

#[test]
fn options_behind_the_program_are_its_own() {
    Run::new("/bin/echo").images(1).args(["-n", "3", "--info"]).finish().stdout_is("3 --info");
}

#[test]
fn a_reader_that_goes_away_ends_the_job() {
    let xmprun = xmp_tests::toolchain::toolchain().xmprun();
    let pipe = format!("'{}' -n 2 yes | head -n 1", xmprun.display());
    Run::new("/bin/sh").args(["-c", &pipe]).finish().succeeded().stdout_is("y\n");
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
fn exit_with_another_status_than_0_is_error_termination() {
    for way in ["exit-11", "run-time-error"] {
        let outcome = Run::new(ends()).images(3).args([way, "2", "sleep"]).finish();
        outcome.exited_with(if way == "exit-11" { 11 } else { 2 }).within(SOON);
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
fn a_death_that_nobody_notices_ends_the_job_after_the_grace_period() {
    let outcome = Run::new(ends())
        .images(3)
        .args(["kill", "2", "sleep"])
        .env("XMP_FAILURE_GRACE", "300")
        .finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON).stderr_line_with(&["image 2"]);
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
fn user_signals_are_handed_on() {
    let (job, _) = started("sleep");
    job.signal(libc::SIGUSR1);
    let outcome = job.finish();
    outcome.succeeded();
    let told = outcome.stdout.lines().filter(|line| line.starts_with("told ")).count();
    assert_eq!(told, 3, "{}", outcome.stdout);
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
        leaks::assert_nobody_maps(&memory);
        for _ in 0..1000 {
            if job.processes().is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        job.finish().died_of(libc::SIGKILL);
    }
}

#[test]
#[serial]
fn images_end_as_children_of_nobody_are_not_left() {
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
    Run::new(echo())
        .images(2)
        .launcher_option("--timeout")
        .launcher_option("50")
        .finish()
        .succeeded();
}

#[test]
fn wrong_command_lines_have_status_2_and_say_why() {
    let program = "/bin/true";
    Run::xmprun(["-n", "0", program])
        .finish()
        .exited_with(2)
        .stderr_line_with(&["'0'", "--images"]);
    Run::xmprun(["-n", "-3", program]).finish().exited_with(2);
    Run::xmprun(["-n", "many", program]).finish().exited_with(2).stderr_line_with(&["'many'"]);
    Run::xmprun(["-n", "2", "--bind", "moon", program])
        .finish()
        .exited_with(2)
        .stderr_line_with(&["'moon'"]);
    Run::xmprun(["-n", "2"]).finish().exited_with(2).stderr_line_with(&["program"]);
    Run::xmprun(["--frobnicate", program])
        .finish()
        .exited_with(2)
        .stderr_line_with(&["--frobnicate"]);
    Run::xmprun(["-n", "2", "--timeout", "-1", program]).finish().exited_with(2);
    Run::xmprun(["-n", "2", "--virtual-hosts", "0", program]).finish().exited_with(2);
}

#[test]
fn more_hosts_than_images_are_an_error_or_one_image_each() {
    let outcome = Run::new(echo()).images(2).virtual_hosts(3).finish();
    outcome.exited_with(2).stderr_line_with(&["3", "hosts"]);
}

#[test]
fn a_program_that_is_not_there_has_status_127() {
    Run::new("/no/such/program")
        .images(2)
        .finish()
        .exited_with(127)
        .stderr_line_with(&["/no/such/program"]);
    Run::new("no-such-command-anywhere")
        .images(2)
        .finish()
        .exited_with(127)
        .stderr_line_with(&["no-such-command-anywhere"]);
}

#[test]
fn a_program_that_cannot_be_executed_has_status_126() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("data");
    fs::write(&file, "no program").expect("a file");
    Run::new(&file).images(2).finish().exited_with(126).stderr_line_with(&["data"]);
    Run::new(directory.path()).images(2).finish().exited_with(126);
}

#[test]
fn programs_are_found_in_the_path() {
    Run::new("true").images(2).finish().succeeded().silent();
}

#[test]
fn info_shows_the_machine_the_job_and_the_settings() {
    let outcome = Run::xmprun(["-n", "3", "--virtual-hosts", "2", "--info"]).finish();
    outcome.succeeded();
    for part in ["cores", "NUMA", "images", "hosts", "transports", "XMP_NUM_IMAGES", "XMP_SPIN"] {
        assert!(outcome.stdout.contains(part), "no {part} in:\n{}", outcome.stdout);
    }
}

#[test]
fn info_shows_the_values_of_settings_and_runs_nothing() {
    let outcome =
        Run::xmprun(["-n", "2", "--info", "/bin/echo", "ran"]).env("XMP_YIELDS", "5").finish();
    outcome.succeeded();
    assert!(outcome.stdout.contains("XMP_YIELDS=5"), "{}", outcome.stdout);
    assert!(!outcome.stdout.lines().any(|line| line == "ran"), "{}", outcome.stdout);
}

#[test]
fn virtual_hosts_may_come_from_the_environment() {
    let hosts = |outcome: Outcome| {
        let row = outcome.stdout.lines().find(|line| line.trim_start().starts_with("hosts"));
        row.unwrap_or_default().split_whitespace().nth(1).map(str::to_string)
    };
    let info = Run::xmprun(["-n", "4", "--info"]).env("XMP_VIRTUAL_HOSTS", "2");
    assert_eq!(hosts(info.finish()).as_deref(), Some("2"));
    let info =
        Run::xmprun(["-n", "4", "--virtual-hosts", "4", "--info"]).env("XMP_VIRTUAL_HOSTS", "2");
    assert_eq!(hosts(info.finish()).as_deref(), Some("4"));
}

#[test]
fn the_log_goes_to_standard_error() {
    let outcome = Run::new(echo()).images(2).env("XMP_LOG", "trace").finish();
    outcome.succeeded().stdout_lines(&["1 of 2", "2 of 2"]);
    assert!(outcome.stderr.lines().count() > 1, "nothing is logged:\n{}", outcome.stderr);
}

#[test]
fn settings_that_cannot_be_are_rejected_by_name() {
    let program = echo();
    for (name, value) in [
        ("XMP_NUM_IMAGES", "0"),
        ("XMP_NUM_IMAGES", "four"),
        ("XMP_VIRTUAL_HOSTS", "-1"),
        ("XMP_SEGMENT_SIZE", "1Q"),
        ("XMP_SEGMENT_SIZE", "16777216"),
        ("XMP_MEMORY_LIMIT", "much"),
        ("XMP_SPIN", "-2"),
        ("XMP_YIELDS", "1e3"),
        ("XMP_COLL", "barrier"),
        ("XMP_FAILURE_GRACE", "soon"),
        ("XMP_KILL_GRACE", ""),
        ("XMP_LOG", ""),
    ] {
        let launched = Run::new(&program).images(2).env(name, value).finish();
        launched.exited_with(2).stderr_line_with(&[name, value]);
        let alone = Run::new(&program).env(name, value).finish();
        alone.exited_with(2).stderr_line_with(&[name, value]);
    }
}

#[test]
fn a_program_by_itself_is_one_image() {
    Run::new(echo()).input("line\n").finish().succeeded().stdout_lines(&["1 read line", "1 of 1"]);
}

#[test]
fn a_program_starts_itself_as_many_images_as_the_environment_says() {
    let outcome = Run::new(echo()).env("XMP_NUM_IMAGES", "3").input("line\n").finish();
    outcome.succeeded().stdout_lines(&["1 read line", "1 of 3", "2 of 3", "3 of 3"]);
}

#[test]
#[serial]
fn a_program_that_started_itself_ends_like_one_under_the_launcher() {
    let run = Run::new(ends()).env("XMP_NUM_IMAGES", "3");
    run.clone().args(["stop-7", "0"]).finish().exited_with(7);
    run.clone().args(["error-stop-9", "2", "sync-all"]).finish().exited_with(9).within(SOON);
    run.clone().args(["kill", "2", "sync-all"]).finish().exited_with(137).within(SOON);
}

#[test]
fn the_launchers_option_is_stronger_than_the_environment() {
    let outcome = Run::new(echo()).images(2).env("XMP_NUM_IMAGES", "5").finish();
    outcome.succeeded().stdout_lines(&["1 of 2", "2 of 2"]);
}

#[test]
fn the_environment_says_how_many_images_the_launcher_starts() {
    let xmprun = Run::xmprun([echo()]).env("XMP_NUM_IMAGES", "3").finish();
    xmprun.succeeded().stdout_lines(&["1 of 3", "2 of 3", "3 of 3"]);
}

#[test]
fn programs_that_an_image_starts_are_not_images() {
    // The inner program is one image by itself and does not join the job.
    let outcome =
        Run::new(Path::new("/bin/sh")).args(["-c", r#""$0" </dev/null"#]).args([echo()]).finish();
    outcome.succeeded().stdout_lines(&["1 of 1"]);
}

#[test]
fn images_are_bound_where_the_user_says() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let show = "grep Cpus_allowed_list /proc/self/status";
    let bound = Run::new("/bin/sh")
        .images(2)
        .launcher_option("--bind")
        .launcher_option("core")
        .args(["-c", show])
        .finish();
    bound.succeeded();
    let mut places: Vec<&str> = bound.stdout.lines().collect();
    places.sort_unstable();
    assert_eq!(places.len(), 2, "{}", bound.stdout);
    assert!(cores < 2 || places[0] != places[1], "both images have {}", places[0]);
}
