//! `--check=races`: variables of statements that libraries read and write: namelists, masks, STAT=, lists of images, arguments of
//! intrinsic procedures, specifiers of input and output; components that change their allocation.

use std::time::Duration;
use xmp_tests::marks;
use xmp_tests::program::fortran_source;
use xmp_tests::{Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// Kinds of pairs of statements, and the variable that is named.
const PAIRS: [(&str, &str); 14] = [
    // gfortran's debugging information has no bounds of variables of a namelist.
    ("namelist_write", "y"),
    ("namelist_read", "x"),
    ("namelist_late", "y"),
    ("namelist_part", "rows"),
    ("scalar_mask", "grid(2, 2)"),
    ("mask_itself", "mask"),
    ("sought", "grid(2, 3)"),
    ("characters", "names(2)"),
    ("stat", "status"),
    ("acquired", "status"),
    ("count", "posts"),
    ("list", "partners(1)"),
    ("moved", "box"),
    ("associated", "view"),
];

/// Kinds that are no race.
const SILENT: [&str; 3] = ["false_mask", "unnamed", "other_part"];

/// Kinds with ERRMSG=, and the variable.
const MESSAGES: [(&str, &str); 2] = [("sum_message", "report"), ("allocate_message", "report")];

/// The same of another program: arguments of intrinsic procedures, and specifiers of input, output and coindexed objects.
const INTRINSICS: [(&str, &str); 21] = [
    ("greatest", "text"),
    ("date", "text"),
    ("from_bits", "bits"),
    ("to_bits", "bits"),
    ("seed_read", "seeds(2)"),
    ("seed_written", "seeds(2)"),
    ("argument", "text"),
    ("environment", "status"),
    ("shifts", "shifts(2)"),
    ("filled", "x(3)"),
    ("chosen_words", "mask(1)"),
    ("iostat", "status"),
    ("iomsg", "message"),
    ("format", "form"),
    ("new_unit", "status"),
    ("inquire", "is_there"),
    ("inquire_text", "text"),
    ("inquire_late", "text"),
    ("file", "text"),
    ("stat_of_get", "status"),
    ("stat_of_list", "status"),
];

#[test]
fn variables_that_libraries_access_for_a_statement_are_seen() {
    are_seen("races/variables", &PAIRS, &SILENT);
}

#[test]
fn errmsg_is_defined_by_an_error_of_a_collective_subroutine_or_of_allocate_and_by_no_success() {
    are_seen("races/variables", &MESSAGES, &["no_message"]);
}

#[test]
fn arguments_of_intrinsic_procedures_and_specifiers_are_seen() {
    are_seen("races/intrinsics", &INTRINSICS, &["no_error"]);
}

/// Each pair is reported at both statements where nothing orders it, and not where something does. The other kinds are no races.
fn are_seen(name: &str, pairs: &[(&str, &str)], silent: &[&str]) {
    let program =
        Program::fortran(name).with("turns").argument("--check=races").argument("-O0").build();
    let run = |kind: &str, mode: &str| {
        let run = Run::new(&program).images(2).launcher_option("--check=races");
        run.args([kind, mode]).finish()
    };
    for (kind, variable) in pairs {
        let outcome = run(kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let [first, second] = ["first", "second"]
            .map(|turn| marks::place(&fortran_source(name), &format!("{turn} {kind}")));
        outcome.stderr_line_with(&[&first, &second, &format!(" {variable}"), "nothing orders"]);
    }
    let ordered = pairs.iter().map(|(kind, _)| (*kind, "ordered"));
    for (kind, mode) in ordered.chain(silent.iter().map(|kind| (*kind, "racy"))) {
        let outcome = run(kind, mode);
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{kind}");
    }
}
