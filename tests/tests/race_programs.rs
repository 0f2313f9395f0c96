//! `--check=races` of programs with threads of OpenMP and with directives of XcalableMP.

use std::fs;
use std::path::Path;
use std::time::Duration;
use xmp_tests::marks;
use xmp_tests::program::fortran_source;
use xmp_tests::toolchain::{crate_dir, toolchain};
use xmp_tests::{Program, Run};

const SOON: Duration = Duration::from_secs(300);

#[test]
fn loads_and_stores_of_all_threads_of_an_image_are_seen() {
    let name = "races/threads";
    let program = Program::fortran(name).with("turns").argument("--check=races");
    let program = program.argument("-fopenmp").argument("-O0").build();
    let run = |mode: &str, kind: &str| {
        Run::new(&program).images(2).launcher_option("--check=races").args([mode, kind]).finish()
    };
    let place = |mark: &str| marks::place(&fortran_source(name), mark);
    let outcome = run("racy", "");
    outcome.exited_with(1).within(SOON).stdout_is("done\n");
    outcome.stderr_line_with(&[&place("first"), &place("second"), "x(777)"]);
    outcome.stderr_line_with(&["xmp: 1 race"]);
    run("ordered", "").succeeded().within(SOON).stdout_is("done\n");
    // What a thread exchanges atomically in line the plug-in of gcc sees.
    let races = fs::read_dir(toolchain().plugins().join("races")).expect("an installation");
    let mut names = races.flatten().map(|entry| entry.file_name());
    if names.any(|name| name.to_string_lossy().starts_with("plugin-")) {
        let outcome = run("racy", "atomic");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        outcome.stderr_line_with(&[&place("first atomic"), &place("second atomic"), "atomic"]);
    }
    let outcome = run("ordered", "atomic");
    outcome.succeeded().within(SOON).stdout_is("done\n");
    assert_eq!(outcome.stderr, "");
}

#[test]
fn what_an_image_has_done_before_it_failed_is_no_race_and_others_still_have_theirs() {
    let name = "races/failed";
    let program = Program::fortran(name).argument("--check=races").argument("-O0").build();
    let [first, second] = ["first", "second"].map(|mark| marks::place(&fortran_source(name), mark));
    // Survivors on several hosts find one another by their arrivals.
    for hosts in [1, 2] {
        let run = |mode: &str| {
            let run = Run::new(&program).images(4).virtual_hosts(hosts);
            run.launcher_option("--check=races").args([mode]).finish()
        };
        for mode in ["lock", "none"] {
            let outcome = run(mode);
            outcome.succeeded().within(SOON).stdout_is("done\n");
            assert_eq!(outcome.stderr, "", "{mode} on {hosts} hosts");
        }
        let outcome = run("racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        outcome.stderr_line_with(&[&first, &second, "x(1)", "nothing orders"]);
        outcome.stderr_line_with(&["xmp: 1 race"]);
    }
}

#[test]
fn puts_to_a_failed_image_are_no_races_because_its_data_are_lost() {
    let program =
        Program::fortran("races/failed").argument("--check=races").argument("-O0").build();
    for hosts in [1, 2] {
        let run = Run::new(&program).images(4).virtual_hosts(hosts);
        let outcome = run.launcher_option("--check=races").args(["lost"]).finish();
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "on {hosts} hosts");
    }
}

#[test]
fn the_check_takes_at_most_five_times_the_memory_of_the_coarrays_that_are_accessed() {
    let program = Program::fortran("races/memory").argument("--check=races").build();
    let used = |check: &str| -> i64 {
        let outcome = Run::new(&program).images(2).env("XMP_CHECK", check).finish();
        outcome.succeeded().within(SOON);
        outcome.stdout.trim().parse().expect("a number")
    };
    let coarrays = 2 * 16 * 1024;
    let more = used("races") - used("0");
    assert!(more <= 5 * coarrays, "{more} KiB for coarrays of {coarrays} KiB");
    assert!(more >= coarrays, "{more} KiB: the accesses were not entered");
}

