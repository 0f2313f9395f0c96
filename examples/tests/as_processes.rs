//! The example programs as users run them: each image a process, started by the program itself.

use std::process::{Command, Output};

/// Runs a program as this many images.
fn run(program: &str, images: u32, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("XMP_") {
            command.env_remove(name);
        }
    }
    command.env("XMP_NUM_IMAGES", images.to_string()).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    assert!(output.status.success(), "{output:?}");
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn hello_greets_in_image_order() {
    for images in [1, 2, 4] {
        let expected: String =
            (1..=images).map(|me| format!("hello from image {me} of {images}\n")).collect();
        let output = run(env!("CARGO_BIN_EXE_hello"), images, &[]);
        assert_eq!(stdout(&output), expected);
    }
}

#[test]
fn heat_in_global_view_is_exact() {
    for images in [1, 2, 4, 6] {
        let output = run(env!("CARGO_BIN_EXE_heat_global"), images, &["30", "40"]);
        let text = stdout(&output);
        assert!(text.starts_with("center 0."), "{text}");
    }
}

#[test]
fn ep_finds_the_official_sums() {
    let output = run(env!("CARGO_BIN_EXE_ep_global"), 3, &["S"]);
    let text = stdout(&output);
    assert!(text.contains("VERIFICATION SUCCESSFUL") && text.contains("13176389 pairs"), "{text}");
    let refused = run(env!("CARGO_BIN_EXE_ep_global"), 2, &["Z"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is not one of S, W, A"));
}

#[test]
fn a_matrix_is_transposed() {
    for (images, sizes) in [(1, ["7", "5"]), (3, ["10", "31"]), (4, ["40", "2"])] {
        let output = run(env!("CARGO_BIN_EXE_transpose_global"), images, &sizes);
        assert!(stdout(&output).contains(" transposed, 0 wrong"));
    }
}

#[test]
fn himeno_in_global_view_gives_what_one_image_gives() {
    for images in [1, 2, 4, 6] {
        let output = run(env!("CARGO_BIN_EXE_himeno_global"), images, &["XS", "3"]);
        assert!(stdout(&output).contains(" 0 wrong points"));
    }
}

#[test]
fn global_view_coarrays_and_teams_go_together() {
    for images in [1, 2, 3, 5] {
        let output = run(env!("CARGO_BIN_EXE_mixed"), images, &["37"]);
        assert!(stdout(&output).starts_with("heat "));
    }
}

#[test]
fn cg_verifies() {
    for (images, form) in [(2, "tasks"), (4, "on-team"), (4, "steps"), (8, "sums")] {
        let output = run(env!("CARGO_BIN_EXE_cg"), images, &["S", form]);
        let text = stdout(&output);
        assert!(text.contains("VERIFICATION SUCCESSFUL"), "{text}");
        assert!(text.contains("Mop/s total"), "{text}");
    }
}

#[test]
fn random_access_verifies() {
    for images in [1, 3] {
        let output = run(env!("CARGO_BIN_EXE_random_access"), images, &["12"]);
        assert!(stdout(&output).contains("VERIFICATION SUCCESSFUL"));
    }
}

#[test]
fn wrong_arguments_are_reported_once() {
    let output = run(env!("CARGO_BIN_EXE_cg"), 3, &["S"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(lines[0].starts_with("xmp: image"), "{text}");
    assert!(lines[0].ends_with(": 3 images, which is not a power of two"), "{text}");

    let output = run(env!("CARGO_BIN_EXE_cg"), 1, &["Z"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not one of S, W, A, B"));
    let output = run(env!("CARGO_BIN_EXE_cg"), 1, &["S", "team"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("not one of tasks, on-team, steps, sums"), "{text}");
}
