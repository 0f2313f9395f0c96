//! Compilers, for what the translators accept: a program that is translated has to be one that is compiled.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Directories of the declarations that translated programs include.
fn declarations() -> [std::path::PathBuf; 2] {
    ["../include", "../xmp/include"].map(|of| Path::new(env!("CARGO_MANIFEST_DIR")).join(of))
}

/// Checks that the C compiler (`XMP_CC`, else `cc`) finds neither an error nor a warning in a translated program.
#[allow(dead_code)] // Each test program uses one of these.
#[track_caller]
pub fn compiles_c(text: &str) {
    let compiler = std::env::var_os("XMP_CC").unwrap_or("cc".into());
    let mut command = Command::new(compiler);
    command.args(["-std=gnu99", "-Wall", "-Wextra", "-Werror"]);
    // The programs are fragments.
    command.args(["-Wno-unused", "-Wno-unused-parameter", "-fopenmp", "-fsyntax-only"]);
    for directory in declarations() {
        command.arg("-I").arg(directory);
    }
    compiles(command.args(["-x", "c", "-"]), text);
}

/// The same of the Fortran compiler (`XMP_FC`, else `gfortran`), which may warn.
#[allow(dead_code)] // Each test program uses one of these.
#[track_caller]
pub fn compiles_fortran(text: &str) {
    let compiler = std::env::var_os("XMP_FC").unwrap_or("gfortran".into());
    let modules = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(compiler);
    command.args(["-fcoarray=lib", "-fopenmp", "-ffree-line-length-none", "-fsyntax-only", "-J"]);
    command.arg(modules.path());
    for directory in declarations() {
        command.arg("-I").arg(directory);
    }
    compiles(command.args(["-x", "f95", "-ffree-form", "-"]), text);
}

#[track_caller]
fn compiles(command: &mut Command, text: &str) {
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut compiler = command.spawn().expect("a compiler");
    let mut input = compiler.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("the compiler reads its input");
    drop(input);
    let output = compiler.wait_with_output().expect("the compiler ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{text}");
}
