//! Traces: the timeline of a program whose traffic is known, and of programs that cannot be traced or end early.

use serde_json::Value;
use serial_test::serial;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::timeline::{Timeline, traced, traced_program, traffic};
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Linking, Program, Run};

fn operation(name: &str, partner: u64, bytes: u64) -> (String, u64, u64) {
    (name.to_string(), partner, bytes)
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

/// [`Timeline::read`] checks the format. Here all kinds of events are there: of several hosts, threads and memory.
#[test]
fn every_event_of_a_timeline_has_what_viewers_of_the_format_demand() {
    let (timeline, _) = traced(4, 2);
    let threads = traced_program(Program::c("threads").argument("-pthread"), 4);
    for (of, phases) in [(&timeline, "MCXsf"), (&threads, "MCX")] {
        for phase in phases.chars() {
            let has = of.events().any(|event| event["ph"] == phase.to_string());
            assert!(has, "{phase}");
        }
    }
    let is_of_thread = |event: &Value| event["tid"].as_u64().is_some_and(|track| track > 1_000_000);
    assert!(threads.events().any(is_of_thread), "operations of further threads");
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
        assert_ne!(name, "start", "images do not wait for one another there: {from} {to}");
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
    outcome.exited_with(1).stderr_line_with(&["no image has recorded anything", "libxmprt.a"]);
}

#[test]
fn without_the_launcher_the_setting_says_what_is_missing() {
    let run = Run::new(traffic()).env("XMP_TRACE", "trace.json").env("XMP_NUM_IMAGES", "2");
    let outcome = run.finish();
    outcome.succeeded().stderr_line_with(&["XMP_TRACE has no effect", "LD_PRELOAD", "xmprun"]);
    assert_eq!(outcome.stderr.matches("XMP_TRACE").count(), 1, "{outcome:?}");
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
        let again = Run::xmprun([OsStr::new("--merge"), file.as_os_str()]).finish();
        again.exited_with(2).stderr_line_with(&["trace.json is merged already", "no parts"]);
    }
}

#[test]
fn a_timeline_and_a_report_in_one_file_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.html");
    let run = Run::new("/bin/true").images(2).launcher_option("--trace").launcher_option(&file);
    let outcome = run.launcher_option(format!("--report={}", file.display())).finish();
    outcome.exited_with(2).stderr_line_with(&["--report=", "a.html", "another name"]);
    assert!(!file.exists());
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
