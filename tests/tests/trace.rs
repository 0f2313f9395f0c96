//! Traces: the timeline and the report of a program whose traffic is known, and that programs without one are as they
//! were.

use serde_json::{Value, json};
use serial_test::serial;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use xmp_hosts::installed;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::program::fortran_source;
use xmp_tests::toolchain::{output_of, toolchain, workspace};
use xmp_tests::{Linking, Outcome, Program, Run};

/// The program, which is compiled with line numbers.
fn traffic() -> PathBuf {
    Program::fortran("control/traffic").argument("-g").build()
}

/// The number of the line with a comment.
fn line(comment: &str) -> usize {
    let source = fs::read_to_string(fortran_source("control/traffic")).expect("the source");
    let end = format!("! {comment}");
    source.lines().position(|line| line.ends_with(&end)).expect("a line with the comment") + 1
}

/// A timeline that a run has written.
struct Timeline(Value);

impl Timeline {
    fn read(file: &Path) -> Timeline {
        let text = fs::read_to_string(file).expect("the timeline");
        Timeline(serde_json::from_str(&text).expect("valid JSON"))
    }

    /// The spans of an image for the statement with this comment.
    fn spans<'a>(
        &'a self,
        category: &'a str,
        image: u64,
        comment: &str,
    ) -> impl Iterator<Item = &'a Value> + 'a {
        let place = format!("traffic.f90:{}", line(comment));
        self.of_image(category, image).filter(move |event| {
            event["args"]["at"].as_str().is_some_and(|at| at.ends_with(&place))
        })
    }

    /// All spans of an image.
    fn of_image<'a>(
        &'a self,
        category: &'a str,
        image: u64,
    ) -> impl Iterator<Item = &'a Value> + 'a {
        self.events().filter(move |event| {
            event["ph"] == "X" && event["cat"] == category && event["tid"] == image
        })
    }

    fn events(&self) -> impl Iterator<Item = &Value> {
        self.0["traceEvents"].as_array().expect("events").iter()
    }

    /// Operation, partner and bytes of the spans of a statement.
    fn operations(&self, image: u64, comment: &str) -> Vec<(String, u64, u64)> {
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        self.spans("operation", image, comment)
            .map(|span| {
                let name = span["name"].as_str().expect("a name").to_string();
                (name, number(&span["args"]["partner"]), number(&span["args"]["bytes"]))
            })
            .collect()
    }
}

fn operation(name: &str, partner: u64, bytes: u64) -> (String, u64, u64) {
    (name.to_string(), partner, bytes)
}

fn traced(images: u32, hosts: u32) -> (Timeline, Outcome) {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.json");
    let run = Run::new(traffic()).images(images).virtual_hosts(hosts).launcher_option("--report");
    let outcome = run.launcher_option("--trace").launcher_option(&file).finish();
    outcome.succeeded();
    let timeline = Timeline::read(&file);
    let left: Vec<_> = fs::read_dir(directory.path()).expect("the directory").collect();
    assert_eq!(left.len(), 1, "parts are removed: {left:?}");
    (timeline, outcome)
}

#[test]
fn the_timeline_has_each_operation_with_line_partner_and_bytes() {
    for hosts in [1, 2] {
        let (timeline, _) = traced(4, hosts);
        for image in 1..=4 {
            let next = image % 4 + 1;
            assert_eq!(timeline.operations(image, "put"), vec![operation("put", next, 80); 3]);
            assert_eq!(timeline.operations(image, "get"), [operation("get", next, 8)]);
            assert_eq!(timeline.operations(image, "sum"), [operation("co_sum", 0, 8)]);
            assert_eq!(timeline.operations(image, "post"), [operation("event post", next, 0)]);
            assert_eq!(timeline.operations(image, "wait"), [operation("event wait", 0, 0)]);
            assert_eq!(timeline.operations(image, "lock"), [operation("lock", 1, 0)]);
            assert_eq!(timeline.operations(image, "unlock"), [operation("unlock", 1, 0)]);
            assert_eq!(timeline.operations(image, "form"), [operation("form team", 0, 0)]);
            assert_eq!(timeline.operations(image, "within"), [operation("sync all", 0, 0)]);
            // Images 1 and 3 are a team, 2 and 4 the other one.
            assert_eq!(timeline.operations(image, "put to itself"), [operation("put", image, 8)]);
            let last = if image % 2 == 1 { 3 } else { 4 };
            assert_eq!(timeline.operations(image, "put in a team"), [operation("put", last, 8)]);
            let allocated = timeline.operations(image, "allocate");
            assert_eq!(allocated[0], operation("allocate (all)", 0, 8000));
        }
    }
}

