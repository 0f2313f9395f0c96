//! `--check=races`: variables of statements that libraries read and write: namelists, masks, STAT=, lists of images; components that
//! change their allocation.

use std::time::Duration;
use xmp_tests::marks;
use xmp_tests::program::fortran_source;
use xmp_tests::{Program, Run};

const SOON: Duration = Duration::from_secs(300);

const PROGRAM: &str = "races/variables";

/// Kinds of pairs of statements, and the variable that is named.
const PAIRS: [(&str, &str); 12] = [
    // gfortran's debugging information has no bounds of variables of a namelist.
    ("namelist_write", "y"),
    ("namelist_read", "x"),
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
const SILENT: [&str; 2] = ["false_mask", "unnamed"];

#[test]
fn variables_that_libraries_access_for_a_statement_are_seen() {
    let program =
        Program::fortran(PROGRAM).with("turns").argument("--check=races").argument("-O0").build();
    let run = |kind: &str, mode: &str| {
        let run = Run::new(&program).images(2).launcher_option("--check=races");
        run.args([kind, mode]).finish()
    };
    for (kind, variable) in PAIRS {
        let outcome = run(kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let [first, second] = ["first", "second"]
            .map(|turn| marks::place(&fortran_source(PROGRAM), &format!("{turn} {kind}")));
        outcome.stderr_line_with(&[&first, &second, &format!(" {variable}"), "nothing orders"]);
    }
    let ordered = PAIRS.iter().map(|(kind, _)| (*kind, "ordered"));
    for (kind, mode) in ordered.chain(SILENT.map(|kind| (kind, "racy"))) {
        let outcome = run(kind, mode);
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{kind}");
    }
}
