//! `XMP_CHECK=races`: accesses to coarrays that nothing orders end the job, and name both statements. Others do not.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;
use xmp_hosts::{Requirement, installed, skipped};
use xmp_tests::marks;
use xmp_tests::matrix::conforms_without_races;
use xmp_tests::program::fortran_source;
use xmp_tests::toolchain::{crate_dir, toolchain};
use xmp_tests::{Outcome, Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// The kinds of pairs in the program: what the second image reports of its statement and of the first one. `FIRST` stands
/// for the place of that one.
const PAIRS: [(&str, &str); 21] = [
    ("put_put", "image 2: write to x(2)[3]: image 1 writes x(2)[3] at FIRST"),
    ("put_get", "image 2: read of x(2)[3]: image 1 writes x(2)[3] at FIRST"),
    ("get_put", "image 2: write to x(2)[3]: image 1 reads x(2)[3] at FIRST"),
    ("wrong_partner", "image 2: read of x(1): image 1 writes x(1)[2] at FIRST"),
    ("event_query", "image 2: read of x(1): image 1 writes x(1)[2] at FIRST"),
    ("lock", "image 2: write to x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("critical", "image 2: read of x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("strides", "image 2: write to x(5)[3]: image 1 writes x(5)[3] at FIRST"),
    ("columns", "image 2: read of grid(2, 1)[3]: image 1 writes grid(2, 1)[3] at FIRST"),
    ("bytes", "image 2: write to c(3)[3]: image 1 writes c(3)[3] at FIRST"),
    ("team", "image 2: write to x(4)[1]: image 3 writes x(4)[1] at FIRST"),
    (
        "numbers",
        "image 3: write to x(5)[1] (image 2 of the initial team): image 2 writes x(5)[1] (image 2 of the initial team) at FIRST",
    ),
    ("own_image", "image 1: write to x(1)[3]: image 3 writes x(1)[3] at FIRST"),
    ("atomic", "image 2: write to flag[3]: image 1 atomically writes flag[3] at FIRST"),
    ("atomics", "image 2: atomic write to flag[3]: image 1 writes flag[3] at FIRST"),
    ("sync_memory", "image 2: read of x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("component", "image 2: read of box[3]%list(2): image 1 writes box[3]%list(2) at FIRST"),
    ("collective", "image 2: read of x(1)[3]: image 1 writes x(1)[3] at FIRST"),
    ("local_side", "image 2: write to z(3)[1]: image 1 writes z(3)[1] at FIRST"),
    ("between_images", "image 3: write to x(2): image 1 reads x(2)[3] at FIRST"),
    ("stat", "image 2: read of x(2)[3]: image 1 writes x(2)[3] at FIRST"),
];

const PROGRAM: &str = "faults/races";

fn program() -> &'static PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        // Without optimisation, which moves statements to other lines.
        Program::fortran(PROGRAM).with("turns").argument("--check=races").argument("-O0").build()
    })
}

fn run(kind: &str, mode: &str, check: &str) -> Outcome {
    let run = Run::new(program()).images(3).env("XMP_CHECK", check).args([kind, mode]);
    run.finish()
}

/// Where the program marks a statement: `races.f90:51`.
fn place(mark: &str) -> String {
    place_in(PROGRAM, mark)
}

/// Where a program marks a statement.
fn place_in(program: &str, mark: &str) -> String {
    marks::place(&fortran_source(program), mark)
}

