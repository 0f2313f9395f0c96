//! `xmpfc` with LLVM flang: several files of a program, each of which defines what the others define, too. A stand-in,
//! `flang/flang`, compiles C with the endings of Fortran and adds those functions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_tests::Run;
use xmp_tests::toolchain::{crate_dir, output_of, toolchain};

/// The sources, which count in variables of the main program whose constructors have been executed.
const SOURCES: [&str; 3] = ["main.f90", "first.f90", "second.f90"];

/// A directory with the sources, in which commands are executed.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a directory"));
        for source in SOURCES {
            fs::copy(crate_dir().join("flang").join(source), place.file(source)).expect("a copy");
        }
        place
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn output(&self, command: impl AsRef<Path>, arguments: &[&str]) -> Output {
        let command = Command::new(command.as_ref())
            .env("XMP_FC", stand_in())
            .current_dir(self.0.path())
            .args(arguments)
            .output();
        command.expect("it can be executed")
    }

    /// Executes a command that must succeed, and returns what it printed.
    fn execute(&self, command: impl AsRef<Path>, arguments: &[&str]) -> String {
        let output = self.output(command, arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("a text")
    }

    /// `xmpfc` with these arguments makes a program in which each constructor is executed once.
    fn links(&self, arguments: &[&str]) {
        self.execute(toolchain().xmpfc(), &[&["-o", "program"], arguments].concat());
        Run::new(self.file("program")).images(2).finish().succeeded().stdout_is("1 1\n1 1\n");
    }

    /// The objects of the sources, as flang alone makes them.
    fn objects(&self) {
        for source in SOURCES {
            self.execute(stand_in(), &["-c", source]);
        }
    }
}

fn stand_in() -> PathBuf {
    crate_dir().join("flang/flang")
}

#[test]
fn several_sources_in_one_command_are_linked() {
    let place = Place::new();
    place.links(&SOURCES);
    // The program is there now, and no input.
    place.links(&SOURCES);
}

#[test]
fn the_compiler_may_be_called_flang_and_found_by_the_path() {
    let place = Place::new();
    let search = format!("{}:/usr/bin:/bin", crate_dir().join("flang").display());
    let command = Command::new(toolchain().xmpfc())
        .envs([("XMP_FC", "flang"), ("PATH", &search)])
        .current_dir(place.0.path())
        .args(["-c"])
        .args(SOURCES)
        .output();
    let output = command.expect("it can be executed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    place.links(&["main.o", "first.o", "second.o"]);
}

#[test]
fn sources_that_were_compiled_separately_are_linked() {
    let place = Place::new();
    place.execute(toolchain().xmpfc(), &[&["-c"], &SOURCES[1..]].concat());
    place.execute(toolchain().xmpfc(), &["-c", "main.f90", "-o", "my main.o"]);
    place.links(&["my main.o", "first.o", "second.o"]);
    // Without xmpfc, too.
    let library = toolchain().prefix().join("lib");
    let library = library.to_str().expect("a text");
    let (search, path) = (format!("-L{library}"), format!("-Wl,-rpath,{library}"));
    place.execute(stand_in(), &["my main.o", "first.o", "second.o", &search, &path, "-lxmprt"]);
}

#[test]
fn objects_and_archives_of_flang_alone_are_linked_and_left_as_they_are() {
    let place = Place::new();
    place.objects();
    let symbols = |file: &str| output_of("nm", [place.file(file)]);
    let before = symbols("first.o");
    place.links(&["first.o", "second.o", "main.o"]);
    place.links(&["main.f90", "first.o", "second.o"]);
    assert_eq!(symbols("first.o"), before);

    place.execute("ar", &["r", "both.a", "first.o", "second.o"]);
    let before = symbols("both.a");
    place.links(&["main.f90", "-Wl,--whole-archive", "both.a", "-Wl,--no-whole-archive"]);
    assert_eq!(symbols("both.a"), before);
}

#[test]
fn what_is_shown_is_a_script_that_makes_the_program() {
    let place = Place::new();
    let arguments = [&["--show", "-O1", "-lm", "-o", "program"], &SOURCES[..]].concat();
    let shown = place.execute(toolchain().xmpfc(), &arguments);
    assert!(!place.file("program").exists());
    let compilations: Vec<&str> = shown.lines().filter(|line| line.contains(" -c ")).collect();
    assert_eq!(compilations.len(), SOURCES.len(), "{shown}");
    for line in compilations {
        assert!(line.contains(" -O1 ") && !line.contains("-l"), "{line}");
    }
    place.execute("sh", &["-e", "-c", &shown]);
    Run::new(place.file("program")).images(2).finish().succeeded().stdout_is("1 1\n1 1\n");
}

#[test]
fn an_error_in_one_of_several_sources_is_passed_on() {
    let place = Place::new();
    fs::write(place.file("first.f90"), "this is no program\n").expect("a file");
    let output = place.output(toolchain().xmpfc(), &SOURCES);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && text.contains("first.f90"), "{text}");
}

#[test]
fn objects_whose_symbols_cannot_be_changed_are_named() {
    let place = Place::new();
    place.objects();
    // The head of an object, and no more than the names.
    let names = "_QMprifPprif_stop_termination_wrapper";
    fs::write(place.file("first.o"), format!("\x7fELF{names}")).expect("a file");
    let output = place.output(toolchain().xmpfc(), &["main.o", "first.o", "second.o"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        text.contains("xmpfc: first.o has functions that other objects of flang have"),
        "{text}"
    );
}
