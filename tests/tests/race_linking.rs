//! `--check=races`: programs with libraries that are linked statically, and libraries that leave the program.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Run};

const SOON: Duration = Duration::from_secs(300);

/// A directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        fs::write(directory.path().join(name), text).expect("a file");
    }
    directory
}

/// The output of a wrapper with these arguments, in a directory.
fn compile(directory: &Path, wrapper: impl AsRef<OsStr>, arguments: &[&str]) -> Output {
    let mut command = Command::new(wrapper);
    let output = command.args(arguments).current_dir(directory).output().expect("the wrapper");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn run(directory: &Path) -> Outcome {
    let run = Run::new(directory.join("program")).images(2).launcher_option("--check=races");
    run.finish()
}

/// Output without a format, whose records libgfortran collects by `memcpy`.
const OUTPUT: &str = "integer :: x(30)[*]
x = this_image()
sync all
if (this_image() == 1) then
open (10, form='unformatted', status='scratch')
write (10) x
else
x(3)[1] = 4
end if
sync all
end
";

/// It ended with SIGSEGV at its first call of libgfortran, of which the program had none.
#[test]
fn a_program_for_the_archive_of_libgfortran_is_checked_with_the_shared_one() {
    let directory = directory(&[("main.f90", OUTPUT)]);
    let directory = directory.path();
    let arguments = ["--check=races", "-static-libgfortran", "main.f90", "-o", "program"];
    let output = compile(directory, toolchain().xmpfc(), &arguments);
    let warned = String::from_utf8_lossy(&output.stderr);
    assert!(warned.contains("warning: -static-libgfortran has no effect"), "{warned}");
    let outcome = run(directory);
    outcome.exited_with(1).within(SOON);
    outcome.stderr_line_with(&["main.f90:6", "main.f90:8", "x(3)", "nothing orders"]);
    outcome.stderr_line_with(&["xmp: 1 race"]);
    // An object is of both.
    let compiled = ["--check=races", "-static-libgfortran", "-c", "main.f90"];
    let output = compile(directory, toolchain().xmpfc(), &compiled);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// The path of a library of the compiler.
fn library(name: &str) -> PathBuf {
    let mut command = Command::new(toolchain().fortran());
    let output = command.arg(format!("-print-file-name={name}")).output().expect("the compiler");
    String::from_utf8(output.stdout).expect("a path").trim().into()
}

#[test]
fn a_program_with_the_archive_of_libgfortran_ends_with_the_remedy() {
    let directory = directory(&[("main.f90", "integer :: x[*]\nx = 1\nprint *, x\nend\n")]);
    let directory = directory.path();
    let archive = library("libgfortran.a");
    let archive = archive.to_str().expect("a name");
    let arguments = ["--check=races", "main.f90", archive, "-lquadmath", "-o", "program"];
    compile(directory, toolchain().xmpfc(), &arguments);
    let outcome = run(directory);
    outcome.exited_with(1).within(SOON);
    outcome.stderr_line_with(&["xmp: --check=races: ", "libgfortran.a", "-lgfortran"]);
}

/// A program with an exception, which functions of libraries handle.
const EXCEPTION: &str = "#include <iostream>
#include <vector>
#include <xmprt.h>
int main()
{
    void *block;
    (void)xmprt_allocate(64, &block);
    try {
        std::cout << std::vector<int>(3).at(4) << '\\n';
    } catch (const std::exception &) {
        *static_cast<int *>(block) = 1;
    }
}
";

#[test]
fn functions_of_libraries_of_compilers_that_are_linked_statically_are_not_named() {
    let directory = directory(&[("main.cpp", EXCEPTION)]);
    let directory = directory.path();
    for option in ["-static-libgcc", "-static-libstdc++"] {
        let arguments = ["--check=races", option, "main.cpp", "-o", "program"];
        compile(directory, toolchain().xmpcxx(), &arguments);
        let outcome = run(directory);
        outcome.succeeded().within(SOON);
        assert_eq!(outcome.stderr, "", "{option}");
    }
}

/// A library whose destructors access memory of images, and a program that opens and closes it.
const LIBRARY: &str = "static int *block;
void use(int *x) { block = x; x[1] = 2; }
__attribute__((destructor)) static void late(void) { if (block) block[3]++; }
__attribute__((destructor(101))) static void later(void) { if (block) block[4]++; }
";
const OPENS: &str = "#include <dlfcn.h>
#include <xmprt.h>
int main(int argc, char **argv)
{
    int *x, me = xmprt_this_image(XMPRT_CURRENT), value = 7;
    void *block, *library;
    void (*use)(int *);
    (void)xmprt_allocate(64, &block);
    x = block;
    (void)xmprt_sync(XMPRT_CURRENT);
    library = dlopen(argv[argc - 1], RTLD_NOW);
    use = (void (*)(int *))dlsym(library, \"use\");
    if (me == 1)
        use(x);
    dlclose(library);
    if (me == 2)
        (void)xmprt_put(XMPRT_CURRENT, 1, x + 4, &value, sizeof value);
    (void)xmprt_sync(XMPRT_CURRENT);
    return 0;
}
";

/// Its runs were entered when the library had left the program, with SIGSEGV.
#[test]
fn destructors_of_a_library_that_leaves_the_program_may_access_memory_of_images() {
    let directory = directory(&[("library.c", LIBRARY), ("main.c", OPENS)]);
    let directory = directory.path();
    let library = ["-shared", "-fPIC", "library.c", "-o", "library.so"];
    for arguments in [&library[..], &["main.c", "-ldl", "-o", "program"]] {
        let arguments = [&["--check=races", "-O1"], arguments].concat();
        compile(directory, toolchain().xmpcc(), &arguments);
    }
    let run = Run::new(directory.join("program")).images(2).args([directory.join("library.so")]);
    let outcome = run.launcher_option("--check=races").finish();
    outcome.exited_with(1).within(SOON);
    // The statement of a library that has left has no name where the other image finds the race.
    outcome.stderr_line_with(&["main.c:17", "byte 16", "nothing orders"]);
}
