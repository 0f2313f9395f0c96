//! The page of `xmprun --report` in a browser: what it shows of real programs, compared with their timelines, that its
//! tables can be sorted, that something is drawn, and that it fits narrow and dark screens.

use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use xmp_hosts::installed;
use xmp_tests::exceptions::left_out;
use xmp_tests::program::fortran_example;
use xmp_tests::{Program, Run};

/// Counts the elements of the page, and clicks twice on each column: a table has to be sorted then from the greatest to
/// the least, and from the least to the greatest. The result is written into the page.
const SCRIPT: &str = r#"<script>
const key = cell => "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
const column = (table, number) => [...table.tBodies[0].rows].map(row => key(row.cells[number]));
const ordered = (keys, compare) => keys.every((it, n) => n === 0 || compare(keys[n - 1], it));
const unsorted = [];
for (const table of document.querySelectorAll("table")) {
  for (const head of table.querySelectorAll("th")) {
    head.click();
    const down = ordered(column(table, head.cellIndex), (a, b) => a >= b);
    head.click();
    const up = ordered(column(table, head.cellIndex), (a, b) => a <= b);
    if (!down || !up) unsorted.push(head.textContent);
  }
}
const count = what => document.querySelectorAll(what).length;
const tables = head => [...document.querySelectorAll("table")].filter(it => it.querySelector("th").textContent === head);
const table = head => tables(head)[0];
const rows = [...table("image").tBodies[0].rows];
// The parts of each image: how wide they are in percent, and the times of the table.
const parts = rows.map(row => {
  const bar = document.querySelectorAll(".images .bar")[Number(row.cells[0].dataset.value) - 1];
  const drawn = [...bar.children].filter(part => part.title !== "");
  return drawn.map((part, at) => [parseFloat(part.style.width), Number(row.cells[at + 2].dataset.value)]);
});
const sum = which => parts.flat().reduce((sum, part) => sum + part[which], 0);
const scale = sum(1) / sum(0);
const found = document.createElement("pre");
found.id = "found";
found.textContent = JSON.stringify({
  unsorted,
  images: table("image").tBodies[0].rows.length,
  operations: table("operation").tBodies[0].rows.length,
  columns: table("operation").querySelectorAll("th").length,
  bars: count(".images .bar i[title]"),
  ends: tables("operation")[1].tBodies[0].rows.length,
  sources: [...document.querySelectorAll("td.source")].filter(it => it.textContent !== "").length,
  cut: [...document.querySelectorAll(".wide")].filter(it => it.scrollWidth > it.clientWidth).length,
  overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  paper: getComputedStyle(document.body).backgroundColor,
  uneven: parts.filter(all => all.some(([width, time]) => Math.abs(width - time / scale) > 0.05)).length,
  drawn: [...document.querySelectorAll("svg rect")].filter(it => it.getBoundingClientRect().height > 0).length,
  rects: count("svg rect"),
  traffic: [...document.querySelectorAll("svg.heat title")].filter(it => / puts? of /.test(it.textContent)).length,
});
document.body.append(found);
</script>"#;

const IMAGES: u32 = 4;

/// The option by which pages see that their reader prefers dark colours.
const DARK: &str = "--blink-settings=preferredColorScheme=0";

/// Runs chromium without a window, and returns what it prints. Its processes may live a moment longer than it.
fn chromium(directory: &Path, arguments: &[&OsStr]) -> String {
    let profile = format!("--user-data-dir={}", directory.join("profile").display());
    // It refuses to run as root within its sandbox.
    let options =
        ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", &profile];
    let mut command = Command::new("timeout");
    command.args(["--kill-after=10", "180", "chromium"]).args(options).args(arguments);
    let output = command.output().expect("timeout, of coreutils");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, text(&output.stderr));
    text(&output.stdout)
}

/// What the script has found on the page.
fn found_on(page: &Path, directory: &Path, options: &[&str]) -> Value {
    let text = fs::read_to_string(page).expect("the page");
    let with_script = directory.join("with_script.html");
    fs::write(&with_script, text.replace("</body>", &format!("{SCRIPT}</body>"))).expect("a page");
    let options = options.iter().map(OsStr::new);
    let arguments: Vec<&OsStr> =
        options.chain(["--dump-dom".as_ref(), with_script.as_os_str()]).collect();
    let dom = chromium(directory, &arguments);
    let (_, found) = dom.split_once("<pre id=\"found\">").unwrap_or_else(|| panic!("{dom}"));
    let (found, _) = found.split_once("</pre>").expect("the end of the element");
    serde_json::from_str(found).expect("what the script writes")
}

