//! The parts of race reports besides the two statements: their number, what would order them, files for editors and of races that are
//! not wanted, the exit status.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::marks;
use xmp_tests::program::fortran_source;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run};

const SOON: Duration = Duration::from_secs(300);

fn built(name: &str) -> PathBuf {
    Program::fortran(name).with("turns").argument("--check=races").argument("-O0").build()
}

fn run(program: &PathBuf, settings: &[(&str, &str)]) -> Outcome {
    let run = Run::new(program).images(2).launcher_option("--check=races");
    settings.iter().fold(run, |run, (name, value)| run.env(name, value)).finish()
}

fn line(program: &str, mark: &str) -> usize {
    let text = fs::read_to_string(fortran_source(program)).expect("the program's source");
    marks::line_of(&text, mark).expect("a marked line")
}

/// The reports of races.
fn reports(outcome: &Outcome) -> Vec<&str> {
    outcome
        .stderr
        .lines()
        .filter(|line| line.contains("nothing orders the two statements"))
        .collect()
}

#[test]
fn each_pair_of_statements_is_reported_once_and_counted_at_the_end() {
    let outcome = run(&built("races/several"), &[]);
    outcome.exited_with(1).within(SOON).stdout_is("done\n");
    let reports = reports(&outcome);
    assert_eq!(reports.len(), 2, "{}", outcome.stderr);
    outcome.stderr_line_with(&["xmp: 2 races"]);
    for variable in ["x", "work"] {
        let [first, second] =
            ["first", "second"].map(|turn| line("races/several", &format!("{turn} {variable}")));
        let places = [first, second].map(|line| format!("several.f90:{line}"));
        outcome.stderr_line_with(&[&places[0], &places[1], ": 3 times"]);
        let report = reports.iter().find(|report| places.iter().all(|it| report.contains(it)));
        let report = report.unwrap_or_else(|| panic!("{variable}: {}", outcome.stderr));
        let cure = format!(
            "synchronise the two images between line {first} and line {second} (sync images, an event); they last did at line {}",
            line("races/several", "start")
        );
        assert!(report.ends_with(&cure), "{report}");
    }
}

#[test]
fn the_cure_of_a_race_between_two_passes_of_a_loop_is_before_the_next_pass() {
    let outcome = run(&built("races/loop"), &[]);
    outcome.exited_with(1).within(SOON).stdout_is("done\n");
    let [read, put, between] = ["read", "put", "in between"].map(|mark| line("races/loop", mark));
    let cure = format!(
        "between line {read} and the next execution of line {put} (sync images, an event); they last did at line {between}"
    );
    outcome.stderr_line_with(&["halo", &cure]);
}

/// Its hooks and the library entered it, so that it counted twice, once as read.
#[test]
fn the_argument_of_a_collective_subroutine_is_accessed_once() {
    let text = "integer :: x(10)[*], v(10)
x = 1; v = 1
sync all
if (this_image() == 2) x(3)[1] = 5
if (this_image() == 1) then
call co_sum(x)
else
call co_sum(v)
end if
sync all
end
";
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("sum.f90");
    fs::write(&file, text).expect("a file");
    let program = Program::fortran_file(&file).argument("--check=races").argument("-O0").build();
    let outcome = run(&program, &[]);
    outcome.exited_with(1).within(SOON);
    assert_eq!(reports(&outcome).len(), 1, "{}", outcome.stderr);
    outcome.stderr_line_with(&["sum.f90:4 and ", "sum.f90:6: once"]);
}

#[test]
fn a_job_ends_at_its_first_race_on_request() {
    let outcome = run(&built("races/several"), &[("XMP_RACES", "first")]);
    outcome.exited_with(1).within(SOON).stdout_is("");
    assert_eq!(reports(&outcome).len(), 1, "{}", outcome.stderr);
    outcome.stderr_without("xmp: 1 race");
}

#[test]
fn the_exit_status_of_a_job_with_races_is_a_setting() {
    let program = built("races/several");
    for (status, code) in [("0", 0), ("66", 66)] {
        let outcome = run(&program, &[("XMP_RACES_STATUS", status)]);
        outcome.exited_with(code).within(SOON).stdout_is("done\n");
        outcome.stderr_line_with(&["xmp: 2 races"]);
    }
}