#[test]
fn puts_to_coarrays_of_xcalablemp_are_seen_and_directives_order_them() {
    let source = crate_dir().join("c/xmp/races.c");
    let program = Program::xmp_c(&["races"]).argument("--check=races").argument("-O0").build();
    let run = |how: &str| {
        Run::new(&program).images(2).launcher_option("--check=races").args([how]).finish()
    };
    let place = |mark: &str| marks::place(&source, mark);
    let outcome = run("");
    outcome.exited_with(1).within(SOON).stdout_is("done\n");
    outcome.stderr_line_with(&[&place("first"), &place("second"), " x[2][3]", "nothing orders"]);
    outcome.stderr_line_with(&["xmp: 1 race"]);
    for how in ["sync", "images", "post"] {
        let outcome = run(how);
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{how}");
    }
}

/// A file named `specs` where gcc looks for the assembler took the place of its own specs: C++ did not link, and exceptions were fatal.
#[test]
fn programs_in_cpp_are_checked_and_their_exceptions_are_caught() {
    let source = crate_dir().join("c/classes_races.cpp");
    let program = Program::cpp("classes_races", "c++17").argument("--check=races").argument("-O0");
    let program = program.build();
    let run = |how: &str| {
        Run::new(&program).images(2).launcher_option("--check=races").args([how]).finish()
    };
    let place = |mark: &str| marks::place(&source, mark);
    let outcome = run("");
    outcome.exited_with(1).within(SOON).stdout_is("done 1\n");
    outcome.stderr_line_with(&[&place("first"), &place("second"), "nothing orders"]);
    outcome.stderr_line_with(&["xmp: 1 race"]);
    let outcome = run("ordered");
    outcome.succeeded().within(SOON).stdout_is("done 1\n");
    assert_eq!(outcome.stderr, "");
}

/// What the first argument of the programs with distributed arrays may be, and the marks of the two statements then.
const DIRECTIVES: [(&str, &str, &str); 4] = [
    ("in", "first in", "second in"),
    ("reflect", "first out", "second reflect"),
    ("gmove", "first out", "second gmove"),
    ("shadow", "first out", "second shadow"),
];

/// Each pair of a directive and another statement is reported at both, with the element, where nothing orders them, and is silent where a barrier does.
fn accesses_of_directives_are_seen(program: Program, source: &Path, element: &str) {
    let program = program.argument("--check=races").argument("-O0").build();
    let place = |mark: &str| marks::place(source, mark);
    for (way, first, second) in DIRECTIVES {
        let run = |how: &str| {
            let run = Run::new(&program).images(2).launcher_option("--check=races");
            run.args([way, how]).finish()
        };
        let outcome = run("");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let element = format!(" {element}");
        outcome.stderr_line_with(&[&place(first), &place(second), &element, "nothing orders"]);
        let outcome = run("barrier");
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{way}");
    }
}

#[test]
fn accesses_of_directives_to_distributed_arrays_are_seen_in_c() {
    let source = crate_dir().join("c/xmp/races_global.c");
    accesses_of_directives_are_seen(Program::xmp_c(&["races_global"]), &source, "a[4]");
}

#[test]
fn accesses_of_directives_to_distributed_arrays_are_seen_in_fortran() {
    let source = crate_dir().join("fortran-xmp/races.f90");
    accesses_of_directives_are_seen(Program::xmp_fortran(&["races.f90"]), &source, "a(5)");
}

#[test]
fn delays_find_a_race_that_a_critical_section_hides() {
    /// Image 1 comes later than the other one in two of five runs.
    const RUNS: usize = 30;
    let program =
        Program::fortran("races/hidden").argument("--check=races").argument("-O0").build();
    let source = fortran_source("races/hidden");
    let [first, second] = ["first", "second"].map(|mark| marks::place(&source, mark));
    let is_found = (0..RUNS).any(|_| {
        let run = Run::new(&program).images(2).launcher_option("--check=races");
        let outcome = run.env("XMP_RACES_DELAY", "400").finish();
        outcome.within(SOON);
        let found = outcome.status.code() == Some(1);
        if found {
            outcome.stderr_line_with(&[&first, &second, "nothing orders"]);
        } else {
            outcome.succeeded();
        }
        found
    });
    assert!(is_found);
}
