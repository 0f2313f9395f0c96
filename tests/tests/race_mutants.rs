//! Programs from which one image control statement was removed: `race-mutants.md` says which pair of statements is then a race, or why
//! nothing is. Without `XMP_TEST_MUTANTS=all` one removal of each program is tried, not those
//! by chance, and run until the race is found.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xmp_tests::exceptions::left_out;
use xmp_tests::mutants::{Removal, Source};
use xmp_tests::toolchain::{crate_dir, workspace};
use xmp_tests::{Outcome, Program, Run};

/// A program without a statement may wait for ever.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs in which each race is to be found; without `all` in one of them, because other errors may end the program before.
const RUNS: usize = 10;

/// What becomes of a program without a statement.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    /// These two statements are a race.
    Race(BTreeSet<String>),
    /// They are one in some runs: a lock may have ordered them.
    ByChance(BTreeSet<String>),
    /// Nothing is.
    Nothing,
}

/// A row of the list.
#[derive(Debug)]
struct Row {
    program: String,
    /// Its arguments.
    arguments: Vec<String>,
    removed: String,
    expected: Expected,
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(crate_dir().join("race-mutants.md")).expect("the list");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let code = |cell: &str| cell.trim_matches('`').to_owned();
        let [program, removed, rest @ ..] = &cells[..] else { panic!("{line}") };
        let expected = match rest {
            ["race", first, second] => Expected::Race([first, second].map(|it| code(it)).into()),
            ["by chance", first, second] => {
                Expected::ByChance([first, second].map(|it| code(it)).into())
            }
            ["no race", _reason] => Expected::Nothing,
            _ => panic!("{line}"),
        };
        let program = code(program);
        let mut words = program.split(' ').map(str::to_owned);
        let program = words.next().expect("a program");
        Row { program, arguments: words.collect(), removed: code(removed), expected }
    })
    .collect()
}

/// The program of a row, without the statement.
fn built(row: &Row, path: &Path, source: &Source, removal: &Removal) -> PathBuf {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join(path.file_name().expect("a name"));
    fs::write(&file, source.without(removal)).expect("a file");
    let program = Program::fortran_file(&file).argument("--check=races").argument("-O1");
    let program = if row.program.starts_with("tests/") { program.with("turns") } else { program };
    program.build()
}

/// The pairs of statements that a run has reported.
fn reported(outcome: &Outcome, name: Option<&OsStr>, source: &Source) -> Vec<BTreeSet<String>> {
    let statement = |place: &str| {
        let (file, line) = place.rsplit_once(':')?;
        let is_its = Path::new(file).file_name() == name;
        Some(if is_its {
            source.statement(line.parse().ok()?).to_owned()
        } else {
            place.to_owned()
        })
    };
    let pair = |line: &str| {
        let (sides, _) = line.split_once(", and nothing orders the two statements")?;
        let (first, rest) = sides.split_once(": image ")?;
        let (_, second) = rest.rsplit_once(" at ")?;
        Some(BTreeSet::from([statement(first)?, statement(second)?]))
    };
    outcome.stderr.lines().filter_map(pair).collect()
}

#[test]
fn a_statement_that_orders_two_accesses_is_missed_at_both() {
    let all = env::var("XMP_TEST_MUTANTS").is_ok_and(|value| value == "all");
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    let is_sure = |row: &Row| !matches!(row.expected, Expected::ByChance(_));
    let rows = rows();
    let chosen = rows.iter().filter(|row| all || is_sure(row) && seen.insert(row.program.clone()));
    for row in chosen {
        let path = workspace().join(&row.program);
        // What a compiler does not compile is in the program's head.
        if left_out(&path) {
            continue;
        }
        let source = Source::of(&path);
        let removal = source.removals().into_iter().find(|it| it.text == row.removed);
        let removal = removal.unwrap_or_else(|| panic!("{row:?}: there is no such statement"));
        let program = built(row, &path, &source, &removal);
        for number in 0..RUNS {
            let run = Run::new(&program).images(4).launcher_option("--check=races");
            let outcome = run.args(&row.arguments).limit(LIMIT).finish();
            outcome.within(LIMIT);
            let reported = reported(&outcome, path.file_name(), &source);
            let is_last = number == RUNS - 1;
            let (is_right, is_enough) = match &row.expected {
                Expected::Race(pair) => {
                    let found = reported.contains(pair);
                    (found || !all && !is_last, found && !all)
                }
                Expected::ByChance(pair) => {
                    let found = reported.contains(pair);
                    (found || !is_last, found)
                }
                Expected::Nothing => (reported.is_empty(), !all),
            };
            if !is_right {
                wrong.push(format!("run {number} of {row:?}:\n{reported:#?}\n{}", outcome.stderr));
            }
            if is_enough {
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

/// The list has all statements of its programs, but for those of `tests/`.
#[test]
fn the_list_has_all_statements_of_its_programs() {
    let rows = rows();
    let programs: BTreeSet<&str> = rows.iter().map(|row| &*row.program).collect();
    for program in programs.into_iter().filter(|program| !program.starts_with("tests/")) {
        let removals = Source::of(&workspace().join(program)).removals();
        let is_listed =
            |it: &Removal| rows.iter().any(|row| row.program == program && row.removed == it.text);
        let missing: Vec<Removal> = removals.into_iter().filter(|it| !is_listed(it)).collect();
        assert!(missing.is_empty(), "{program}: {missing:?}");
    }
}