#[test]
fn waiting_names_the_image_that_came_late() {
    let (timeline, _) = traced(3, 1);
    for image in [2, 3] {
        let [wait] = timeline.spans("waiting", image, "late").collect::<Vec<_>>()[..] else {
            panic!("image {image} waits once");
        };
        assert_eq!(wait["name"], "sync all: waiting for image 1");
        assert!(wait["dur"].as_f64().expect("a duration") > 100_000.0, "{wait}");
        assert_eq!(wait["args"]["for"], "sync all");
    }
    assert_eq!(timeline.spans("waiting", 1, "late").count(), 0);
}

/// The spans on a track that include a time.
fn spans_at<'a>(timeline: &'a Timeline, end: &Value) -> impl Iterator<Item = &'a Value> {
    let time = |value: &Value| value.as_f64().expect("a time");
    let (process, track, at) = (end["pid"].clone(), end["tid"].clone(), time(&end["ts"]));
    timeline.events().filter(move |event| {
        event["ph"] == "X"
            && event["pid"] == process
            && event["tid"] == track
            && time(&event["ts"]) <= at
            && at <= time(&event["ts"]) + time(&event["dur"]) + 0.001
    })
}

#[test]
fn arrows_lead_from_each_transfer_post_and_partner_to_its_effect() {
    let (timeline, _) = traced(4, 1);
    let mut arrows: BTreeMap<u64, [Option<&Value>; 2]> = BTreeMap::new();
    for event in timeline.events() {
        let end = match event["ph"].as_str() {
            Some("s") => 0,
            Some("f") => 1,
            _ => continue,
        };
        let ends = arrows.entry(event["id"].as_u64().expect("a number")).or_default();
        assert_eq!(ends[end].replace(event), None, "an arrow has one end of each kind");
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, ends) in arrows {
        let [Some(from), Some(to)] = ends else { panic!("arrow {number} has two ends: {ends:?}") };
        assert!(from["ts"].as_f64() <= to["ts"].as_f64(), "{from} {to}");
        let name = from["name"].as_str().expect("a name");
        let causes: Vec<&Value> = spans_at(&timeline, from).collect();
        assert!(causes.iter().any(|span| span["name"].as_str().expect("a name").contains(name)));
        assert!(spans_at(&timeline, to).count() > 0, "{to} is on a span");
        if name == "event post" {
            let waits = spans_at(&timeline, to).any(|span| span["name"] == "event wait");
            assert!(waits, "{to} is in an event wait");
        }
        *counts.entry(name).or_default() += 1;
    }
    // Each image puts three times to its neighbour, and images 1 and 2 once within their teams; SYNC IMAGES (*) joins
    // six pairs.
    for (name, count) in [("put", 14), ("get", 4), ("event post", 4), ("sync images", 6)] {
        assert_eq!(counts.get(name), Some(&count), "{name} of {counts:?}");
    }
}

