//! Command lines that users of mpirun and cafrun type.

use crate::harness::{sorted_lines, status, text, xmprun};

#[test]
fn np_is_the_number_of_images() {
    for np in ["-np", "--np"] {
        let output = xmprun(&[np, "3", "--oversubscribe", "echo", "ran"]).output().unwrap();
        assert_eq!(sorted_lines(&output), ["ran"; 3], "{output:?}");
    }
}

#[test]
fn variables_can_be_set_for_the_images() {
    let script = "echo $COLOUR $SHAPE $SIZE";
    let output = xmprun(&["-n", "2", "-x", "COLOUR=red", "-x", "SIZE", "-genv", "SHAPE", "a b"])
        .args(["sh", "-c", script])
        .env("SIZE", "7")
        .output()
        .unwrap();
    assert_eq!(sorted_lines(&output), ["red a b 7"; 2], "{output:?}");
}

#[test]
fn settings_can_be_given_as_variables() {
    let output = xmprun(&["-x", "XMP_SPIN=2.5", "--info"]).output().unwrap();
    assert!(text(&output.stdout).contains("spin 2.5 us"), "{output:?}");
    let output = xmprun(&["-x", "XMP_SPIN=soon", "true"]).output().unwrap();
    assert_eq!(status(&output), 2, "{output:?}");
}

#[test]
fn images_run_in_the_directory_that_is_named() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().canonicalize().unwrap();
    let name = directory.to_str().unwrap();
    for option in ["--wdir", "-wdir", "--wd"] {
        let output = xmprun(&["-n", "2", option, name, "pwd"]).output().unwrap();
        assert_eq!(sorted_lines(&output), [name; 2], "{output:?}");
    }
    let output = xmprun(&["--wdir", "/no such place", "true"]).output().unwrap();
    assert_eq!(status(&output), 2, "{output:?}");
    let message = text(&output.stderr);
    assert!(message.contains("/no such place") && message.contains("No such file"), "{message}");
}

#[test]
fn options_without_a_meaning_are_refused_with_what_replaces_them() {
    for (arguments, word) in [
        (&["--add-host", "a", "echo", "ran"][..], "--hosts and --hostfile name all hosts"),
        (&["--mca", "btl", "self", "echo", "ran"], "--info"),
        (&["--bind-to", "board", "echo", "ran"], "--bind auto"),
    ] {
        let output = xmprun(arguments).output().unwrap();
        assert_eq!(status(&output), 2, "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let message = text(&output.stderr);
        assert!(message.contains(arguments[0]) && message.contains(word), "{message}");
    }
}

#[test]
fn the_help_lists_what_is_accepted() {
    let output = xmprun(&["--help"]).output().unwrap();
    let help = text(&output.stdout);
    for part in ["Accepted for users of mpirun and cafrun", "-np", "-oversubscribe", "-bind-to"] {
        assert!(help.contains(part), "{part}: {help}");
    }
}
