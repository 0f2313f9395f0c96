use super::*;
use crate::peers::{Launcher, Peer};
use crate::protocol::RowKey;
use crate::rows::Row;
use crate::samples::{Place, Trouble, Value};
use crate::targets::{Against, Target};
use clap::Parser;

const TARGETS: &[Target] =
    &[Target::new(Against::OpenCoarrays, 0.5), Target::new(Against::Limit, 1.5)];
const ROWS: &[Row] = &[
    Row::new("a", "ahead", 8, "a row that is ahead").targets(TARGETS),
    Row::new("a", "noise", 8, "a row within noise"),
    Row::new("a", "behind", 8, "a row that is behind").targets(TARGETS),
    Row::new("a", "lone", 8, "the same title"),
    Row::new("a", "lone", 64, "the same title"),
    Row::new(
        "a",
        "dead",
        8,
        "a row with a title that is much longer than what others have, up to the end of it",
    ),
];

fn peers() -> Vec<Peer> {
    let peer = |id, title, kind| {
        let launcher = Launcher::Environment("N");
        Peer { id, title, kind, compiler: None, fortran: None, launcher }
    };
    vec![
        peer("ours", "ours", Kind::Ours),
        peer("oc-openmpi", "OpenCoarrays with a title of some length", Kind::OpenCoarrays),
        peer("mpi-openmpi", "raw Open MPI", Kind::RawMpi),
        peer("limit", "limit", Kind::Limit),
    ]
}

fn samples() -> Samples {
    let mut samples = Samples::default();
    let mut add = |row: &str, size, peer, values: &[f64]| {
        for (repetition, value) in (0..).zip(values) {
            let place = Place { images: 2, row: RowKey::new(row, size), peer };
            samples.add(place, Value::new(repetition, *value));
        }
    };
    add("ahead", 8, "ours", &[1.0, 1.1]);
    add("ahead", 8, "oc-openmpi", &[4.0, 5.0]);
    add("ahead", 8, "limit", &[0.9, 0.9]);
    add("noise", 8, "ours", &[1.0, 3.0]);
    add("noise", 8, "mpi-openmpi", &[2.0, 2.5]);
    add("behind", 8, "ours", &[9.0, 9.0]);
    add("behind", 8, "oc-openmpi", &[4.0, 5.0]);
    add("behind", 8, "mpi-openmpi", &[3.0, 3.0]);
    add("lone", 8, "ours", &[1.0, 1.0]);
    add("lone", 64, "ours", &[2.0, 2.0]);
    let place = Place { images: 2, row: RowKey::new("dead", 8), peer: "ours" };
    samples.trouble(place, Trouble::Failed("a word ".repeat(100)));
    samples
}

fn report() -> Report {
    let options = crate::options::Cli::parse_from(["xmp-bench"]).run;
    let absent = Absent {
        id: "caf-shmem",
        title: "caf_shmem",
        kind: Kind::CafShmem,
        missing: "no gfortran-16; it comes with GCC 16 (`--fc` names it), which is in no stable Debian yet".to_owned(),
    };
    let mut report = Report::new("Suite", &options, &[absent]);
    report.heading("Times");
    report.rows(ROWS, 2, &samples(), &peers());
    report
}

#[test]
fn the_verdict_counts_rows_and_targets_and_names_missed_targets() {
    let verdict = report().verdict();
    let lines: Vec<&str> = verdict.lines().collect();
    assert_eq!(
        lines[0],
        "6 rows: ours ahead of the best peer in 1, within noise in 1, behind in 1; no peer has a figure in 2; \
         ours has no figure in 1."
    );
    assert_eq!(lines[1], "Targets: 2 met, 1 missed, 1 not judged.");
    assert_eq!(
        lines[2],
        "* MISSED a row that is behind, 2 images: OC <= 0.5, is 2.00 (4.00 times too much)"
    );
    assert_eq!(lines[3], "* BEHIND a row that is behind, 2 images: 3.00 times raw Open MPI");
}

#[test]
fn printed_lines_have_at_most_100_columns() {
    let mut report = report();
    report.account(&samples());
    let text = format!("{}{}", wrapped(&report.verdict()), report.terminal);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    for words in
        ["a row within noise", "~", "the same title (64)", "FAILED", "caf_shmem", "Troubles"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn the_warning_of_a_busy_machine_is_next_to_the_verdict() {
    let mut report = report();
    report.warning = "**Others were using the cores at the start: these figures tell little.**";
    assert!(report.verdict().ends_with(report.warning));
    report.warning = "";
    assert!(!report.verdict().contains("Others"));
}

#[test]
fn the_file_has_every_side_and_the_verdict_first() {
    let directory = tempfile::tempdir().unwrap();
    let output = Output::new(directory.path().to_owned()).unwrap();
    let summary = report().finish(&samples(), &output).unwrap();
    assert!(!summary.clean, "a row of ours failed");
    assert_eq!(summary.ahead.to_string(), "1 of 3 rows ahead of every peer");
    let text = std::fs::read_to_string(directory.path().join("table.md")).unwrap();
    assert!(text.starts_with("# Suite\n\n6 rows: ours ahead"), "{text}");
    for words in ["4.50 [4.00-5.00]", "raw Open MPI", "0.900 [0.900-0.900]", "OC <= 0.5: 0.233 met"]
    {
        assert!(text.contains(words), "{words}: {text}");
    }
}