#[test]
fn the_report_has_the_numbers_of_the_program() {
    let (_, outcome) = traced(4, 1);
    let at = |comment: &str| format!("traffic.f90:{}", line(comment));
    let rows: Vec<Vec<&str>> =
        outcome.stderr.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |words: &[&str]| {
        let found = rows.iter().find(|row| row.starts_with(words));
        found.unwrap_or_else(|| panic!("no row {words:?} in\n{}", outcome.stderr))
    };
    let of_statement = |operation: &str, comment: &str| {
        let place = at(comment);
        let fits = |row: &&Vec<&str>| {
            row.join(" ").starts_with(operation) && row.iter().any(|word| word.ends_with(&place))
        };
        rows.iter().find(fits).unwrap_or_else(|| panic!("no {operation} in\n{}", outcome.stderr))
    };
    // Count, time with its unit, bytes with their unit.
    assert_eq!(of_statement("put", "put")[2], "12");
    assert_eq!(of_statement("put", "put")[5..7], ["960", "B"]);
    assert_eq!(of_statement("get", "get")[5..7], ["32", "B"]);
    // Image 1 puts 240 bytes to image 2; 8 to itself and 8 to image 3 in its team.
    assert_eq!(row(&["1", "2", "3"])[..], ["1", "2", "3", "240", "B", "1", "8", "B"]);
    assert_eq!(row(&["1", "3", "1"])[..], ["1", "3", "1", "8", "B", "0", "0", "B"]);
    assert!(outcome.stderr.contains("imbalance: image 1 computes"), "{}", outcome.stderr);
    let allocated =
        rows.iter().find(|row| row.first().is_some_and(|word| word.ends_with(&at("allocate"))));
    assert_eq!(allocated.expect("a row of the allocation")[1..4], ["4", "7.81", "KiB"]);
}

#[test]
fn the_report_says_how_memory_is_used_as_the_job_had_it() {
    for (pages, reach, expected) in [
        ("0", "0", ["huge pages: none: XMP_HUGE_PAGES=0", "copied by the system (XMP_REACH=0)"]),
        ("auto", "1", ["huge pages: ", "loads and stores from 256 bytes on (XMP_REACH)"]),
    ] {
        let run = Run::new(traffic()).images(2).launcher_option("--report");
        let outcome = run.env("XMP_HUGE_PAGES", pages).env("XMP_REACH", reach).finish();
        outcome.succeeded().stderr_line_with(&[expected[0]]);
        outcome.stderr_line_with(&["pointers to: allocated memory: ", expected[1]]);
    }
}

#[test]
fn what_does_not_fit_into_the_buffer_is_counted_and_said() {
    let run = Run::new(traffic()).images(2).launcher_option("--report");
    let outcome = run.env("XMP_TRACE_BUFFER", "640").finish();
    outcome
        .succeeded()
        .stderr_line_with(&["operations are not in the timeline", "XMP_TRACE_BUFFER"]);
    // The sums include all.
    let puts = outcome.stderr.lines().find(|row| row.starts_with("put") && row.contains("480 B"));
    assert!(puts.is_some(), "{}", outcome.stderr);
}

#[test]
fn a_trace_of_a_program_that_ends_by_an_error_has_what_it_did() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.json");
    let run = Run::new(traffic()).images(2).args(["end"]).launcher_option("--trace");
    run.launcher_option(&file).finish().exited_with(3);
    let timeline = Timeline::read(&file);
    assert_eq!(timeline.operations(1, "put").len(), 3);
    for (image, comment) in [(1, "error"), (2, "late")] {
        let [span] = timeline.spans("operation", image, comment).collect::<Vec<_>>()[..] else {
            panic!("image {image} was in {comment}");
        };
        assert_eq!(span["args"]["returned"], false, "{span}");
    }
}

#[test]
fn programs_without_the_shared_library_are_told_that_they_cannot_be_traced() {
    let program = Program::fortran("control/traffic").linking(Linking::StaticXmp).build();
    let directory = tempfile::tempdir().expect("a directory");
    let run = Run::new(program).images(2).launcher_option("--trace");
    let outcome = run.launcher_option(directory.path().join("trace.json")).finish();
    outcome.succeeded().stderr_line_with(&["no image has recorded anything", "libxmprt.a"]);
}

#[test]
fn without_the_launcher_the_setting_says_what_is_missing() {
    let run = Run::new(traffic()).env("XMP_TRACE", "trace.json").env("XMP_NUM_IMAGES", "2");
    let outcome = run.finish();
    outcome.succeeded().stderr_line_with(&["XMP_TRACE has no effect", "LD_PRELOAD", "xmprun"]);
    assert_eq!(outcome.stderr.matches("XMP_TRACE").count(), 1, "{outcome:?}");
}

