//! The list of faults that were once silent: each row of `silent-faults.md` names a test that exists.

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use xmp_tests::toolchain::{crate_dir, output_of};

/// A test that the list names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ListedTest {
    package: String,
    /// `lib`, or the name of a test program.
    target: String,
    /// The name that the test program prints, with modules.
    name: String,
}

/// The tests in the last columns of the tables, and the rows that have none there.
fn listed(text: &str) -> (Vec<ListedTest>, Vec<&str>) {
    let rows =
        text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| situation"));
    let (mut tests, mut faults) = (Vec::new(), Vec::new());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let test = || {
            let [_situation, test] = cells[..] else { return None };
            let (package, rest) = test.strip_prefix('`')?.strip_suffix('`')?.split_once(' ')?;
            let (target, name) = rest.split_once("::")?;
            let [package, target, name] = [package, target, name].map(str::to_owned);
            Some(ListedTest { package, target, name })
        };
        match test() {
            Some(test) => tests.push(test),
            None => faults.push(row),
        }
    }
    (tests, faults)
}

/// Where the sources of a target are: its file, and the directory beside it or around it with its modules.
fn sources(metadata: &Value, package: &str, target: &str) -> Vec<PathBuf> {
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|one| one["name"] == package);
    let targets = package.and_then(|package| package["targets"].as_array());
    let is_it = |one: &&Value| match (target, one["kind"][0].as_str().expect("a kind")) {
        ("lib", kind) => !["bin", "test", "example", "bench", "custom-build"].contains(&kind),
        (name, kind) => kind == "test" && one["name"] == name,
    };
    let Some(found) = targets.into_iter().flatten().find(is_it) else { return Vec::new() };
    let root = Path::new(found["src_path"].as_str().expect("a path"));
    let alone = root.file_stem().is_some_and(|stem| stem != "main" && stem != "lib");
    if alone { vec![root.into()] } else { rust_files(root.parent().expect("a directory")) }
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("an entry of the directory").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files
}

/// The names of the tests in a source, without modules: functions with `#[test]` above them, and the words of macros that
/// make tests of lists.
fn tests_of(source: &str) -> BTreeSet<String> {
    let mut tests = BTreeSet::new();
    let mut attributed = false;
    for line in source.lines().map(str::trim) {
        let function = line.split_once("fn ").map(|(_, rest)| rest);
        if let Some((name, _)) =
            function.filter(|_| attributed).and_then(|rest| rest.split_once('('))
        {
            tests.insert(name.to_owned());
            attributed = false;
        }
        attributed =
            line == "#[test]" || attributed && (line.starts_with("#[") || line.starts_with("//"));
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !line.is_empty() && line.chars().all(is_word) {
            tests.insert(line.to_owned());
        }
    }
    tests
}

#[test]
fn every_test_of_the_list_exists() {
    let text = fs::read_to_string(crate_dir().join("silent-faults.md")).expect("the list");
    let (tests, faults) = listed(&text);
    assert!(faults.is_empty(), "rows without a test:\n{}", faults.join("\n"));
    assert!(!tests.is_empty());
    let metadata =
        output_of(env!("CARGO"), ["metadata", "--locked", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let missing: Vec<&ListedTest> = tests
        .iter()
        .filter(|test| {
            let name = test.name.rsplit("::").next().expect("a name");
            let files = sources(&metadata, &test.package, &test.target);
            let has = |file: &PathBuf| {
                tests_of(&fs::read_to_string(file).expect("a source")).contains(name)
            };
            !files.iter().any(has)
        })
        .collect();
    assert!(missing.is_empty(), "these tests do not exist: {missing:#?}");
}

#[test]
fn rows_and_tests_are_read() {
    let text = "# A\n\n| situation | test |\n|---|---|\n| one | `xmp-tests faults::a_fault` |\n| two | `x lib::m::b` |\n\
                | three | no test |\n";
    let (tests, faults) = listed(text);
    let names: Vec<&str> = tests.iter().map(|test| test.name.as_str()).collect();
    assert_eq!(names, ["a_fault", "m::b"]);
    assert_eq!([&tests[0].package, &tests[1].target], ["xmp-tests", "lib"]);
    assert_eq!(faults, ["| three | no test |"]);
    let source = "#[test]\n#[serial]\nfn one() {\n}\nfn two() {}\n#[test]\n// A comment.\nfn three() {}\n    in_a_list\n";
    let expected = ["in_a_list", "one", "three"].map(str::to_owned);
    assert_eq!(tests_of(source), BTreeSet::from(expected));
}