/// Bytes of a picture of the page.
fn picture_of(page: &Path, directory: &Path) -> u64 {
    let picture = directory.join("picture.png");
    let option = format!("--screenshot={}", picture.display());
    chromium(directory, &[option.as_ref(), "--window-size=1000,1600".as_ref(), page.as_os_str()]);
    let size = fs::metadata(&picture).expect("a picture").len();
    fs::remove_file(picture).expect("the picture");
    size
}

/// Runs an example with a timeline and a page, and opens the page.
fn opens(name: &str, parts: Option<&str>, arguments: &[&str]) {
    if left_out(&fortran_example(name)) {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let [timeline, page] = ["trace.json", "report.html"].map(|file| directory.path().join(file));
    let run = Run::new(Program::example(name, parts).build()).images(IMAGES).args(arguments);
    let run = run.launcher_option("--trace").launcher_option(&timeline);
    run.launcher_option(format!("--report={}", page.display())).finish().succeeded();
    let timeline = fs::read_to_string(timeline).expect("the timeline");
    let timeline: Value = serde_json::from_str(&timeline).expect("valid JSON");
    let spans = timeline["traceEvents"].as_array().expect("events");
    let spans = || spans.iter().filter(|span| span["cat"] == "operation");
    let returned = spans().filter(|span| span["args"]["returned"] != false);
    let (ends, operations): (BTreeSet<[&str; 2]>, BTreeSet<[&str; 2]>) = returned
        .map(|span| [&span["name"], &span["args"]["at"]].map(|it| it.as_str().expect("text")))
        .partition(|[name, _]| ["start", "end of program"].contains(name));
    let transfers = spans().filter(|span| span["name"] == "put" || span["name"] == "get");
    let pairs: BTreeSet<[u64; 2]> = transfers
        .map(|span| {
            [&span["tid"], &span["args"]["partner"]].map(|it| it.as_u64().expect("an image"))
        })
        .collect();

    let found = found_on(&page, directory.path(), &["--window-size=1000,1600"]);
    assert_eq!(found["unsorted"].as_array().map(Vec::len), Some(0), "{name}: {found}");
    assert_eq!(found["images"], IMAGES, "{name}: {found}");
    assert_eq!(found["bars"], 4 * IMAGES, "{name}: {found}");
    assert_eq!(found["uneven"], 0, "bars and columns have the same times: {name}: {found}");
    assert_eq!(found["ends"], ends.len(), "{name}: {found}");
    // gfortran names an included file as INCLUDE does, so that it is found only in the directory of the source.
    assert!(found["sources"].as_u64() > Some(0), "{name}: {found}");
    assert_eq!(found["operations"], operations.len(), "{name}: {found}");
    assert_eq!(found["columns"], 9, "{name}: {found}");
    assert_eq!(found["traffic"], pairs.len(), "{name}: {found}");
    assert_eq!(found["drawn"], found["rects"], "{name}: {found}");
    assert!(!pairs.is_empty() && operations.len() > 3, "{name}: {operations:?}");

    let light = &found["paper"];
    let narrow = found_on(&page, directory.path(), &["--window-size=400,800", DARK]);
    assert_ne!(&narrow["paper"], light, "{name}: {narrow}");
    for found in [&found, &narrow] {
        assert_eq!(found["cut"], 0, "no column of a table is beyond the edge: {name}: {found}");
        assert_eq!(found["overflow"], 0, "{name}: {found}");
    }

    let blank = directory.path().join("blank.html");
    fs::write(&blank, "<!DOCTYPE html><title>blank</title>").expect("a page");
    let [drawn, blank] = [page, blank].map(|page| picture_of(&page, directory.path()));
    assert!(drawn > 4 * blank, "{name}: the picture has {drawn} bytes, of a blank page {blank}");
}

#[test]
fn the_report_of_cg_is_shown_and_sorted_in_a_browser() {
    if installed(&["chromium"]) {
        opens("npb_cg", Some("npb_cg"), &["S"]);
    }
}

#[test]
fn the_report_of_himeno_is_shown_and_sorted_in_a_browser() {
    if installed(&["chromium"]) {
        opens("himeno", None, &["XS"]);
    }
}

#[test]
fn the_report_of_the_event_pipeline_is_shown_and_sorted_in_a_browser() {
    if installed(&["chromium"]) {
        opens("event_pipeline", None, &[]);
    }
}
