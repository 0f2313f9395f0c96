//! `xmpfc` with LFortran: the module that it compiles and links. A stand-in, `lfortran/lfortran`, is gfortran under
//! LFortran's options; so the procedures of the module are executed where no LFortran is.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_hosts::installed;
use xmp_tests::toolchain::{crate_dir, toolchain};
use xmp_tests::{Program, Run};

fn stand_in() -> PathBuf {
    crate_dir().join("lfortran/lfortran")
}

/// `xmpfc` with the stand-in, in a directory with the sources.
fn xmpfc(place: &TempDir, compiler: &Path, arguments: &[&str]) -> Output {
    for source in ["calls.f90", "selectors.f90", "coarrays.f90", "levels.f90"] {
        let from = crate_dir().join("lfortran").join(source);
        fs::copy(from, place.path().join(source)).expect("a copy");
    }
    let command = Command::new(toolchain().xmpfc())
        .env("XMP_FC", compiler)
        .current_dir(place.path())
        .args(arguments)
        .output();
    command.expect("it can be executed")
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The text that a command which must succeed has written to its standard error, and to its standard output.
fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stderr), text(&output.stdout))
}

#[test]
fn the_module_is_linked_with_programs_that_do_not_name_it() {
    let place = directory();
    said(&xmpfc(&place, &stand_in(), &["calls.f90", "-o", "program"]));
    Run::new(place.path().join("program")).images(2).finish().succeeded().silent();
    said(&xmpfc(&place, &stand_in(), &["-c", "calls.f90"]));
    said(&xmpfc(&place, &stand_in(), &["calls.o", "-o", "program"]));
    Run::new(place.path().join("program")).images(2).finish().succeeded().silent();
}

#[test]
fn what_is_shown_is_a_script_that_makes_the_program() {
    let place = directory();
    let (_, shown) = said(&xmpfc(&place, &stand_in(), &["--show", "calls.f90", "-o", "program"]));
    assert!(!place.path().join("program").exists());
    let made = Command::new("sh").args(["-e", "-c", &shown]).current_dir(place.path()).output();
    said(&made.expect("a shell"));
    Run::new(place.path().join("program")).images(2).finish().succeeded().silent();
}

#[test]
fn what_lfortran_ignores_in_image_selectors_is_named() {
    let place = directory();
    let (warnings, _) = said(&xmpfc(&place, &stand_in(), &["-c", "-cpp", "selectors.f90"]));
    let team = "the image of the current team is accessed";
    let expected =
        [(6, "stat=", "an error ends the program"), (8, "team=", team), (10, "team_number=", team)];
    let line = |(at, word, what)| {
        format!(
            "xmpfc: warning: selectors.f90:{at}: LFortran 0.67 ignores {word} in image selectors: {what}\n"
        )
    };
    assert_eq!(warnings, expected.map(line).concat());
    // Nothing is known of this one.
    let later = Command::new(toolchain().xmpfc())
        .env("XMP_FC", stand_in())
        .env("STAND_IN_VERSION", "0.68.0")
        .current_dir(place.path())
        .args(["-c", "-cpp", "selectors.f90"])
        .output();
    assert_eq!(said(&later.expect("it can be executed")).0, "");
}

/// A program of `fortran/prif` with the module for LFortran.
fn through_the_module(name: &str) -> PathBuf {
    Program::fortran(name).with("with_prif").for_lfortran(stand_in()).build()
}

#[test]
fn the_procedures_of_the_module_pass_their_arguments_on() {
    for name in ["allocation", "co_reduce", "strided", "teams"] {
        let program = through_the_module(&format!("prif/{name}"));
        Run::new(program).images(3).finish().succeeded().silent();
    }
}

#[test]
fn the_procedures_of_the_module_pass_errors_back() {
    let program = through_the_module("prif/refusals");
    Run::new(&program).images(2).finish().succeeded().silent();
    let text = "prif_put: image index 99 is not in 1:2";
    Run::new(&program).images(2).args(["put"]).finish().exited_with(1).stderr_line_with(&[text]);
}

#[test]
fn stop_callbacks_are_called_by_the_module() {
    let program = through_the_module("prif/ends");
    let ends = |way| Run::new(&program).args([way]).finish();
    ends("callbacks-stop").exited_with(3).stdout_is("late F T 3\nearly F T 3\n");
    let both = "late T T \"why\"\nearly T T \"why\"\n";
    ends("callbacks-error-stop").exited_with(1).stdout_is(both);
}

#[test]
fn functions_that_lfortran_defines_in_each_object_do_not_keep_objects_from_being_linked() {
    let place = directory();
    let execute = |program: &str, arguments: &[&str]| {
        let command = Command::new(program).current_dir(place.path()).args(arguments).output();
        said(&command.expect("it can be executed")).1
    };
    let function = "int lcompilers_prif_this_image(void) { return 1; }\n";
    for name in ["one", "two"] {
        let text = format!("{function}int {name}(void) {{ return 0; }}\n");
        fs::write(place.path().join(format!("{name}.c")), text).expect("a source");
        execute("gcc", &["-c", &format!("{name}.c")]);
    }
    let before = execute("nm", &["one.o"]);
    said(&xmpfc(&place, &stand_in(), &["calls.f90", "one.o", "two.o", "-o", "program"]));
    Run::new(place.path().join("program")).images(2).finish().succeeded().silent();
    assert_eq!(execute("nm", &["one.o"]), before);
}

/// A program whose levels of teams have the values of LFortran.
fn levels_are_those_of_lfortran(compiler: &Path) {
    let place = directory();
    said(&xmpfc(&place, compiler, &["levels.f90", "-o", "program"]));
    let run = Run::new(place.path().join("program"));
    for images in [1, 2, 4] {
        run.clone().images(images).finish().succeeded().silent();
    }
    let outcome = run.images(2).args(["none of them"]).finish();
    outcome.exited_with(1).stderr_line_with(&["prif_get_team: level 17 is none of"]);
}

#[test]
fn levels_of_teams_have_the_values_of_lfortran() {
    levels_are_those_of_lfortran(&stand_in());
}

#[test]
fn lfortran_itself_compiles_and_links_coarrays() {
    if !installed(&["lfortran"]) {
        return;
    }
    let place = directory();
    said(&xmpfc(&place, Path::new("lfortran"), &["coarrays.f90", "-o", "program"]));
    for images in [1, 2, 4] {
        Run::new(place.path().join("program")).images(images).finish().exited_with(3);
    }
    levels_are_those_of_lfortran(Path::new("lfortran"));
}
