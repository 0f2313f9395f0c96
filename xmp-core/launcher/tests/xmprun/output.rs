//! Standard input and output of images.

use crate::harness::{Running, run_script, script_command, sorted_lines, status, text, xmprun};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

#[test]
fn standard_input_goes_to_image_1_alone() {
    let mut child = script_command(3, "cat | sed \"s/^/$IMAGE: /\"")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stdout), "1: one\n1: two\n");
}

#[test]
fn output_is_passed_on_unchanged() {
    let output = run_script(2, "printf \"$IMAGE\\n\"; echo oops >&2");
    assert_eq!(sorted_lines(&output), ["1", "2"]);
    assert_eq!(text(&output.stderr), "oops\noops\n");
}

#[test]
fn prefixes_name_the_image_on_both_streams() {
    let script = "printf a; sleep 0.1; printf 'b\\nlast'; echo oops >&2";
    let output =
        xmprun(&["-q", "-n", "2", "--prefix-output", "sh", "-c", script]).output().unwrap();
    assert_eq!(status(&output), 0);
    assert_eq!(sorted_lines(&output), ["[1] ab", "[1] last", "[2] ab", "[2] last"]);
    let mut errors: Vec<&str> = text(&output.stderr).lines().collect();
    errors.sort_unstable();
    assert_eq!(errors, ["[1] oops", "[2] oops"]);
}

#[test]
fn much_prefixed_output_is_complete() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done";
    let output =
        xmprun(&["-q", "-n", "4", "--prefix-output", "sh", "-c", script]).output().unwrap();
    let text = text(&output.stdout);
    assert_eq!(text.lines().count(), 12000);
    for image in 1..=4 {
        let prefix = format!("[{image}] line ");
        let numbers =
            text.lines().filter_map(|line| line.strip_prefix(&prefix)?.parse::<u32>().ok());
        assert!(numbers.eq(0..3000), "image {image}");
    }
}

#[test]
fn a_reader_who_leaves_ends_the_writer() {
    let (mut job, lines) =
        Running::start(xmprun(&["-n", "1", "--prefix-output", "sh", "-c", "exec yes"]), 1);
    assert_eq!(lines, ["[1] y"]);
    job.close_output();
    assert_eq!(job.finish().0, Some(128 + libc::SIGPIPE));
}

#[test]
fn a_job_without_a_reader_ends_quietly() {
    for prefix in [&[][..], &["--prefix-output"]] {
        let script = "if [ ${XMP_JOB#*:} = 0 ]; then exec yes; else exec sleep 1000; fi";
        let arguments = [&["-q", "-n", "3"], prefix, &["sh", "-c", script]].concat();
        let mut command = xmprun(&arguments);
        let mut job = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(job.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.ends_with("y\n"), "{line}");
        drop(output);
        let mut errors = String::new();
        job.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!((job.wait().unwrap().code(), &*errors), (Some(128 + libc::SIGPIPE), ""));
    }
}

#[test]
fn information_without_a_reader_is_no_error() {
    let mut command = xmprun(&["--info"]);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let output = output.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + libc::SIGPIPE));
    assert_eq!(text(&output.stderr), "");
}
