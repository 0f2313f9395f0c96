//! `xmpfc` with LLVM flang: several files of a program, each of which defines what the others define, too. A stand-in,
//! `flang/flang`, compiles C with the endings of Fortran and adds those functions. The last test is of flang itself, where
//! it is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_hosts::{Requirement, skipped};
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
fn constructors_find_the_library_started_in_a_static_link() {
    Place::new().links(&[&["-static-xmp"], &SOURCES[..]].concat());
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

/// What `xmpfc --show` of this version of flang warns of.
fn warnings(version: &str, source: &str) -> String {
    let place = tempfile::tempdir().expect("a directory");
    fs::write(place.path().join("source.F90"), source).expect("a file");
    let command = Command::new(toolchain().xmpfc())
        .envs([("XMP_FC", stand_in().as_os_str()), ("FLANG_STAND_IN", version.as_ref())])
        .current_dir(place.path())
        .args(["--show", "-c", "source.F90"])
        .output();
    let output = command.expect("it can be executed");
    let said = String::from_utf8(output.stderr).expect("a text");
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn image_selectors_that_flang_ignores_are_named() {
    let source = "program p\n  integer :: x[*], y(3)[*], k\n#ifdef NEVER\n  k = x[9] + 1\n#endif\n  \
                  k = x[2] + sum([1, 2]) ! x[7]\n  if (k > &\n    y(3)[2]) print *, 'x[8]'\nend program\n";
    let warning = |line, text| {
        format!(
            "xmpfc: warning: source.F90:{line}: flang 24 accesses this image's own variable for {text}\n"
        )
    };
    assert_eq!(warnings("24", source), warning(6, "x[2]") + &warning(8, "y(3)[2]"));
    // This one refuses them.
    assert_eq!(warnings("23", source), "");
}

#[test]
fn the_status_that_flang_does_not_define_is_named() {
    let source = "allocate (a(3), stat=k)\nif (k == 0) allocate (b(3)[*], stat=k)\nend\n";
    let warning = |version| {
        format!(
            "xmpfc: warning: source.F90:2: flang {version} defines the variable of stat= in the allocation of b(3)[*] \
             with a part of an address, and not with the status\n"
        )
    };
    assert_eq!(warnings("23", source), warning(23));
    assert_eq!(warnings("24", source), warning(24));
    assert_eq!(warnings("25", source), "");
}

#[test]
fn the_module_prif_is_compiled_for_those_who_use_it_through_another_module_or_an_included_file() {
    let shown = |files: &[(&str, &str)]| {
        let place = Place::new();
        for (name, text) in files {
            fs::write(place.file(name), text).expect("a file");
        }
        place.execute(toolchain().xmpfc(), &["--show", "-c", "user.f90"])
    };
    let module = ("mine.mod", "!mod$ v1\nuse prif,only:prif_get\n");
    let others = ("mine.mod", "!mod$ v1\nuse iso_c_binding\n");
    let has_modules = |shown: String| shown.contains(" -I/");
    assert!(has_modules(shown(&[("user.f90", "use mine\nend\n"), module])));
    assert!(has_modules(shown(&[("user.f90", "include 'x.h'\nend\n"), ("x.h", "use prif\n")])));
    assert!(has_modules(shown(&[("user.f90", "use, non_intrinsic :: prif\nend\n")])));
    assert!(!has_modules(shown(&[("user.f90", "use mine\nend\n"), others])));
    assert!(!has_modules(shown(&[("user.f90", "end\n"), module])));
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

/// The least version of flang that calls PRIF.
const FIRST_WITH_PRIF: u32 = 22;

/// The first flang in the search path that calls PRIF.
fn installed_flang() -> Option<&'static str> {
    ["flang", "flang-24", "flang-23", "flang-22"].into_iter().find(|name| {
        let Ok(output) = Command::new(name).arg("--version").output() else { return false };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let major = text.split_once("version ").and_then(|(_, rest)| rest.split('.').next());
        major
            .and_then(|major| major.parse().ok())
            .is_some_and(|major: u32| major >= FIRST_WITH_PRIF)
    })
}

/// Compiles `images.f90` with this compiler; the program checks itself.
fn images_conform(compiler: &str) {
    let place = tempfile::tempdir().expect("a directory");
    let program = place.path().join("program");
    let output = Command::new(toolchain().xmpfc())
        .env("XMP_FC", compiler)
        .current_dir(place.path())
        .arg(crate_dir().join("flang/images.f90"))
        .arg("-o")
        .arg(&program)
        .output()
        .expect("it can be executed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for images in [1, 2, 4, 7] {
        Run::new(&program).images(images).finish().succeeded().silent();
    }
}

#[test]
fn images_teams_and_collectives_are_right_with_the_compiler_that_is_tested() {
    images_conform(&toolchain().fortran());
}

#[test]
fn flang_itself_compiles_images_teams_and_collectives() {
    match installed_flang() {
        Some(flang) => images_conform(flang),
        None => skipped(Requirement::Flang, "no flang 22 or newer is installed"),
    }
}
