//! The names that `libxmprt.so` exports are its ABI: exactly those of `abi/libxmprt.symbols`. `libxmprt_omni.so` has more.
//!
//! A name that is missing breaks programs that are linked already: it needs a new major version. A name that is new
//! belongs to the ABI from its first release on.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use xmp_tests::toolchain::{output_of, toolchain, workspace};

/// The list, relative to the workspace.
const LIST: &str = "tests/abi/libxmprt.symbols";

/// What `libxmprt_omni.so` exports beside these, relative to the workspace.
const OF_OMNI: &str = "tests/abi/libxmprt_omni.symbols";

/// What the names of each front end begin with.
const PREFIXES: [&str; 6] = [
    // gfortran
    "_gfortran_caf_",
    // PRIF: flang, and the queries of all compilers; the module has `xmp_prif_`
    "_QMprifPprif_",
    "prif_",
    // C
    "xmprt_",
    // procedures of XcalableMP
    "xmp_",
    "xmpc_",
];

/// What programs call that use MPI beside coarrays.
const MPI: [&str; 3] = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize"];
const MPI_FORTRAN: [&str; 2] = ["mpi_init_", "mpi_finalize_"];

/// What the linker's `--wrap` has programs call instead of `malloc`, `free`, `realloc`, and functions of libgomp and
/// libgfortran.
const WRAPPED: [&str; 5] = [
    "__wrap_malloc",
    "__wrap_free",
    "__wrap_realloc",
    "__wrap_GOMP_parallel",
    "__wrap__gfortran_set_options",
];

fn listed() -> Vec<String> {
    names_of(LIST)
}

fn names_of(list: &str) -> Vec<String> {
    let text = fs::read_to_string(workspace().join(list)).expect("the list of symbols");
    text.lines().map(str::to_owned).collect()
}

fn exported() -> BTreeSet<String> {
    exported_by(&toolchain().prefix().join("lib/libxmprt.so"))
}

fn exported_for_omni() -> BTreeSet<String> {
    exported_by(&toolchain().prefix().join("lib/libxmprt_omni.so"))
}

fn exported_by(library: &Path) -> BTreeSet<String> {
    let symbols = output_of("nm", [Path::new("-D"), Path::new("--defined-only"), library]);
    let names = symbols.lines().filter_map(|line| line.split_whitespace().last());
    names.map(str::to_owned).collect()
}

/// Compares what a library exports with a list.
fn compare(listed: &BTreeSet<String>, exported: &BTreeSet<String>, library: &str, list: &str) {
    let missing: Vec<_> = listed.difference(exported).collect();
    let new: Vec<_> = exported.difference(listed).collect();
    assert!(
        missing.is_empty() && new.is_empty(),
        "missing from {library}: {missing:?}\nnot in {list}: {new:?}"
    );
}

#[test]
fn the_library_exports_the_listed_symbols_and_no_others() {
    let listed = listed().into_iter().collect();
    compare(&listed, &exported(), "libxmprt.so", LIST);
}

/// It takes the place of `libxmprt.so` in a program.
#[test]
fn the_library_for_omni_exports_the_same_symbols_and_those_that_its_programs_call() {
    let mut listed: BTreeSet<String> = names_of(OF_OMNI).into_iter().collect();
    listed.extend(self::listed());
    compare(&listed, &exported_for_omni(), "libxmprt_omni.so", OF_OMNI);
}

#[test]
fn every_listed_symbol_belongs_to_a_front_end() {
    for name in listed() {
        let of_front_end = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let of_mpi = MPI.contains(&name.as_str())
            || MPI_FORTRAN.iter().any(|prefix| name.starts_with(prefix));
        assert!(
            of_front_end || of_mpi || WRAPPED.iter().any(|wrapped| name.starts_with(wrapped)),
            "{name}"
        );
    }
}

#[test]
fn the_lists_of_symbols_are_sorted_without_repetitions() {
    for list in [LIST, OF_OMNI] {
        assert!(names_of(list).is_sorted_by(|one, next| one < next), "{list}");
    }
}

