//! Coindexed assignments and references as gfortran 15 and later compile them. (With such a compiler `conformance.rs`
//! tests the same and more.)

use serial_test::serial;
use std::path::PathBuf;
use std::time::Duration;
use xmp_tests::marks;
use xmp_tests::matrix::{HOSTS, numbers_of_images};
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Linking, Program, Run};

/// Kinds of pairs of a store and an access by an accessor. On another host the accessor executes that of a component there, the
/// others on a copy.
const RACES: [&str; 9] = [
    "element",
    "section",
    "vector",
    "put",
    "allocated",
    "put_allocated",
    "characters",
    "component",
    "between",
];

/// A job ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);

fn program() -> PathBuf {
    Program::accessors().build()
}

/// Runs the program with these arguments on any number of images and hosts.
fn runs_everywhere(arguments: &[&str]) {
    for hosts in HOSTS {
        for images in numbers_of_images().filter(|&images| images >= hosts) {
            let run = Run::new(program()).images(images).virtual_hosts(hosts);
            run.args(arguments).finish().succeeded().silent();
        }
    }
}

#[test]
fn on_any_number_of_images_and_hosts() {
    runs_everywhere(&[]);
}

#[test]
fn components_on_any_number_of_images_and_hosts() {
    runs_everywhere(&["components"]);
}

/// The function reads the array of this image while the accessor has a descriptor with the address of another image's.
#[test]
fn pure_functions_in_subscripts_on_any_number_of_images_and_hosts() {
    runs_everywhere(&["functions"]);
}

#[test]
fn in_a_program_with_the_static_library() {
    let program = Program::accessors().linking(Linking::StaticXmp).build();
    Run::new(program).images(3).args(["components"]).finish().succeeded().silent();
}

#[test]
#[serial]
fn the_failure_of_an_image_is_reported() {
    for hosts in HOSTS {
        let outcome = Run::new(program()).images(4).virtual_hosts(hosts).args(["kill"]).finish();
        outcome.exited_with(128 + libc::SIGKILL).within(SOON);
        outcome.stdout_lines(&["reported: 1", "reported: 3", "reported: 4"]);
    }
}

#[test]
fn a_check_of_races_that_sees_no_accesses_is_reported() {
    let outcome = Run::new(program()).images(2).env("XMP_CHECK", "races").finish();
    outcome.succeeded().stdout_is("");
    for image in ["image 1", "image 2"] {
        let seen =
            "XMP_CHECK=races does not see coindexed accesses of programs that gfortran 15 or later";
        outcome.stderr_line_with(&[&format!("xmp: {image}: warning: {seen} has compiled")]);
    }
}

/// Where the program of accessors marks a statement with races.
fn place(mark: &str) -> String {
    marks::place(&crate_dir().join("c/accessors/races.c"), mark)
}

#[test]
fn a_race_with_an_access_by_an_accessor_names_its_statement() {
    let program = Program::accessors().argument("--check=races").build();
    for hosts in HOSTS {
        let run = |how: &str, kind: &str| {
            let run = Run::new(&program).images(2).virtual_hosts(hosts);
            run.launcher_option("--check=races").args([how, kind]).finish()
        };
        for kind in RACES {
            let outcome = run("races", kind);
            outcome.exited_with(1).within(SOON);
            let places = ["first", "second"].map(|turn| place(&format!("{turn} {kind}")));
            outcome.stderr_line_with(&[&places[0], &places[1], "nothing orders"]);
        }
        for (how, kind) in
            RACES.map(|kind| ("ordered", kind)).into_iter().chain([("races", "others")])
        {
            let outcome = run(how, kind);
            outcome.succeeded().within(SOON);
            assert_eq!(outcome.stderr, "", "{kind} on {hosts} hosts");
        }
    }
}

#[test]
fn right_accesses_by_accessors_are_no_races() {
    let program = Program::accessors().argument("--check=races").build();
    for (hosts, images) in [(1, 3), (2, 4)] {
        for what in ["components", "functions"] {
            let run = Run::new(&program).images(images).virtual_hosts(hosts);
            run.launcher_option("--check=races").args([what]).finish().succeeded().silent();
        }
    }
}

/// A constructor registers the coarray, then its components, and stores the initial value after that.
#[test]
fn initial_values_of_objects_with_components_are_there_before_the_program_begins() {
    let checked = Program::accessors().argument("--check=races").build();
    for (program, check) in [(program(), "0"), (checked, "races")] {
        for hosts in HOSTS {
            let directory = tempfile::tempdir().expect("a directory");
            let run = Run::new(&program).images(2).virtual_hosts(hosts).env("XMP_CHECK", check);
            let run = run.env("FIRST", directory.path().join("first")).args(["initial"]);
            run.finish().succeeded().silent();
        }
    }
}

#[test]
fn missing_accessors() {
    for (what, words) in [
        ("number", ["coindexed access", "no accessor", "-12345"]),
        ("twice", ["coindexed access", "several accessor", "1029"]),
        ("index", ["allocated", "no accessor", "77"]),
        ("beyond", ["get", "image index 3", "1:2"]),
    ] {
        let outcome = Run::new(program()).images(2).args([what]).finish();
        outcome.exited_with(1).within(SOON);
        outcome.stderr_line_with(&words);
    }
}

#[test]
fn memory_that_only_the_target_process_can_address_is_written_there() {
    Run::new(program()).images(2).args(["pointed"]).finish().succeeded().silent();
}

#[test]
fn components_that_lead_nowhere_are_named() {
    for (what, words) in [("null", "not allocated"), ("nowhere", "no part of a coarray")] {
        let outcome = Run::new(program()).images(2).args([what]).finish();
        outcome.exited_with(1).within(SOON);
        outcome.stderr_line_with(&["image 1", "coindexed access", "image 2", words]);
    }
}