/// Recording is a library of its own: `libxmprt.so` knows nothing of it, and so has no instruction for it.
#[test]
fn programs_that_are_not_traced_load_nothing_of_it() {
    let library = toolchain().prefix().join("lib/libxmprt.so");
    let dynamic = output_of("readelf", ["-d".as_ref(), library.as_os_str()]);
    assert!(!dynamic.contains("xmprt_trace"), "{dynamic}");
    let symbols = output_of("nm", ["-C".as_ref(), library.as_os_str()]);
    assert!(symbols.contains("_gfortran_caf_send"));
    let recording = symbols.lines().find(|line| line.contains("xmp_trace::"));
    assert_eq!(recording, None);
    let outcome = Run::new("/bin/sh").images(1).args(["-c", "echo \"[$LD_PRELOAD]\""]).finish();
    outcome.succeeded().stdout_is("[]\n");
}

/// Compiles the example tool, with these options.
fn tool(directory: &Path, options: &[&str]) -> PathBuf {
    let library = directory.join("libcount.so");
    let source = workspace().join("examples/tool/count.c");
    let include = toolchain().prefix().join("include/xmprt");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I"])
        .args([&include, &source])
        .args(options)
        .arg("-o")
        .arg(&library)
        .status();
    assert!(compiled.expect("a C compiler").success());
    library
}

#[test]
fn hooks_of_a_tool_are_called_for_each_operation() {
    let directory = tempfile::tempdir().expect("a directory");
    let library = tool(directory.path(), &[]);
    let run = Run::new(traffic()).images(2).launcher_option("--tool").launcher_option(&library);
    let outcome = run.finish();
    outcome.succeeded();
    let rows = |start: &str| outcome.stderr.lines().filter(|row| row.starts_with(start)).count();
    // Three puts of 80 bytes and two of 8 on each image.
    assert_eq!(rows("put                         5          256 bytes"), 2, "{}", outcome.stderr);
    assert_eq!(rows("get                         1            8 bytes"), 2, "{}", outcome.stderr);
    assert_eq!(rows("co_sum                      1            8 bytes"), 2, "{}", outcome.stderr);
}

#[test]
fn a_tool_that_cannot_be_used_ends_the_program_with_the_reason() {
    let directory = tempfile::tempdir().expect("a directory");
    let other = tool(directory.path(), &["-Dxmprt_tool_attach=something_else"]);
    for (library, reason) in
        [(Path::new("/nonexistent/libtool.so"), "libtool.so"), (&other, "xmprt_tool_attach")]
    {
        let run = Run::new(traffic()).images(1).env("XMP_TOOL", library);
        let outcome = run.finish();
        outcome.exited_with(2).stderr_line_with(&["XMP_TOOL=", reason]);
    }
}

#[test]
fn the_report_may_be_a_page_that_needs_no_other_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("report.html");
    let option = format!("--report={}", file.display());
    Run::new(traffic()).images(3).launcher_option(option).finish().succeeded();
    let page = fs::read_to_string(file).expect("the page");
    let memory = ["<dt>huge pages</dt><dd>", "<dt>pointers to</dt><dd>"];
    let parts =
        ["<!DOCTYPE html>", "<th scope=\"col\">operation</th>", "<svg class=\"heat\"", "</html>"];
    for part in memory.into_iter().chain(parts) {
        assert!(page.contains(part), "no {part}");
    }
    assert!(page.contains(&format!("traffic.f90:{}</td>", line("put"))));
    let source = fs::read_to_string(fortran_source("control/traffic")).expect("the source");
    let text = source.lines().nth(line("put") - 1).expect("the line").trim();
    assert!(page.contains(&format!("<td class=\"source\">{text}</td>")), "no {text}");
    let command = format!("<dt>command</dt><dd>{} -n 3 ", toolchain().xmprun().display());
    for property in [&*command, "<dt>date</dt><dd>20", "<dt>machine</dt><dd>", "<dt>library</dt>"] {
        assert!(page.contains(property), "no {property}");
    }
    assert!(page.contains(" after the start the images compute for "));
    assert!(page.contains("<title>image 1, image 2: 3 puts of 240 B, 1 gets of 8 B</title>"));
    for link in ["http:", "https:", "src=", "@import"] {
        assert!(!page.contains(link), "{link}");
    }
    for tag in ["table", "svg", "tbody", "style", "script"] {
        let count = |start: &str| page.matches(start).count();
        assert_eq!(count(&format!("<{tag}")), count(&format!("</{tag}>")), "{tag}");
    }
}

