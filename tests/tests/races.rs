//! `XMP_CHECK=races`: accesses to coarrays that nothing orders end the job, and name both statements. Others do not.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;
use xmp_tests::exceptions::left_out_with;
use xmp_tests::matrix::conforms_without_races;
use xmp_tests::program::fortran_source;
use xmp_tests::{Outcome, Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// The kinds of pairs in the program: what the second image reports of its statement and of the first one. `FIRST` stands
/// for the place of that one.
const PAIRS: [(&str, &str); 20] = [
    ("put_put", "image 2: put to x(2)[3]: image 1 writes x(2)[3] at FIRST"),
    ("put_get", "image 2: get from x(2)[3]: image 1 writes x(2)[3] at FIRST"),
    ("get_put", "image 2: put to x(2)[3]: image 1 reads x(2)[3] at FIRST"),
    ("wrong_partner", "image 2: get from x(1)[2]: image 1 writes x(1)[2] at FIRST"),
    ("event_query", "image 2: get from x(1:10)[2]: image 1 writes x(1)[2] at FIRST"),
    ("lock", "image 2: put to x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("critical", "image 2: get from x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("strides", "image 2: put to x(2:8:3)[3]: image 1 writes x(5)[3] at FIRST"),
    ("columns", "image 2: get from grid(2, -1:3)[3]: image 1 writes grid(2, 1)[3] at FIRST"),
    ("bytes", "image 2: put to c(2:9)[3]: image 1 writes c(3)[3] at FIRST"),
    ("team", "image 2: put to x(4)[1]: image 3 writes x(4)[1] at FIRST"),
    ("own_image", "image 1: put to x(1)[3]: image 3 writes x(1)[3] at FIRST"),
    ("atomic", "image 2: put to flag[3]: image 1 writes flag[3] at FIRST"),
    ("atomics", "image 2: atomic_define of flag[3]: image 1 writes flag[3] at FIRST"),
    ("sync_memory", "image 2: get from x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("component", "image 2: get from box[3]: image 1 writes the same memory of image 3 at FIRST"),
    ("collective", "image 2: get from x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("local_side", "image 2: put to z(3)[1]: image 1 writes z(3)[1] at FIRST"),
    ("between_images", "image 3: put to x(2)[3]: image 1 reads x(2)[3] at FIRST"),
    ("stat", "image 2: get from x(2)[3]: image 1 writes x(2)[3] at FIRST"),
];

const PROGRAM: &str = "faults/races";

fn program() -> &'static PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        // Without optimisation, which moves statements to other lines.
        Program::fortran(PROGRAM).argument("-O0").build()
    })
}

fn run(kind: &str, mode: &str, check: &str) -> Outcome {
    let run = Run::new(program()).images(3).env("XMP_CHECK", check).args([kind, mode]);
    run.finish()
}

/// Where the program marks a statement: `races.f90:51`.
fn place(mark: &str) -> String {
    let text = fs::read_to_string(fortran_source(PROGRAM)).expect("the program's source");
    let ending = format!("! {mark}");
    let line = text.lines().position(|line| line.ends_with(&ending));
    format!("races.f90:{}", line.expect("a marked line") + 1)
}

/// Whether the compiler does not pass what it accesses: gfortran 15 and later call accessors, which access memory themselves.
fn has_accessors() -> bool {
    left_out_with(15.., "races of reads and writes", "accessors access memory themselves")
}

#[test]
fn a_race_names_both_statements_both_images_and_the_element() {
    if has_accessors() {
        return;
    }
    for (kind, text) in PAIRS {
        let outcome = run(kind, "racy", "races");
        outcome.exited_with(1).within(SOON).stdout_is("");
        let text = text.replace("FIRST", &place(&format!("first {kind}")));
        let whole = format!(
            "{}: {text}, and nothing orders the two statements: synchronise the two images between them",
            place(&format!("second {kind}"))
        );
        let line = outcome.stderr.lines().next().unwrap_or_default();
        // Directories of the build stand before the names of the file.
        let bare: String = line.split(' ').map(without_directory).collect::<Vec<_>>().join(" ");
        assert_eq!(bare, whole, "{kind}:\n{}", outcome.stderr);
    }
}

/// The name of a file without its directory; other words as they are.
fn without_directory(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}

#[test]
fn statements_that_are_ordered_or_do_not_conflict_are_no_race() {
    for (kind, _) in PAIRS {
        let outcome = run(kind, "ordered", "races");
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{kind}");
    }
}

/// Pairs of calls of PRIF: the procedure that finds the race.
const CALLS: [(&str, &str); 4] = [
    ("contiguous", "prif_get"),
    ("strided", "prif_get_strided"),
    ("atomic", "prif_put"),
    ("stat", "prif_put"),
];

#[test]
fn races_of_programs_that_use_prif_are_found() {
    let program = Program::fortran("prif/races").with("with_prif").argument("-O0").build();
    let run = |kind: &str, mode: &str| {
        let run = Run::new(&program).images(3).env("XMP_CHECK", "races");
        run.args([kind, mode]).finish()
    };
    for (kind, procedure) in CALLS {
        let outcome = run(kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("");
        let found = format!("image 2: {procedure}: image 1 writes the same memory of image 3 at");
        outcome.stderr_line_with(&["races.f90:", &found, "nothing orders the two statements"]);
        let outcome = run(kind, "ordered");
        outcome.succeeded().within(SOON).stdout_is("done\n");
    }
}

#[test]
fn without_the_setting_no_race_is_looked_for() {
    for check in ["0", "1"] {
        run("put_put", "racy", check).succeeded().within(SOON).stdout_is("done\n");
    }
}

#[test]
fn both_checks_can_be_asked_for() {
    run("put_put", "ordered", "1,races").succeeded().within(SOON).stdout_is("done\n");
    if !has_accessors() {
        run("put_put", "racy", "1,races").exited_with(1).within(SOON);
    }
}

#[test]
fn several_hosts_are_refused_at_the_start() {
    let run = Run::new(program()).images(3).virtual_hosts(2).env("XMP_CHECK", "races");
    let outcome = run.args(["put_put", "ordered"]).finish();
    assert_ne!(outcome.status.code(), Some(0), "{}", outcome.stderr);
    outcome.within(SOON).stdout_is("");
    outcome.stderr_line_with(&["XMP_CHECK", "2 hosts", "start all images there"]);
}

/// Right programs of each chapter; `XMP_TEST_CHECK=races cargo test --test conformance` runs all.
#[test]
fn right_programs_have_no_races() {
    for name in [
        "transfers/neighbouring_bytes",
        "transfers/between_images",
        "transfers/local_operands",
        "sync/pipeline",
        "sync/sync_images_ring",
        "sync/memory_between_puts",
    ] {
        conforms_without_races(name);
    }
}