#[test]
fn races_that_a_file_names_are_not_reported() {
    let program = built("races/several");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("known");
    let ignoring = |text: &str| {
        fs::write(&file, text).expect("a file");
        run(&program, &[("XMP_RACES_IGNORE", file.to_str().expect("a name"))])
    };
    let outcome = ignoring("# known\nvariable wo*\n");
    outcome.exited_with(1).within(SOON);
    assert_eq!(reports(&outcome).len(), 1, "{}", outcome.stderr);
    outcome.stderr_line_with(&[
        "xmp: 1 race; others, which XMP_RACES_IGNORE names, were found 3 times",
    ]);
    let statement = format!("statement several.f90:{}\n", line("races/several", "second x"));
    let outcome = ignoring(&format!("{statement}variable work"));
    outcome.succeeded().within(SOON).stdout_is("done\n");
    assert_eq!(outcome.stderr, "");
    let outcome = ignoring("several.f90\n");
    outcome.exited_with(1).within(SOON);
    outcome.stderr_line_with(&["known:1: expected `statement FILE`"]);
}

#[test]
fn a_variable_that_is_named_hides_no_race_of_another_one_in_the_same_statements() {
    let program = built("races/alike");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("known");
    let name = file.to_str().expect("a name");
    for (known, other) in [("known", "new"), ("new", "known")] {
        fs::write(&file, format!("variable {known}\n")).expect("a file");
        let outcome = run(&program, &[("XMP_RACES_IGNORE", name)]);
        outcome.exited_with(1).within(SOON);
        let reports = reports(&outcome);
        assert_eq!(reports.len(), 1, "{}", outcome.stderr);
        assert!(reports[0].contains(&format!("{other}(1)[1]")), "{}", outcome.stderr);
    }
}

#[test]
fn editors_get_the_races_of_a_job_that_ends_in_error() {
    let program = built("races/alike");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("races.sarif");
    let name = file.to_str().expect("a name");
    for (ending, action) in [("error", "all"), ("normal", "first")] {
        fs::write(&file, "of an earlier job").expect("a file");
        let run = Run::new(&program).images(2).launcher_option("--check=races").args([ending]);
        let run = run.env("XMP_RACES", action).env("XMP_RACES_SARIF", name);
        run.finish().exited_with(1).within(SOON);
        let text = fs::read_to_string(&file).expect("the file");
        let sarif: Value = serde_json::from_str(&text).expect("valid JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("results");
        assert_eq!(results.len(), 1, "{ending}: {sarif}");
    }
    let files = fs::read_dir(&directory).expect("the directory");
    assert_eq!(files.count(), 1);
}

/// The image that had found it was ended before it said so, or had not looked yet.
#[test]
fn a_race_that_an_image_has_not_reported_when_another_one_ends_the_job_is_not_lost() {
    let program = built("races/ended");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("races.sarif");
    let [first, second] = ["first", "second"].map(|mark| line("races/ended", mark));
    let [first, second] = [first, second].map(|line| format!("ended.f90:{line}"));
    for _ in 0..5 {
        let outcome = run(&program, &[("XMP_RACES_SARIF", file.to_str().expect("a name"))]);
        outcome.exited_with(3).within(SOON);
        outcome.stderr_line_with(&[&first, &second, "x(2)", "nothing orders"]);
        outcome.stderr_line_with(&["xmp: 1 race"]);
        outcome.stderr_line_with(&[&first, &second, ": once"]);
        let text = fs::read_to_string(&file).expect("the file");
        let sarif: Value = serde_json::from_str(&text).expect("valid JSON");
        assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1), "{sarif}");
    }
}

#[test]
fn the_number_of_races_of_a_job_that_ends_in_error_is_reported_under_mpi() {
    let program = built("races/alike");
    let [put, taken] =
        ["put", "taken"].map(|mark| format!("alike.f90:{}", line("races/alike", mark)));
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun(&mpirun).images(2).env("XMP_CHECK", "races");
        let outcome = run.args(["error"]).finish();
        outcome.exited_with(1).within(SOON);
        let number = outcome.stderr.lines().filter(|line| *line == "xmp: 1 race");
        assert_eq!(number.count(), 1, "{}", outcome.stderr);
        outcome.stderr_line_with(&["  ", &put, &taken, "times"]);
    }
}