#[test]
fn two_runs_are_compared_statement_by_statement() {
    let directory = tempfile::tempdir().expect("a directory");
    let [first, second] = ["a.html", "b.html"].map(|name| directory.path().join(name));
    let report = |file: &Path| format!("--report={}", file.display());
    let run = || Run::new(traffic()).images(3);
    run().launcher_option(report(&first)).finish().succeeded();
    let compared = |option: String| {
        let run = run().launcher_option(option).launcher_option("--baseline");
        run.launcher_option(&first).finish()
    };
    compared(report(&second)).succeeded();
    let page = fs::read_to_string(&second).expect("the page");
    assert!(page.contains(" of the time of the baseline a.html: "), "{page}");
    for part in ["<th class=\"n\" scope=\"col\">ratio</th>", "Comparison with the baseline"] {
        assert!(page.contains(part), "no {part}");
    }
    // The page of the first run may be replaced by that of the second one.
    compared(report(&first)).succeeded();
    let text = compared("--report".into());
    text.succeeded().stderr_line_with(&["comparison", "baseline", "this run", "ratio"]);
    let puts = format!("traffic.f90:{}", line("put"));
    let rows = text.stderr.lines().filter(|row| row.starts_with("put ") && row.contains(&*puts));
    // In the comparison and in the table of operations.
    assert_eq!(rows.count(), 2, "{}", text.stderr);
}

#[test]
fn a_baseline_without_numbers_is_refused_before_the_job() {
    let directory = tempfile::tempdir().expect("a directory");
    let other = directory.path().join("other.html");
    fs::write(&other, "<!DOCTYPE html><p>something else</p>").expect("a file");
    let missing = directory.path().join("missing.html");
    for (file, status, words) in
        [(&other, 2, "it is no page that xmprun"), (&missing, 1, "cannot read")]
    {
        let run = Run::new(traffic()).images(2).launcher_option("--report");
        let outcome = run.launcher_option("--baseline").launcher_option(file).finish();
        outcome.exited_with(status).stdout_is("").stderr_line_with(&["--baseline", words]);
    }
}

#[test]
fn the_timeline_has_procedures_counters_and_one_name_for_each_process() {
    let (timeline, _) = traced(4, 1);
    let names = timeline.events().filter(|event| event["name"] == "process_name");
    assert_eq!(names.count(), 1);
    for image in 1..=4 {
        let regions: Vec<&Value> = timeline.of_image("procedure", image).collect();
        assert!(!regions.is_empty());
        let time = |span: &Value| {
            let begin = span["ts"].as_f64().expect("a time");
            [begin, begin + span["dur"].as_f64().expect("a duration")]
        };
        for put in timeline.spans("operation", image, "put") {
            let [begin, end] = time(put);
            let is_around = |region: &&&Value| {
                let [first, last] = time(region);
                first <= begin && end <= last + 0.001
            };
            let around: Vec<_> = regions.iter().filter(is_around).collect();
            assert_eq!(around.len(), 1, "{put} is in one of {regions:?}");
        }
    }
    let most = |name: &str| {
        let values = timeline.events().filter(|event| event["ph"] == "C" && event["name"] == name);
        values.map(|event| event["args"]["bytes"].as_u64().expect("bytes")).max()
    };
    // Each image allocates 8000 bytes, and puts at least 80 at a time.
    assert!(most("bytes of coarrays") >= Some(4 * 8000), "{:?}", most("bytes of coarrays"));
    assert!(most("bytes in flight") >= Some(80), "{:?}", most("bytes in flight"));
}

#[test]
fn parts_of_a_job_under_a_launcher_of_mpi_are_merged_afterwards() {
    for mpirun in mpis_with_plugin() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("trace.json");
        let library = toolchain().plugins().join("libxmprt_trace.so");
        let run = Run::new(traffic()).mpirun(&mpirun).images(2);
        run.env("LD_PRELOAD", &library).env("XMP_TRACE", &file).finish().succeeded();
        assert!(!file.exists());
        let merged = Run::xmprun([OsStr::new("--merge"), file.as_os_str()]).finish();
        merged.succeeded().stderr_line_with(&["timeline of", "trace.json"]);
        let timeline = Timeline::read(&file);
        assert_eq!(timeline.operations(2, "put"), vec![operation("put", 1, 80); 3]);
    }
}

