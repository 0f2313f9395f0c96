use super::*;
use crate::output::Output;
use crate::protocol::RowKey;
use crate::samples::{Place, Samples, Trouble, Value};
use crate::values;
use std::fs;
use std::path::Path;

/// Writes a run whose rows of `ours` and `peer` take the values.
fn write(directory: &Path, rows: &[(&str, &'static str, [f64; 4])]) {
    let mut samples = Samples::default();
    for (row, peer, values) in rows {
        for (repetition, value) in (0..).zip(values) {
            let place = Place { images: 2, row: RowKey::new(row, 8), peer };
            samples.add(place, Value::new(repetition, *value));
        }
    }
    write_samples(directory, samples);
}

/// Writes the values, and a row without any.
fn write_samples(directory: &Path, mut samples: Samples) {
    let place = Place { images: 2, row: RowKey::new("dead", 8), peer: "ours" };
    samples.trouble(place, Trouble::TimedOut);
    let output = Output::new(directory.to_owned()).unwrap();
    values::write(&samples, &output).unwrap();
}

/// Two runs: `put` became faster, `get` slower, `sync_all` did not change, `old` and `new` are in one run alone.
fn runs() -> [tempfile::TempDir; 2] {
    let directories = [(); 2].map(|()| tempfile::tempdir().unwrap());
    write(
        directories[0].path(),
        &[
            ("put", "ours", [4.0, 4.1, 4.2, 4.3]),
            ("get", "ours", [1.0, 1.1, 1.2, 1.3]),
            ("sync_all", "ours", [1.0, 1.1, 1.2, 1.3]),
            ("put", "oc-openmpi", [9.0, 9.1, 9.2, 9.3]),
            ("old", "ours", [1.0, 1.0, 1.0, 1.0]),
        ],
    );
    write(
        directories[1].path(),
        &[
            ("put", "ours", [2.0, 2.1, 2.2, 2.3]),
            ("get", "ours", [1.4, 1.5, 1.6, 1.7]),
            ("sync_all", "ours", [1.2, 1.3, 1.4, 1.5]),
            ("put", "oc-openmpi", [9.0, 9.1, 9.2, 9.3]),
            ("new", "ours", [1.0, 1.0, 1.0, 1.0]),
        ],
    );
    directories
}

/// The line of a row.
fn line<'a>(text: &'a str, row: &str, side: &str) -> Vec<&'a str> {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut found =
        lines.filter(|words| words.first() == Some(&row) && words.get(2) == Some(&side));
    found.next().unwrap_or_else(|| panic!("{row} {side}: {text}"))
}

#[test]
fn only_ranges_that_lie_apart_are_changes() {
    let [before, after] = runs().map(|directory| read(directory.path()).unwrap());
    let text = table(&before, &after, |_| true);
    assert_eq!(
        line(&text, "put:8", "ours"),
        ["put:8", "2", "ours", "4.15", "2.15", "0.518", "0.465-0.575", "faster"]
    );
    assert_eq!(line(&text, "get:8", "ours").last(), Some(&"SLOWER"));
    assert_eq!(line(&text, "sync_all:8", "ours").last(), Some(&"~"));
    assert_eq!(line(&text, "put:8", "oc-openmpi").last(), Some(&"~"));
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert_eq!(
        verdict(&before, &after, |_| true),
        "3 rows of ours: 1 faster in B, 1 slower, 1 within noise; median ratio 1.17.\n\
         1 rows of the other sides: 0 faster in B, 0 slower, 1 within noise; median ratio 1.00.\n\
         1 rows have figures in A alone.\n1 rows have figures in B alone."
    );
}

#[test]
fn values_and_summaries_agree() {
    for directory in runs() {
        let of_directory = read(directory.path()).unwrap();
        assert_eq!(of_directory, read(&directory.path().join("summary.csv")).unwrap());
        assert_eq!(of_directory, read(&directory.path().join("values.csv")).unwrap());
    }
}

#[test]
fn sides_that_were_not_asked_for_are_left_out() {
    let [before, after] = runs().map(|directory| read(directory.path()).unwrap());
    assert!(!table(&before, &after, |side| side == "ours").contains("oc-openmpi"));
    assert!(verdict(&before, &after, |side| side == "none").starts_with("No row"));
}

#[test]
fn a_file_that_holds_no_results_is_named_with_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.csv");
    let message = |text: &str| {
        fs::write(&path, text).unwrap();
        read(&path).unwrap_err().to_string()
    };
    let head = "row,size,images,peer,median,min,max,repetitions,trouble\n";
    assert!(message("a,b\n1,2\n").contains("other.csv: no column peer"));
    let bad = message(&format!("{head}put,8,two,ours,1,1,1,1,\n"));
    assert!(bad.contains("line 2: images: \"two\" is no number"), "{bad}");
    let missing = read(&directory.path().join("none")).unwrap_err().to_string();
    assert!(missing.contains("none"), "{missing}");
}