#[test]
fn the_file_of_an_earlier_job_is_removed_at_the_start() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("races.sarif");
    fs::write(&file, "of an earlier job").expect("a file");
    let program = Program::fortran("races/killed").build();
    let run = Run::new(&program).images(1).launcher_option("--check=races");
    let outcome = run.env("XMP_RACES_SARIF", &file).finish();
    assert_ne!(outcome.status.code(), Some(0), "{}", outcome.stderr);
    assert!(!file.exists());
}

#[test]
fn editors_get_all_races_in_a_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("races.sarif");
    let name = file.to_str().expect("a name");
    let read = || -> Value {
        serde_json::from_str(&fs::read_to_string(&file).expect("the file")).expect("valid JSON")
    };
    run(&built("races/several"), &[("XMP_RACES_SARIF", name)]).exited_with(1).within(SOON);
    let sarif = read();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    let lines: Vec<[u64; 2]> = results.iter().map(lines).collect();
    for variable in ["x", "work"] {
        let [first, second] = ["first", "second"]
            .map(|turn| line("races/several", &format!("{turn} {variable}")) as u64);
        assert!(lines.contains(&[first, second]) || lines.contains(&[second, first]), "{lines:?}");
    }
    assert!(results.iter().all(|result| result["occurrenceCount"] == 3), "{sarif}");
    // Of a program without races the file has none.
    let right = Program::fortran("races/local").with("turns").argument("--check=races").build();
    let run =
        Run::new(right).images(2).launcher_option("--check=races").env("XMP_RACES_SARIF", name);
    run.args(["write_put", "ordered"]).finish().succeeded().within(SOON);
    assert_eq!(read()["runs"][0]["results"], Value::Array(Vec::new()));
}

#[test]
fn the_timeline_and_the_report_have_the_races() {
    let directory = tempfile::tempdir().expect("a directory");
    let [timeline, page] = ["trace.json", "report.html"].map(|name| directory.path().join(name));
    let run = Run::new(built("races/several")).images(2).launcher_option("--check=races");
    let run = run.launcher_option("--trace").launcher_option(timeline.to_str().expect("a name"));
    let run = run.launcher_option(format!("--report={}", page.display()));
    run.finish().exited_with(1).within(SOON);
    let timeline = fs::read_to_string(&timeline).expect("the timeline");
    let timeline: Value = serde_json::from_str(&timeline).expect("valid JSON");
    let events = timeline["traceEvents"].as_array().expect("events");
    let spans: Vec<&Value> = events.iter().filter(|event| event["cat"] == "operation").collect();
    let marks: Vec<&Value> = events.iter().filter(|event| event["cat"] == "race").collect();
    assert_eq!(marks.len(), 2, "{marks:?}");
    let page = fs::read_to_string(&page).expect("the report");
    assert!(page.contains("There are 2 races"), "{page}");
    for variable in ["x", "work"] {
        let [first, second] =
            ["first", "second"].map(|turn| line("races/several", &format!("{turn} {variable}")));
        let pair = format!("several.f90:{first} and ");
        let mark = marks.iter().find(|mark| mark["name"].to_string().contains(&pair));
        let mark = mark.unwrap_or_else(|| panic!("{pair}: {marks:?}"));
        assert_eq!(mark["args"]["times"], 3);
        // It is on the track of the image, while that executes.
        let time = |event: &Value| event["ts"].as_f64().expect("a time");
        let own = |span: &&&Value| span["tid"] == mark["tid"];
        let begin = spans.iter().filter(own).map(|span| time(span)).fold(f64::MAX, f64::min);
        let end =
            spans.iter().filter(own).map(|span| time(span) + span["dur"].as_f64().unwrap_or(0.0));
        assert!((begin..=end.fold(0.0, f64::max)).contains(&time(mark)), "{mark}");
        for line in [first, second] {
            assert!(page.contains(&format!("several.f90:{line}</td>")), "{page}");
        }
        assert!(page.contains(&format!("between line {first} and line {second}")), "{page}");
    }
    let text = fs::read_to_string(fortran_source("races/several")).expect("the source");
    let statement = text.lines().nth(line("races/several", "second x") - 1).expect("a line").trim();
    assert!(page.contains(&format!("<td class=\"source\">{statement}</td>")), "{page}");
    // The report for the terminal.
    let run = Run::new(built("races/several")).images(2).launcher_option("--check=races");
    let outcome = run.launcher_option("--report").finish();
    outcome.stderr_line_with(&["There are 2 races"]);
    outcome.stderr_line_with(&["race, found 3 times: "]);
}