/// Images 1 and 2 run on one host, 3 and 4 on the other one.
#[test]
#[serial]
fn the_error_of_the_clocks_of_other_hosts_is_stated() {
    let Some(network) = network(2) else { return };
    for mpirun in mpis_with_plugin() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("trace.json");
        let library = toolchain().plugins().join("libxmprt_trace.so");
        let run = Run::new(traffic()).mpirun_on(&mpirun, &network, &[2, 2]);
        run.env("LD_PRELOAD", &library).env("XMP_TRACE", &file).finish().succeeded();
        let merge = [OsStr::new("--merge"), file.as_os_str(), OsStr::new("--report")];
        let report = Run::xmprun(merge).finish();
        let timeline = Timeline::read(&file);
        let clocks = timeline.0["otherData"]["clocks"].as_array().expect("clocks");
        let [first, other] = &clocks[..] else { panic!("{clocks:?}") };
        let error = |clock: &Value| clock["error_ns"].as_u64().expect("a bound");
        // More than a message takes, also on a busy machine, would be no bound at all.
        assert!(error(first) == 0 && (1..10_000_000_000).contains(&error(other)), "{clocks:?}");
        let host = other["host"].as_str().expect("a name");
        assert_ne!(first["host"], host);
        let stated = format!("clock of host {host}: error at most ");
        report.succeeded().stderr_line_with(&[&stated]);
    }
}

/// The trace of a conformance program, which says nothing when all is well.
fn traced_program(program: Program, images: u32) -> Timeline {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("trace.json");
    let run = Run::new(program.build()).images(images).launcher_option("--trace");
    run.launcher_option(&file).finish().succeeded().stdout_is("");
    Timeline::read(&file)
}

#[test]
fn procedures_of_prif_are_recorded_with_partner_and_bytes() {
    let program = |name: &str| Program::fortran(&format!("prif/{name}")).with("with_prif");
    let timeline = traced_program(program("strided"), 3);
    // Elements of 8 bytes, three by four. Image 3 puts to its right neighbour.
    let count = |name: &str, partner: u64, bytes: u64| {
        let same = |span: &&Value| {
            let about = &span["args"];
            span["name"] == name && about["partner"] == partner && about["bytes"] == bytes
        };
        timeline.of_image("operation", 3).filter(same).count()
    };
    assert_eq!((count("put", 1, 96), count("put with notify", 1, 96)), (2, 4));
    assert_eq!((count("get", 1, 96), count("get", 2, 96)), (1, 1));
    let waits = timeline.of_image("waiting", 3).filter_map(|span| span["name"].as_str());
    assert!(waits.count() > 0);

    let timeline = traced_program(program("teams"), 4);
    let names: BTreeSet<&str> =
        timeline.of_image("operation", 4).filter_map(|span| span["name"].as_str()).collect();
    for name in ["form team", "change team", "end team", "sync team", "start", "end of program"] {
        assert!(names.contains(name), "no {name} in {names:?}");
    }
}

#[test]
fn waiting_in_directives_names_the_node_that_came_late() {
    let program = Program::xmp_c(&["late"]).argument("-g");
    names_the_late_node(&traced_program(program, 3), "tests/c/xmp/late.c", ["/* ", " */"]);
    let program = Program::xmp_fortran(&["late.f90"]);
    names_the_late_node(&traced_program(program, 3), "tests/fortran-xmp/late.f90", ["! ", ""]);
}

