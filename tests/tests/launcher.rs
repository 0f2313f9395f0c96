//! The behaviour of `xmprun` and of programs that start themselves: input and output, command lines, settings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_hosts::installed;
use xmp_tests::processes::processors;
use xmp_tests::{Outcome, Program, Run};

fn echo() -> PathBuf {
    Program::fortran("control/echo").build()
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
fn unknown_settings_are_named_once_a_job() {
    let program = Program::fortran("sync/sync_all").build();
    let run = || Run::new(&program).env("XMP_CEHCK", "1");
    for run in [run(), run().env("XMP_NUM_IMAGES", "3"), run().images(3)] {
        let outcome = run.finish();
        outcome.succeeded().stderr_line_with(&["XMP_CEHCK", "XMP_CHECK", "no effect"]);
        assert_eq!(outcome.stderr.matches("XMP_CEHCK").count(), 1, "{outcome:?}");
    }
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
fn wrong_command_lines_have_status_2_and_say_why() {
    let program = "/bin/true";
    Run::xmprun(["-n", "0", program]).finish().exited_with(2).stderr_line_with(&[
        "'0'",
        "--images",
        "a whole number from 1",
    ]);
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
fn more_hosts_than_images_are_an_error() {
    let outcome = Run::new(echo()).images(2).virtual_hosts(3).finish();
    outcome.exited_with(2).stderr_line_with(&["3", "hosts"]);
}

#[test]
fn a_missing_program_has_status_127() {
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
    Run::new("true").images(2).launcher_option("-q").finish().succeeded().silent();
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
        ("XMP_SEGMENT_SIZE", "16M"),
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
    // One core may be all that there is, with its hardware threads.
    let all = Run::new("/bin/sh").args(["-c", show]).finish();
    assert!(places[0] != places[1] || processors(places[0]) == processors(&all.stdout));
}

/// Other jobs may run on the processors that the scheduler has not given to this one, where it does not confine processes.
#[test]
fn a_job_has_no_more_images_by_itself_than_the_scheduler_has_given_processors() {
    let schedulers: [&[(&str, &str)]; 5] = [
        &[("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0"), ("SLURM_CPUS_PER_TASK", "1")],
        &[("SLURM_JOB_ID", "7"), ("SLURM_STEP_ID", "0"), ("SLURM_CPUS_ON_NODE", "1")],
        &[("PBS_JOBID", "7.a"), ("NCPUS", "1")],
        &[("LSB_JOBID", "7"), ("LSB_DJOB_NUMPROC", "1")],
        &[("SGE_ROOT", "/sge"), ("NSLOTS", "1")],
    ];
    for variables in schedulers {
        let job = |run: Run| {
            let run = variables.iter().fold(run, |run, &(name, value)| run.env(name, value));
            run.finish()
        };
        job(Run::xmprun([echo()])).succeeded().stdout_lines(&["1 of 1"]);
        // As many images as the machine has processors, and none is bound to one of them.
        let all = std::thread::available_parallelism().expect("a number").get();
        let program = Program::fortran("control/processors").build();
        let outcome = job(Run::new(program).images(all as u32));
        outcome.succeeded();
        let allowed: Vec<usize> = outcome.stdout.lines().map(processors).collect();
        assert_eq!(allowed.len(), all, "{outcome:?}");
        assert!(allowed.iter().all(|&count| count >= all), "{variables:?}: {outcome:?}");
    }
}

/// The options in the help of another launcher, which begins the line of each with them: `-H|-host|--host <arg0>`, `-n/-np {value}`.
fn options_in(help: &str) -> impl Iterator<Item = &str> {
    let lines = help.lines().filter_map(|line| line.split_whitespace().next());
    lines.filter(|word| word.starts_with('-')).flat_map(|word| word.split(['|', '/'])).filter(
        |option| {
            option.trim_start_matches('-').starts_with(|first: char| first.is_ascii_alphabetic())
        },
    )
}

/// The options in a table whose first column has them in quotes, on several lines if need be.
///
/// ```text
/// +----------------------+-----------------+
/// | "-c" | "--np <num>"  | Number of       |
/// |                      | processes       |
/// ```
fn options_in_table(help: &str) -> Vec<String> {
    let mut width = 0;
    let mut column = String::new();
    for line in help.lines() {
        if line.starts_with("+-") {
            width = line.rfind('+').and_then(|last| line[..last].rfind('+')).unwrap_or(0);
            column.push('\n');
        } else if let Some(cell) = line.get(1..width.max(1)).filter(|_| line.starts_with('|')) {
            let cell = cell.trim();
            column.push_str(cell);
            // A word that is continued on the next line ends with its hyphen.
            column.push_str(if cell.ends_with('-') { "" } else { " " });
        }
    }
    let quoted = column.lines().flat_map(|row| row.split('"').skip(1).step_by(2));
    let words = quoted.filter_map(|option| option.split_whitespace().next());
    words.filter(|word| word.starts_with('-')).map(String::from).collect()
}

/// What a launcher prints about its options.
fn help_of(launcher: &str, arguments: &[&str]) -> String {
    let help = Command::new(launcher).args(arguments).output();
    let help = help.unwrap_or_else(|error| panic!("cannot execute {launcher}: {error}"));
    String::from_utf8_lossy(&help.stdout).into_owned()
}

#[test]
fn every_option_of_the_other_launchers_here_is_understood_or_answered() {
    let launchers = [
        ("mpirun.openmpi", &["--allow-run-as-root", "--help", "full"][..]),
        ("mpiexec.mpich", &["-help"]),
    ];
    for (launcher, arguments) in launchers {
        if !installed(&[launcher]) {
            continue;
        }
        let help = help_of(launcher, arguments);
        let mut options: Vec<String> = options_in(&help).map(String::from).collect();
        if options.is_empty() {
            // `mpirun` of Open MPI 5 lists none; the launcher that it executes does.
            options = options_in_table(&help_of("prterun", &["--help"]));
        }
        assert!(options.len() > 20, "{launcher}: {options:?} of {help}");
        for option in options {
            // What follows are values, or the program.
            let outcome = Run::xmprun([&option, "0", "0", "/bin/true"]).finish();
            outcome.stderr_without("unexpected argument");
        }
    }
}
