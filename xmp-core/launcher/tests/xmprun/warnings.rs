//! Tests of the warnings that are written once a job, and do not end it.

use crate::harness::{status, text, xmprun};

/// The warnings on standard error.
fn warnings(arguments: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    let output = xmprun(arguments).envs(environment.iter().copied()).output().unwrap();
    assert_eq!(status(&output), 0, "{output:?}");
    text(&output.stderr).lines().filter(|line| line.contains("warning")).map(String::from).collect()
}

#[test]
fn a_job_in_which_no_process_is_an_image_is_named_once() {
    let said = warnings(&["-n", "3", "true"], &[]);
    assert_eq!(said.len(), 1, "{said:?}");
    for words in ["no process of this job executed as an image", "3 copies", "xmpfc"] {
        assert!(said[0].contains(words), "{said:?}");
    }
}

#[test]
fn one_process_or_a_failure_or_a_wish_for_silence_is_no_such_job() {
    assert_eq!(warnings(&["-n", "1", "true"], &[]), [""; 0]);
    assert_eq!(warnings(&["-q", "-n", "3", "true"], &[]), [""; 0]);
    let output = xmprun(&["-n", "3", "false"]).output().unwrap();
    assert_eq!(status(&output), 1, "{output:?}");
    assert!(!text(&output.stderr).contains("warning"), "{output:?}");
}

#[test]
fn unknown_settings_are_named_once_with_the_nearest_one() {
    let environment = [("XMP_SEGMENTSIZE", "1G"), ("XMP_FOO", "3"), ("XMP_FC", "gfortran-13")];
    let said = warnings(&["-n", "1", "true"], &environment);
    assert_eq!(said.len(), 1, "{said:?}");
    let names = "XMP_FOO, XMP_SEGMENTSIZE (nearest setting: XMP_SEGMENT_SIZE)";
    assert!(said[0].contains(names) && !said[0].contains("XMP_FC"), "{said:?}");
    assert_eq!(warnings(&["--quiet", "-n", "1", "true"], &environment), [""; 0]);
}

#[test]
fn info_lists_unknown_settings() {
    let output = xmprun(&["--info"]).env("XMP_YIELD", "3").output().unwrap();
    let text = text(&output.stdout);
    let (_, unknown) = text.split_once("Unknown settings").expect("there is such a section");
    assert!(unknown.contains("XMP_YIELD (nearest setting: XMP_YIELDS)"), "{text}");
    assert!(
        !crate::harness::text(&xmprun(&["--info"]).output().unwrap().stdout).contains("Unknown")
    );
}
