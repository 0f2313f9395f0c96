//! Tools of the user, whose hooks are called for each operation.

use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_tests::Run;
use xmp_tests::timeline::traffic;
use xmp_tests::toolchain::{toolchain, workspace};

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
