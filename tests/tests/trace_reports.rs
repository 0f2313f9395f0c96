//! Reports of a program whose traffic is known: the numbers, what they say of memory, and the comparison of two runs.

use std::fs;
use std::path::Path;
use xmp_tests::Run;
use xmp_tests::program::fortran_source;
use xmp_tests::timeline::{line, traced, traffic};
use xmp_tests::toolchain::toolchain;

#[test]
fn the_report_has_the_numbers_of_the_program() {
    let (_, outcome) = traced(4, 1);
    let at = |comment: &str| format!("traffic.f90:{}", line(comment));
    let rows: Vec<Vec<&str>> =
        outcome.stderr.lines().map(|line| line.split_whitespace().collect()).collect();
    let row = |words: &[&str]| {
        let found = rows.iter().find(|row| row.starts_with(words));
        found.unwrap_or_else(|| panic!("no row {words:?} in\n{}", outcome.stderr))
    };
    let of_statement = |operation: &str, comment: &str| {
        let place = at(comment);
        let fits = |row: &&Vec<&str>| {
            row.join(" ").starts_with(operation) && row.iter().any(|word| word.ends_with(&place))
        };
        rows.iter().find(fits).unwrap_or_else(|| panic!("no {operation} in\n{}", outcome.stderr))
    };
    // Count, time with its unit, bytes with their unit.
    assert_eq!(of_statement("put", "put")[2], "12");
    assert_eq!(of_statement("put", "put")[5..7], ["960", "B"]);
    assert_eq!(of_statement("get", "get")[5..7], ["32", "B"]);
    // Image 1 puts 240 bytes to image 2; 8 to itself and 8 to image 3 in its team.
    assert_eq!(row(&["1", "2", "3"])[..], ["1", "2", "3", "240", "B", "1", "8", "B"]);
    assert_eq!(row(&["1", "3", "1"])[..], ["1", "3", "1", "8", "B", "0", "0", "B"]);
    assert!(outcome.stderr.contains("imbalance: image 1 computes"), "{}", outcome.stderr);
    let allocated =
        rows.iter().find(|row| row.first().is_some_and(|word| word.ends_with(&at("allocate"))));
    assert_eq!(allocated.expect("a row of the allocation")[1..4], ["4", "7.81", "KiB"]);
}

#[test]
fn the_report_says_how_memory_is_used_as_the_job_had_it() {
    for (pages, reach, expected) in [
        ("0", "0", ["huge pages: none: XMP_HUGE_PAGES=0", "copied by the system (XMP_REACH=0)"]),
        ("auto", "1", ["huge pages: ", "loads and stores from 256 bytes on (XMP_REACH)"]),
    ] {
        let run = Run::new(traffic()).images(2).launcher_option("--report");
        let outcome = run.env("XMP_HUGE_PAGES", pages).env("XMP_REACH", reach).finish();
        outcome.succeeded().stderr_line_with(&[expected[0]]);
        outcome.stderr_line_with(&["pointers to: allocated memory: ", expected[1]]);
    }
}

#[test]
fn the_report_may_be_a_page_that_needs_no_other_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("report.html");
    let option = format!("--report={}", file.display());
    Run::new(traffic()).images(3).launcher_option(option).finish().succeeded();
    let page = fs::read_to_string(file).expect("the page");
    let memory = ["<dt>huge pages</dt><dd>", "<dt>pointers to</dt><dd>"];
    let parts =
        ["<!DOCTYPE html>", "<th scope=\"col\">operation</th>", "<svg class=\"heat\"", "</html>"];
    for part in memory.into_iter().chain(parts) {
        assert!(page.contains(part), "no {part}");
    }
    assert!(page.contains(&format!("traffic.f90:{}</td>", line("put"))));
    let source = fs::read_to_string(fortran_source("control/traffic")).expect("the source");
    let text = source.lines().nth(line("put") - 1).expect("the line").trim();
    assert!(page.contains(&format!("<td class=\"source\">{text}</td>")), "no {text}");
    let command = format!("<dt>command</dt><dd>{} -n 3 ", toolchain().xmprun().display());
    for property in [&*command, "<dt>date</dt><dd>20", "<dt>machine</dt><dd>", "<dt>library</dt>"] {
        assert!(page.contains(property), "no {property}");
    }
    assert!(page.contains(" after the start the images compute for "));
    assert!(page.contains("<title>image 1, image 2: 3 puts of 240 B, 1 get of 8 B</title>"));
    for link in ["http:", "https:", "src=", "@import"] {
        assert!(!page.contains(link), "{link}");
    }
    for tag in ["table", "svg", "tbody", "style", "script"] {
        let count = |start: &str| page.matches(start).count();
        assert_eq!(count(&format!("<{tag}")), count(&format!("</{tag}>")), "{tag}");
    }
}

#[test]
fn two_runs_are_compared_statement_by_statement() {
    let directory = tempfile::tempdir().expect("a directory");
    let [first, second] = ["a.html", "b.html"].map(|name| directory.path().join(name));
    let report = |file: &Path| format!("--report={}", file.display());
    let run = || Run::new(traffic()).images(3);
    run().launcher_option(report(&first)).finish().succeeded();
    let compared = |option: String| {
        let run = run().launcher_option(option).launcher_option("--baseline");
        run.launcher_option(&first).finish()
    };
    compared(report(&second)).succeeded();
    let page = fs::read_to_string(&second).expect("the page");
    assert!(page.contains(" of the time of the baseline a.html: "), "{page}");
    for part in ["<th class=\"n\" scope=\"col\">ratio</th>", "Comparison with the baseline"] {
        assert!(page.contains(part), "no {part}");
    }
    // The page of the first run may be replaced by that of the second one.
    compared(report(&first)).succeeded();
    let text = compared("--report".into());
    text.succeeded().stderr_line_with(&["comparison", "baseline", "this run", "ratio"]);
    let puts = format!("traffic.f90:{}", line("put"));
    let rows = text.stderr.lines().filter(|row| row.starts_with("put ") && row.contains(&*puts));
    // In the comparison and in the table of operations.
    assert_eq!(rows.count(), 2, "{}", text.stderr);
}

#[test]
fn a_baseline_without_numbers_is_refused_before_the_job() {
    let directory = tempfile::tempdir().expect("a directory");
    let other = directory.path().join("other.html");
    fs::write(&other, "<!DOCTYPE html><p>something else</p>").expect("a file");
    let missing = directory.path().join("missing.html");
    for (file, status, words) in
        [(&other, 2, "it is no page that xmprun"), (&missing, 1, "cannot read")]
    {
        let run = Run::new(traffic()).images(2).launcher_option("--report");
        let outcome = run.launcher_option("--baseline").launcher_option(file).finish();
        outcome.exited_with(status).stdout_is("").stderr_line_with(&["--baseline", words]);
    }
}
