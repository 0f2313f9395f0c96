//! The effect of `--trace`, `--report` and `--merge` on the files of the user and on the machine: they remove nothing that is not
//! theirs, leave nothing after, let no other user in, and a disk that gets full ends the recording and not the program.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run};

fn program() -> PathBuf {
    Program::fortran("sync/sync_all").build()
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("temporary files are possible")
}

/// The names of the files in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A job of two images of the program with these options.
fn job(options: &[&OsStr]) -> Run {
    options.iter().fold(Run::new(program()).images(2), |run, option| run.launcher_option(*option))
}

fn recorded(options: &[&str]) -> Outcome {
    job(&options.iter().map(OsStr::new).collect::<Vec<_>>()).finish()
}

#[test]
fn a_directory_that_is_called_like_that_of_a_trace_is_left_as_it_is() {
    let place = directory();
    let trace = place.path().join("data");
    let trace = trace.to_str().expect("it is text");
    let thesis = place.path().join("data.parts/thesis.txt");
    fs::create_dir(place.path().join("data.parts")).expect("a directory");
    fs::write(&thesis, "precious").expect("a file");
    recorded(&["--trace", trace]).succeeded();
    Run::xmprun(["-n", "2", "--trace", trace, "--info"]).finish().succeeded();
    Run::xmprun(["-n", "2", "--trace", trace, "./nonexistent"]).finish().exited_with(127);
    Run::xmprun(["--merge", trace]).finish().exited_with(2);
    assert_eq!(fs::read_to_string(&thesis).expect("it is there"), "precious");
    assert_eq!(names(place.path()), ["data", "data.parts"]);
}

#[test]
fn merging_removes_the_parts_and_nothing_else() {
    let place = directory();
    let trace = place.path().join("data");
    let parts = place.path().join("data.parts");
    let record = || {
        let library = toolchain().plugins().join("libxmprt_trace.so");
        let run = Run::new(program()).env("XMP_NUM_IMAGES", "2").env("LD_PRELOAD", library);
        run.env("XMP_TRACE", &trace).finish().succeeded().silent();
    };
    let merge = [OsStr::new("--merge"), trace.as_os_str()];
    record();
    // The parts of the first recording are replaced.
    record();
    assert_eq!(names(&parts), ["image-1", "image-1.maps", "image-2", "image-2.maps"]);
    Run::xmprun(merge).finish().succeeded();
    assert_eq!(names(place.path()), ["data"]);
    record();
    for (name, content) in [("thesis.txt", "precious"), ("image-7", "a picture")] {
        fs::write(parts.join(name), content).expect("a file");
    }
    // A part that is none is named.
    Run::xmprun(merge).finish().exited_with(2).stderr_line_with(&["image-7", "no part"]);
    fs::rename(parts.join("image-7"), parts.join("picture")).expect("it can be renamed");
    Run::xmprun(merge).finish().succeeded().stderr_line_with(&["left there", "no part of a trace"]);
    assert_eq!(names(&parts), ["picture", "thesis.txt"]);
}

#[test]
fn a_result_beyond_the_limit_for_files_is_an_error_and_the_parts_remain() {
    let place = directory();
    let trace = place.path().join("data");
    let library = toolchain().plugins().join("libxmprt_trace.so");
    let run = Run::new(program()).env("XMP_NUM_IMAGES", "2").env("LD_PRELOAD", library);
    run.env("XMP_TRACE", &trace).finish().succeeded().silent();
    // The limit is in KiB.
    let command =
        format!("ulimit -f 1; '{}' --merge '{}'", toolchain().xmprun().display(), trace.display());
    let outcome = Run::new("/bin/bash").args(["-c", &command]).finish();
    outcome.exited_with(1).stderr_line_with(&["cannot write", "data: File too large"]);
    assert_eq!(names(&place.path().join("data.parts")).len(), 4);
    // What was written by then is a timeline that may be replaced.
    let merge = [OsStr::new("--merge"), trace.as_os_str()];
    Run::xmprun(merge).finish().succeeded();
    assert_eq!(names(place.path()), ["data"]);
}

#[test]
fn an_image_follows_no_link_and_replaces_no_file_that_is_not_of_a_recording() {
    let place = directory();
    let precious = place.path().join("precious");
    fs::write(&precious, "precious").expect("a file");
    let parts = place.path().join("data.parts");
    fs::create_dir(&parts).expect("a directory");
    symlink(&precious, parts.join("image-1")).expect("a link");
    fs::write(parts.join("image-2"), "a picture").expect("a file");
    let library = toolchain().plugins().join("libxmprt_trace.so");
    let run = Run::new(program()).env("XMP_NUM_IMAGES", "2").env("LD_PRELOAD", library);
    let outcome = run.env("XMP_TRACE", place.path().join("data")).finish();
    outcome.succeeded();
    for image in ["image 1", "image 2"] {
        outcome.stderr_line_with(&[image, "it is no part of a trace", "nothing is recorded"]);
    }
    assert_eq!(fs::read_to_string(&precious).expect("it is there"), "precious");
    assert_eq!(fs::read_to_string(parts.join("image-2")).expect("it is there"), "a picture");
}

#[test]
fn images_record_in_a_new_directory_that_is_for_their_user_alone() {
    let place = directory();
    let script = "stat -c '%a %n' \"$(dirname \"$XMP_TRACE\")\"; exec \"$0\"";
    let job = || {
        let run = Run::new("/bin/sh").images(2).launcher_option("--report");
        run.args([OsStr::new("-c"), OsStr::new(script), program().as_os_str()])
    };
    let mut seen = Vec::new();
    for _ in 0..2 {
        let outcome = job().env("TMPDIR", place.path()).finish();
        outcome.succeeded().stderr_line_with(&["report: 2 images"]);
        let line = outcome.stdout.lines().next().expect("a line").to_string();
        let start = format!("700 {}/xmprun-", place.path().display());
        let name = line.strip_prefix(&start).unwrap_or_else(|| panic!("{line}"));
        assert!(name.len() >= 6 && name.parse::<u32>().is_err(), "{name}");
        seen.push(line);
    }
    assert_ne!(seen[0], seen[1]);
    assert!(names(place.path()).is_empty());
}