/// The functions of the C headers that programs may rely on: each with the version that had it first.
const PROMISED: &str = "tests/abi/promised.symbols";

/// The version and the name in each line of the list of promised functions.
fn promised(text: &str) -> Vec<(&str, &str)> {
    text.lines().map(|line| line.split_once(' ').expect("a version and a name")).collect()
}

#[test]
fn promised_functions_are_exported_and_each_declared_one_is_promised() {
    let text = fs::read_to_string(workspace().join(PROMISED)).expect("the list");
    let promised = promised(&text);
    assert!(promised.is_sorted_by(|one, next| one.1 < next.1), "{PROMISED} is not sorted by name");
    let exported = exported();
    let missing: Vec<_> = promised.iter().filter(|(_, name)| !exported.contains(*name)).collect();
    assert!(missing.is_empty(), "missing from libxmprt.so: {missing:?}");
    let pages = toolchain().prefix().join("share/man/man3");
    let names: BTreeSet<&str> = promised.iter().map(|(_, name)| *name).collect();
    for page in fs::read_dir(pages).expect("the manual pages of functions") {
        let page = page.expect("a page").path();
        let name = page.file_stem().expect("a name").to_str().expect("a text");
        let is_function = exported.contains(name);
        assert!(
            !is_function || names.contains(name),
            "{name} is in a header of C and not in {PROMISED}: add it with the version that will have it"
        );
    }
}

#[test]
fn no_function_that_was_promised_is_taken_back_without_a_new_major_version() {
    let history = Command::new("git")
        .args(["log", "--format=", "-p", "--unified=0", "--", PROMISED])
        .current_dir(workspace())
        .output();
    let Some(history) = history.ok().filter(|history| history.status.success()) else {
        xmp_hosts::noted("the history of the promised functions is not here: no repository of Git");
        return;
    };
    let text = fs::read_to_string(workspace().join(PROMISED)).expect("the list");
    let names: BTreeSet<&str> = promised(&text).iter().map(|(_, name)| *name).collect();
    let history = String::from_utf8(history.stdout).expect("a text");
    let major = format!("-{}.", env!("CARGO_PKG_VERSION_MAJOR"));
    let taken_back: Vec<&str> = history
        .lines()
        .filter(|line| line.starts_with(&major))
        .filter_map(|line| line.split_once(' '))
        .map(|(_, name)| name)
        .filter(|name| !names.contains(name))
        .collect();
    assert!(
        taken_back.is_empty(),
        "programs may call {taken_back:?}: CONTRIBUTING.md, \"The ABI\""
    );
}

/// The names in the list of what is not recorded.
const NOT_TRACED: &str = "tests/abi/not-traced";

/// A function of the library that records that is before none of `libxmprt.so`.
const FOR_RACES: &str = "xmprt_trace_races";

#[test]
fn each_export_is_recorded_in_traces_or_listed_as_not_recorded() {
    let text = fs::read_to_string(workspace().join(NOT_TRACED)).expect("the list");
    let names = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let not_traced: BTreeSet<String> = names.map(str::to_owned).collect();
    let mut traced = exported_by(&toolchain().plugins().join("libxmprt_trace.so"));
    assert!(traced.remove(FOR_RACES), "{FOR_RACES} is how libxmprt.so hands over races");
    let exported = exported_for_omni();
    let both: Vec<_> = traced.intersection(&not_traced).collect();
    assert!(both.is_empty(), "recorded, and in {NOT_TRACED}: {both:?}");
    let known: BTreeSet<String> = traced.union(&not_traced).cloned().collect();
    let missing: Vec<_> = exported.difference(&known).collect();
    let unknown: Vec<_> = known.difference(&exported).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "neither in ffi/trace/src/entries nor in {NOT_TRACED}: {missing:?}\nnot in libxmprt_omni.so: {unknown:?}"
    );
}