#[test]
fn races_beyond_the_room_for_them_are_reported_and_not_counted() {
    /// As many as are counted, and some more.
    const PAIRS: usize = 128 + 7;
    let statements =
        |image: &str| (1..=PAIRS).map(|at| format!("x({at}){image} = {at}\n")).collect::<String>();
    let text = format!(
        "integer(8) :: x({PAIRS})[*]\nx = 0\nsync all\nif (this_image() == 1) then\n{}else\n{}end if\nsync all\nend\n",
        statements(""),
        statements("[1]")
    );
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("many.f90");
    fs::write(&file, text).expect("a file");
    let program = Program::fortran_file(&file).argument("--check=races").argument("-O0").build();
    let outcome = run(&program, &[]);
    outcome.exited_with(1).within(SOON);
    assert!((PAIRS..2 * PAIRS).contains(&reports(&outcome).len()), "{}", outcome.stderr);
    outcome.stderr_line_with(&["xmp: 128 races"]);
    outcome.stderr_line_with(&["and others, which are not counted"]);
}

/// `xmpfc` with these arguments, in a directory.
fn compile(directory: &TempDir, arguments: &[&str]) {
    let mut command = Command::new(toolchain().xmpfc());
    let status = command.args(arguments).current_dir(directory).status();
    assert!(status.expect("the compiler").success(), "{arguments:?}");
}

/// Until version 14 gfortran has two layouts of the type: one in the file of the module, which debugging information has, too, and
/// another one in files that use the module.
#[test]
fn statements_of_several_files_are_reported_with_the_right_component_and_the_last_synchronisation()
{
    let directory = tempfile::tempdir().expect("a directory");
    let module = "module boxes
type inner
real, allocatable :: first(:), second(:)
end type
type outer
integer :: number
type(inner) :: inside
end type
type(outer), allocatable :: box(:)[:]
contains
subroutine meet
sync all
end subroutine
end module
";
    let main = "use boxes
allocate (box(2)[*])
allocate (box(1)%inside%first(3), box(1)%inside%second(3))
call meet
if (this_image() == 1) box(1)%inside%second(2) = 1
if (this_image() == 2) box(1)[1]%inside%second(2) = 2
call meet
end
";
    fs::write(directory.path().join("boxes.f90"), module).expect("a file");
    fs::write(directory.path().join("main.f90"), main).expect("a file");
    compile(&directory, &["--check=races", "boxes.f90", "main.f90", "-o", "program"]);
    let outcome = run(&directory.path().join("program"), &[]);
    outcome.exited_with(1).within(SOON);
    outcome.stderr_line_with(&["main.f90:5", "main.f90:6", "nothing orders the two statements"]);
    let [report] = reports(&outcome)[..] else { panic!("{}", outcome.stderr) };
    let named = ["%inside%second(2)", "a component of box(1)"];
    assert!(named.iter().any(|name| report.contains(name)), "{report}");
    assert!(!report.contains("first"), "{report}");
    assert!(report.ends_with("boxes.f90:12"), "{report}");
}