#[test]
fn a_race_names_both_statements_both_images_and_the_element() {
    for (kind, text) in PAIRS {
        let outcome = run(kind, "racy", "races");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let text = text.replace("FIRST", &place(&format!("first {kind}")));
        let whole = format!("{}: {text}", place(&format!("second {kind}")));
        assert_eq!(statements(&outcome), whole, "{kind}:\n{}", outcome.stderr);
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

/// Pairs of calls of PRIF: what the second one does.
const CALLS: [(&str, &str); 4] = [
    ("contiguous", "read of"),
    ("strided", "read of"),
    ("atomic", "write to"),
    ("stat", "write to"),
];

#[test]
fn races_of_programs_that_use_prif_are_found() {
    let program = Program::fortran("prif/races")
        .with("with_prif")
        .argument("--check=races")
        .argument("-O0")
        .build();
    let run = |kind: &str, mode: &str| {
        let run = Run::new(&program).images(3).env("XMP_CHECK", "races");
        run.args([kind, mode]).finish()
    };
    for (kind, access) in CALLS {
        let outcome = run(kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let found = format!("image 2: {access} byte ");
        outcome.stderr_line_with(&[
            "races.f90:",
            &found,
            "of the coarray allocated at",
            "on image 3: image 1 ",
            "writes byte ",
            "nothing orders",
        ]);
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
    run("put_put", "racy", "1,races").exited_with(1).within(SOON);
}

/// Loads and stores of image 1 that a later access of image 2 conflicts with: where the report is, and its text. Loads and stores are
/// entered late; arguments of collective subroutines are entered when these are called.
const LOCAL: [(&str, &str, &str); 34] = [
    ("write_put", "first", "image 1: write to x(2): image 2 writes x(2)[1] at SECOND"),
    ("read_put", "first", "image 1: read of x(2): image 2 writes x(2)[1] at SECOND"),
    ("write_get", "first", "image 1: write to x(2): image 2 reads x(2)[1] at SECOND"),
    ("whole", "first", "image 1: write to x(1): image 2 writes x(1)[1] at SECOND"),
    ("loop", "first", "image 1: write to x(3): image 2 reads x(3)[1] at SECOND"),
    ("matrix", "second", "image 2: read of grid(2, 3)[1]: image 1 writes grid(2, 3)[1] at FIRST"),
    ("character", "first", "image 1: write to c: image 2 reads c[1] at SECOND"),
    ("complex", "first", "image 1: write to z(1): image 2 writes z(1)[1] at SECOND"),
    ("print", "first", "image 1: read of x(2): image 2 writes x(2)[1] at SECOND"),
    ("print_array", "second", "image 2: write to x(4)[1]: image 1 reads x(4)[1] at FIRST"),
    ("read", "first", "image 1: write to x(2): image 2 reads x(2)[1] at SECOND"),
    ("internal_write", "first", "image 1: write to c: image 2 reads c[1] at SECOND"),
    ("internal_read", "first", "image 1: read of c: image 2 writes c[1] at SECOND"),
    ("compare", "first", "image 1: read of c: image 2 writes c[1] at SECOND"),
    ("mask", "first", "image 1: read of mask(2): image 2 writes mask(2)[1] at SECOND"),
    ("strided_sum", "second", "image 2: write to x(3)[1]: image 1 writes x(3)[1] at FIRST"),
    ("shift", "first", "image 1: read of x(9): image 2 writes x(9)[1] at SECOND"),
    ("random", "first", "image 1: write to r: image 2 writes r[1] at SECOND"),
    ("component", "first", "image 1: read of box%count: image 2 writes box[1]%count at SECOND"),
    (
        "allocatable",
        "first",
        "image 1: write to box%list(3): image 2 writes box[1]%list(3) at SECOND",
    ),
    (
        "nested",
        "first",
        "image 1: write to racks(2)%boxes(2)%list(3): image 2 writes racks(2)[1]%boxes(2)%list(3) at SECOND",
    ),
    (
        "inner",
        "first",
        "image 1: write to racks(2)%boxes(3)%count: image 2 writes racks(2)[1]%boxes(3)%count at SECOND",
    ),
    (
        "atomic_value",
        "second",
        "image 2: read of numbers(2)[1]: image 1 writes numbers(2)[1] at FIRST",
    ),
    (
        "atomic_operand",
        "second",
        "image 2: write to numbers(3)[1]: image 1 reads numbers(3)[1] at FIRST",
    ),
    (
        "atomic_old",
        "second",
        "image 2: write to numbers(1)[1]: image 1 writes numbers(1)[1] at FIRST",
    ),
    (
        "whole_object",
        "first",
        "image 1: write to box%list(3): image 2 reads box[1]%list(3) at SECOND",
    ),
    (
        "whole_array",
        "first",
        "image 1: write to racks(2)%boxes(2)%list(3): image 2 reads racks(2)[1]%boxes(2)%list(3) at SECOND",
    ),
    ("dummy", "first", "image 1: write to x(4): image 2 writes x(4)[1] at SECOND"),
    ("explicit", "first", "image 1: write to x(5): image 2 writes x(5)[1] at SECOND"),
    ("pointer", "first", "image 1: write to t(3): image 2 writes t(3)[1] at SECOND"),
    ("lock", "second", "image 2: write to x(1)[1]: image 1 writes x(1)[1] at FIRST"),
    ("team", "second", "image 2: write to x(3)[1]: image 1 writes x(3)[1] at FIRST"),
    ("sum", "second", "image 2: write to x(4)[1]: image 1 writes x(4)[1] at FIRST"),
    ("broadcast", "second", "image 2: read of x(4)[1]: image 1 writes x(4)[1] at FIRST"),
];

/// Kinds that the compiler executes in line by `memset` and `memcpy`.
const IN_LINE: [&str; 2] = ["whole", "character"];

/// Whether the installation has a plug-in of gcc, which sees accesses in line. Reported if not.
fn has_plugin() -> bool {
    let races = toolchain().plugins().join("races");
    let entries = fs::read_dir(races).expect("the directory of an installation").flatten();
    let has = entries.map(|entry| entry.file_name().to_string_lossy().starts_with("plugin-"));
    let has = has.fold(false, |any, this| any | this);
    if !has {
        skipped(Requirement::GccPlugin, "races of memset and memcpy in line: no plug-in of gcc");
    }
    has
}

/// Accesses of the same program that are no races.
const ALIKE: [&str; 6] = ["neighbours", "source", "reuse", "reduce", "beside_sum", "pointee"];

fn local(optimisation: &str) -> PathBuf {
    Program::fortran("races/local")
        .with("turns")
        .argument("--check=races")
        .argument(optimisation)
        .build()
}

fn run_local(program: &PathBuf, kind: &str, mode: &str) -> Outcome {
    Run::new(program).images(2).launcher_option("--check=races").args([kind, mode]).finish()
}

/// What the first line that a run has written to standard error says of the two statements of a race, without directories.
fn statements(outcome: &Outcome) -> String {
    let line = outcome.stderr.lines().next().unwrap_or_default();
    let (line, _) =
        line.split_once(", and nothing orders the two statements: ").unwrap_or((line, ""));
    line.split(' ').map(without_directory).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_race_with_a_load_or_store_names_both_statements_and_the_element() {
    let program = local("-O0");
    let has_plugin = has_plugin();
    for (kind, reporter, text) in LOCAL {
        if IN_LINE.contains(&kind) && !has_plugin {
            continue;
        }
        let outcome = run_local(&program, kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let place = |turn: &str| place_in("races/local", &format!("{turn} {kind}"));
        let text = text.replace("FIRST", &place("first")).replace("SECOND", &place("second"));
        let whole = format!("{}: {text}", place(reporter));
        assert_eq!(statements(&outcome), whole, "{kind}:\n{}", outcome.stderr);
    }
}

/// The compiler makes one call of equal ones in other branches then, so that the statement of image 2 may be another one.
#[test]
fn races_with_loads_and_stores_are_found_in_optimised_programs() {
    let program = local("-O2");
    let has_plugin = has_plugin();
    for (kind, ..) in LOCAL.into_iter().filter(|(kind, ..)| has_plugin || !IN_LINE.contains(kind)) {
        let outcome = run_local(&program, kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        outcome.stderr_line_with(&["local.f90:", "nothing orders the two statements"]);
    }
}

#[test]
fn loads_and_stores_that_are_ordered_or_do_not_conflict_are_no_race() {
    for optimisation in ["-O0", "-O2"] {
        let program = local(optimisation);
        let ordered = LOCAL.iter().map(|(kind, ..)| (*kind, "ordered"));
        for (kind, mode) in ordered.chain(ALIKE.map(|kind| (kind, "racy"))) {
            let outcome = run_local(&program, kind, mode);
            outcome.succeeded().within(SOON).stdout_is("done\n");
            assert_eq!(outcome.stderr, "", "{kind} with {optimisation}");
        }
    }
}

#[test]
fn a_program_with_hooks_runs_as_another_one_without_the_setting() {
    let run = Run::new(local("-O2")).images(2).args(["write_put", "racy"]);
    run.finish().succeeded().within(SOON).stdout_is("done\n");
}

#[test]
fn a_program_without_hooks_says_that_local_accesses_are_not_seen() {
    let program = Program::fortran("races/local").with("turns").argument("-O0").build();
    let outcome = run_local(&program, "write_put", "racy");
    outcome.succeeded().within(SOON).stdout_is("done\n");
    let warned = outcome.stderr.lines().filter(|line| line.contains("to have local ones"));
    assert_eq!(warned.count(), 1, "{}", outcome.stderr);
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

/// The kinds of races of loads and stores in the C program are found in these, and in no ordered ones.
fn are_found_in_c(program: &Program, kinds: &[&str]) {
    let program = program.clone().argument("--check=races").argument("-O2").build();
    let (block, its) = block_in_c();
    for kind in kinds {
        // A barrier that begins has the accesses before it entered.
        for (mode, finds, other) in
            [("racy", "image 1: ", "image 2 writes"), ("early", "image 2: write to ", "image 1 ")]
        {
            let outcome = run_c(&program, kind, mode);
            outcome.exited_with(1).within(SOON).stdout_is("done\n");
            outcome.stderr_line_with(&["races.c:", finds, block, other, &its]);
        }
        is_silent_in_c(&program, kind);
    }
}

/// The words about the memory of the C program.
fn block_in_c() -> (&'static str, String) {
    let source = fs::read_to_string(crate_dir().join("c/races.c")).expect("the source");
    let allocation = source.lines().position(|line| line.contains("10 * sizeof *x, &block"));
    let allocation = allocation.expect("the allocation");
    let its = format!("races.c:{} on image 1 at", allocation + 1);
    ("byte 8 of the block allocated at", its)
}

fn run_c(program: &PathBuf, kind: &str, mode: &str) -> Outcome {
    Run::new(program).images(2).launcher_option("--check=races").args([kind, mode]).finish()
}

fn is_silent_in_c(program: &PathBuf, kind: &str) {
    for mode in ["ordered", "begun"] {
        let outcome = run_c(program, kind, mode);
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{kind} {mode}");
    }
}

/// The library calls it on operands where they are, in memory of any image.
#[test]
fn what_an_operation_of_the_program_accesses_in_a_reduction_is_no_race() {
    let program = Program::c("operands").argument("--check=races").argument("-O2").build();
    for (images, hosts) in [(2, 1), (4, 1), (4, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts);
        let outcome = run.launcher_option("--check=races").finish();
        outcome.succeeded().within(SOON);
        assert_eq!(outcome.stderr, "", "{images} images on {hosts} hosts");
    }
}

#[test]
fn arguments_of_collective_functions_in_c_are_accesses() {
    let program = Program::c("races").argument("--check=races").argument("-O2").build();
    let (block, its) = block_in_c();
    for (kind, does) in [
        ("sum", "writes"),
        ("begun_sum", "writes"),
        ("broadcast", "reads"),
        ("gather", "reads"),
        ("operation", "writes"),
        ("begun_operation", "writes"),
    ] {
        let outcome = run_c(&program, kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let first = marks::place(&crate_dir().join("c/races.c"), &format!("first {kind}"));
        let does = format!("image 1 {does} ");
        outcome.stderr_line_with(&["image 2: write to ", block, &does, &its, &first]);
        assert!(outcome.stderr.contains("xmp: 1 race\n"), "{kind}: {}", outcome.stderr);
        is_silent_in_c(&program, kind);
    }
}

#[test]
fn atomic_operations_and_files_of_c_access_memory_of_images() {
    let program = Program::c("races").argument("--check=races").argument("-O2").build();
    let (block, its) = block_in_c();
    // An atomic operation is entered at once, others when the image synchronises.
    for (kind, words) in [("atomic", "image 1 atomically writes "), ("file", "image 1: read of ")] {
        let outcome = run_c(&program, kind, "racy");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let first = marks::place(&crate_dir().join("c/races.c"), &format!("first {kind}"));
        outcome.stderr_line_with(&[words, &first, block, &its, "nothing orders"]);
        is_silent_in_c(&program, kind);
    }
}

#[test]
fn races_of_loads_and_stores_in_c_are_found() {
    let kinds: &[&str] = if has_plugin() { &["store", "loop", "set"] } else { &["store", "loop"] };
    are_found_in_c(&Program::c("races"), kinds);
}

#[test]
fn accesses_of_the_c_library_to_texts_and_sorted_arrays_are_seen() {
    are_found_in_c(&Program::c("races"), &["copy", "fill", "append", "sort"]);
}

#[test]
fn formatted_output_and_input_of_c_accesses_what_it_has_read_and_written() {
    let program = Program::c("races");
    are_found_in_c(&program, &["format", "unbounded", "list", "print", "scan", "line", "read"]);
    let program = program.argument("--check=races").argument("-O2").build();
    // The bytes that are accessed are others.
    for kind in ["short", "few", "mismatch"] {
        let outcome = run_c(&program, kind, "racy");
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{kind}");
    }
}

/// The plug-in has a pass for programs that are optimised and one for others; both put their calls into optimised ones.
#[test]
fn an_access_in_line_has_one_call() {
    if !has_plugin() {
        return;
    }
    let text = "#include <string.h>
struct s { char c[40]; };
void f(struct s *a, struct s *b) { memset(a, 0, 40); memcpy(b, a, 24); }
";
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.c"), text).expect("a file");
    for optimisation in ["-O0", "-O1", "-O2", "-Og"] {
        let mut command = Command::new(toolchain().xmpcc());
        command.args(["--check=races", optimisation, "-S", "a.c", "-o", "a.s"]);
        let status = command.current_dir(&directory).status().expect("the compiler");
        assert!(status.success(), "{optimisation}");
        let code = fs::read_to_string(directory.path().join("a.s")).expect("its output");
        // `call __tsan_write_range@PLT` or `call *__tsan_write_range@GOTPCREL(%rip)`.
        let is_call = |line: &&str| {
            line.trim_start().starts_with("call")
                && line.contains("__tsan_")
                && line.contains("_range")
        };
        let calls: Vec<&str> = code.lines().filter(is_call).collect();
        assert_eq!(calls.len(), 3, "{optimisation}: {calls:?}");
    }
}

/// clang has calls for `memset` and `memcpy` in line itself.
#[test]
fn races_of_loads_and_stores_in_c_are_found_in_what_clang_compiles() {
    if installed(&["clang"]) {
        are_found_in_c(&Program::c("races").for_clang(), &["store", "loop", "set"]);
    }
}