/// Checks what images waited for in a program whose comments name statements that one node comes late to.
fn names_the_late_node(timeline: &Timeline, path: &str, [begin, end]: [&str; 2]) {
    let source = fs::read_to_string(workspace().join(path)).expect("the source");
    let file = path.rsplit('/').next().expect("a name");
    // What the image waits for in the statement with this comment.
    let waiting = |image: u64, comment: &str| -> Option<&str> {
        let comment = format!("{begin}{comment}{end}");
        let line = source.lines().position(|line| line.ends_with(&comment)).expect("the comment");
        let place = format!("{file}:{}", line + 1);
        let is_there =
            |span: &&Value| span["args"]["at"].as_str().is_some_and(|at| at.ends_with(&place));
        let operation = timeline.of_image("operation", image).find(is_there)?;
        let wait =
            timeline.of_image("waiting", image).find(|wait| wait["ts"] == operation["ts"])?;
        wait["name"].as_str()?.split_once(": ").map(|(_, what)| what)
    };
    for (comment, late, images) in [
        ("barrier", 2, &[1, 3][..]),
        ("part", 2, &[1]),
        ("reflect", 2, &[1, 3]),
        ("reduction", 2, &[1, 3]),
        ("bcast", 1, &[2, 3]),
        ("gmove", 2, &[1, 3]),
    ] {
        for &image in images {
            let expected = format!("waiting for image {late}");
            let found = waiting(image, comment);
            assert_eq!(found, Some(&*expected), "image {image} in {comment} of {file}");
        }
    }
    // It is none of the nodes.
    assert_eq!(waiting(3, "part"), None);
}

#[test]
fn coarrays_of_translated_fortran_are_recorded_by_their_types() {
    let timeline = traced_program(Program::omni_coarray("kinds"), 2);
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for span in timeline.of_image("operation", 1).filter(|span| span["name"] == "put") {
        assert_eq!(span["args"]["partner"], 2, "{span}");
        *sizes.entry(span["args"]["bytes"].as_u64().expect("bytes")).or_default() += 1;
    }
    // Of each type a scalar, two elements, and a spread scalar: sizes 2, 4, 8 of integers and logicals, 4 and 8 of reals, 8 and 16
    // of complex numbers; of characters three times five.
    let expected = [(2, 4), (4, 8), (5, 3), (8, 11), (16, 6), (32, 1)];
    assert_eq!(sizes, BTreeMap::from(expected));
}

#[test]
fn partners_in_a_task_are_nodes_of_the_task() {
    let timeline = traced_program(Program::omni_coarray("regions"), 4);
    let of_image = |image: u64, name: &'static str| {
        timeline.of_image("operation", image).filter(move |span| span["name"] == name)
    };
    // The task has images 3 and 4. Its first image puts to its second one, three times.
    for image in [3, 4] {
        let task = of_image(image, "task").next().expect("a task");
        assert_eq!(task["args"]["images"], json!([3, 4]));
    }
    let partners: Vec<&Value> =
        of_image(3, "put").map(|put| &put["args"]["partner"]).take(3).collect();
    assert_eq!(partners, [4, 4, 4]);
    // Image 2 does not execute it.
    assert_eq!(of_image(2, "task").next().expect("the statement")["args"].get("images"), None);
}

/// Instructions that one more put of 8 bytes executes, recorded or not.
fn instructions_of_a_put(is_recorded: bool) -> u64 {
    let directory = tempfile::tempdir().expect("a directory");
    let program = Program::fortran("control/puts").build();
    let instructions = |count: u64| {
        let output = format!("--callgrind-out-file={}", directory.path().join("out").display());
        let run = Run::new("valgrind").limit(Duration::from_secs(600));
        let run = run
            .args(["--tool=callgrind", &output])
            .args([program.as_os_str()])
            .args([count.to_string()]);
        let run = run.env("XMP_NUM_IMAGES", "1").env("XMP_SEGMENT_SIZE", "64M");
        let run = if is_recorded {
            run.env("LD_PRELOAD", toolchain().plugins().join("libxmprt_trace.so"))
                .env("XMP_TRACE", directory.path().join("trace.json"))
        } else {
            run
        };
        let outcome = run.finish();
        let refs = outcome.stderr.lines().find_map(|line| line.split_once("I   refs:"));
        let (_, number) = refs.unwrap_or_else(|| panic!("no count in {outcome:?}"));
        number.trim().replace(',', "").parse::<u64>().expect("a number")
    };
    let [few, many] = [5_000, 25_000].map(instructions);
    (many - few) / 20_000
}

#[test]
fn recording_an_operation_takes_few_instructions() {
    if !installed(&["valgrind"]) {
        return;
    }
    let [without, with] = [false, true].map(instructions_of_a_put);
    // Less than 450 are measured without optimisation across crates.
    assert!(without > 0 && with - without < 600, "{without}, recorded {with}");
}