#[test]
fn sources_compiled_without_the_plug_in_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let copy = directory.path().join("installation");
    let mut command = Command::new("cp");
    let status = command.arg("-a").arg(toolchain().prefix()).arg(&copy).status();
    assert!(status.expect("the command").success());
    let races = copy.join(toolchain().plugins().strip_prefix(toolchain().prefix()).expect("in it"));
    for entry in fs::read_dir(races.join("races")).expect("the directory").flatten() {
        if entry.file_name().to_string_lossy().starts_with("plugin-") {
            fs::remove_file(entry.path()).expect("a file");
        }
    }
    fs::write(directory.path().join("a.f90"), "integer :: x(3)[*]\nx = 0\nend\n").expect("a file");
    let mut command = Command::new(copy.join("bin/xmpfc"));
    let command = command.args(["--check=races", "a.f90", "-o", "a"]).current_dir(&directory);
    assert!(command.status().expect("the compiler").success());
    let outcome = run(&directory.path().join("a"), &[]);
    outcome.succeeded().within(SOON);
    outcome.stderr_line_with(&["in a.f90: XMP-RT has no plug-in", "plugin-dev"]);
    // Of all others nothing is said, if there is one.
    compile(&directory, &["--check=races", "a.f90", "-o", "b"]);
    let has_plugin = fs::read_dir(toolchain().plugins().join("races")).expect("it").flatten();
    let mut names = has_plugin.map(|entry| entry.file_name());
    if names.any(|name| name.to_string_lossy().starts_with("plugin-")) {
        let outcome = run(&directory.path().join("b"), &[]);
        outcome.succeeded().within(SOON);
        assert_eq!(outcome.stderr, "");
    }
}

#[test]
fn sources_and_libraries_whose_accesses_are_not_seen_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let compile = |arguments: &[&str]| compile(&directory, arguments);
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("a file");
    };
    for name in ["hidden", "shared", "nameless"] {
        write(
            &format!("{name}.f90"),
            &format!("subroutine {name}(x)\ninteger :: x(*)\nx(1) = 1\nend\n"),
        );
    }
    let calls = "integer :: x(3)[*]\ncall hidden(x)\ncall shared(x)\ncall nameless(x)\nend\n";
    write("main.f90", calls);
    compile(&["-c", "hidden.f90"]);
    // The second one has no name of its own.
    let stripped = ["-shared", "-fPIC", "-g0", "-s"];
    for (source, library, name) in [
        ("shared.f90", "libshared.so", "-Wl,-soname,libshared.so"),
        ("nameless.f90", "libnameless.so", "-Wl,--build-id"),
    ] {
        compile(&[&stripped[..], &[source, "-o", library, name]].concat());
    }
    let nameless = directory.path().join("libnameless.so");
    let program = [
        "main.f90",
        "hidden.o",
        nameless.to_str().expect("a name"),
        "-L.",
        "-lshared",
        "-Wl,-rpath,$ORIGIN",
        "-o",
        "program",
    ];
    compile(&[&["--check=races"][..], &program].concat());
    let outcome = run(&directory.path().join("program"), &[]);
    outcome.succeeded().within(SOON);
    let warned = [
        "xmp: warning: ",
        "loads and stores of hidden.f90, libnameless.so, libshared.so: compile with",
    ];
    outcome.stderr_line_with(&warned);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
}

#[test]
fn functions_of_objects_without_debugging_information_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("a file");
    };
    write(
        "hidden.f90",
        "module steps\ncontains\nsubroutine advance(x)\ninteger :: x(*)\nx(1) = 1\nend\nend module\n",
    );
    write("plain.c", "static void own(int *x) { ++*x; }\nvoid plain_(int *x) { own(x); }\n");
    write(
        "main.f90",
        "use steps\ninteger :: x(3)[*]\nx = 0\ncall advance(x)\ncall plain(x)\nend\n",
    );
    compile(&directory, &["-g0", "-O0", "-c", "hidden.f90", "plain.c"]);
    compile(&directory, &["--check=races", "main.f90", "hidden.o", "plain.o", "-o", "program"]);
    let outcome = run(&directory.path().join("program"), &[]);
    outcome.succeeded().within(SOON);
    let names = "objects without debugging information, which have own, plain, steps::advance: compile with";
    outcome.stderr_line_with(&["xmp: warning: ", "loads and stores of ", names]);
    assert_eq!(outcome.stderr.lines().count(), 1, "{}", outcome.stderr);
}

/// The lines of the two statements of a result.
fn lines(result: &Value) -> [u64; 2] {
    ["locations", "relatedLocations"].map(|list| {
        let place = &result[list][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
        assert!(uri.ends_with("several.f90"), "{uri}");
        place["region"]["startLine"].as_u64().expect("a line")
    })
}