#[test]
fn directories_that_do_not_exist_are_not_made() {
    let place = directory();
    let none = place.path().join("none");
    let outcome = job(&[OsStr::new("--report")]).env("TMPDIR", &none).finish();
    outcome.exited_with(1).stdout_is("").stderr_line_with(&["--report", "TMPDIR", "none: No such"]);
    let file = none.join("x.json");
    let outcome = job(&[OsStr::new("--trace"), file.as_os_str()]).finish();
    outcome.exited_with(1).stdout_is("").stderr_line_with(&[
        "--trace",
        "none/x.json",
        "No such file",
    ]);
    assert!(names(place.path()).is_empty());
}

#[test]
fn results_that_cannot_be_written_are_found_before_the_job() {
    let place = directory();
    let source = place.path().join("heat.f90");
    fs::write(&source, "program heat\n").expect("a file");
    let source = source.to_str().expect("it is text");
    let page = format!("--report={source}");
    for (options, words) in [
        (&["--report=/tmp"][..], ["--report: cannot write /tmp", "Is a directory"]),
        (
            &["--report=/nonexistent/r.html"],
            ["--report: cannot write /nonexistent", "No such file"],
        ),
        (&["--trace", source], ["--trace", "exists and is no timeline"]),
        (&[&page], ["--report", "exists and is no report"]),
    ] {
        let job = Run::xmprun(["-n", "1"].iter().chain(options).chain(&["echo", "it ran"]));
        let outcome = job.env("TMPDIR", place.path()).finish();
        outcome.exited_with(if words[1].starts_with("exists") { 2 } else { 1 }).stdout_is("");
        outcome.stderr_line_with(&words);
    }
    assert_eq!(fs::read_to_string(source).expect("it is there"), "program heat\n");
    assert_eq!(names(place.path()), ["heat.f90"]);
}

#[test]
fn a_page_behind_a_blank_is_told_where_it_belongs() {
    let outcome = Run::xmprun(["-n", "2", "--report", "r.html", "./a"]).finish();
    outcome.exited_with(2);
    assert_eq!(outcome.stderr, "xmp: --report r.html: write --report=r.html, without a blank\n");
}

#[test]
fn a_program_that_is_not_found_is_not_said_to_lack_the_library() {
    let outcome = Run::xmprun(["-n", "2", "--report", "./nonexistent"]).finish();
    outcome.exited_with(127).stderr_without("libxmprt");
    assert_eq!(outcome.stderr.lines().count(), 1, "{outcome:?}");
}

#[test]
fn a_report_that_has_no_reader_or_no_room_gives_a_status_and_leaves_nothing() {
    let place = directory();
    // The reader has gone when the report comes.
    let unread = "2>&1 | sleep 0; exit ${PIPESTATUS[0]}";
    for (redirection, status) in [("2> /dev/full", 1), (unread, 141)] {
        let (xmprun, program) = (toolchain().xmprun(), program());
        let command =
            format!("'{}' -n 2 --report '{}' {redirection}", xmprun.display(), program.display());
        let run = Run::new("/bin/bash").args(["-c", &command]).env("TMPDIR", place.path());
        run.finish().exited_with(status).stderr_without("panicked");
        assert!(names(place.path()).is_empty());
    }
}

#[test]
fn a_trace_may_have_any_name_that_a_file_may_have() {
    let place = directory();
    let name = OsStr::from_bytes(b"\xff caf\xe9.json");
    let trace = place.path().join(name);
    job(&[OsStr::new("--trace"), trace.as_os_str()]).finish().succeeded();
    job(&[]).env("XMP_TRACE", &trace).finish().succeeded();
    assert!(trace.is_file());
    assert_eq!(names(place.path()).len(), 1);
}

#[test]
fn a_disk_that_gets_full_ends_the_recording_and_not_the_program() {
    let place = directory();
    let program = Program::fortran("control/puts").build();
    // The program makes more records than the disk has room for; on the smaller one there is no room for any.
    for (size, words) in [
        ("64k", ["No space left on device", "nothing is recorded"]),
        ("5m", ["No space left on device", "the recording stops here"]),
    ] {
        let command = format!(
            "mount -t tmpfs -o size={size} none '{0}' && TMPDIR='{0}' '{1}' -n 2 --report '{2}' 200000",
            place.path().display(),
            toolchain().xmprun().display(),
            program.display()
        );
        let mounts = Command::new("unshare").args(["-rm", "true"]).status();
        if !mounts.is_ok_and(|status| status.success()) {
            return skipped(Requirement::Mount, "no small disk can be mounted here");
        }
        let outcome = Run::new("unshare").args(["-rm", "sh", "-c", &command]).finish();
        let report = outcome.stderr.contains("xmprun: report: 2 images");
        assert_eq!(report, words[1] == "the recording stops here", "{outcome:?}");
        // The report that the user wants is missing.
        outcome.exited_with(i32::from(!report));
        outcome.stderr_line_with(&words);
        // An image that begins late may find a disk that the other one has filled.
        for image in ["image 1", "image 2"] {
            outcome.stderr_line_with(&[image, words[0], "the program goes on"]);
        }
        assert_eq!(outcome.stderr.matches("No space left").count(), 2, "{outcome:?}");
    }
}
