//! Requirements of tests, and skips for lack of them.

use super::text_of;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};
use xmp_hosts::Requirement;
use xmp_tests::toolchain::workspace;

/// Executes commands of the shell with the requirements of `./x`, and this value of `XMP_REQUIRE`.
fn with_requirements(required: &str, commands: &str) -> Output {
    let start =
        "set -euo pipefail; root=$PWD; say() { echo \"$*\"; }; die() { echo \"$*\"; exit 1; }";
    let sources =
        "again probes systems hwloc needs rust plugins build package package_plugins requirements";
    let sources = sources.split(' ');
    let sources: String = sources.map(|name| format!(". .ci/{name}.sh; ")).collect();
    Command::new("bash")
        .args(["-c", &format!("{start}; target=/nowhere; {sources} {commands}")])
        .current_dir(workspace())
        .env("XMP_REQUIRE", required)
        .output()
        .expect("bash")
}

#[test]
fn the_shell_and_the_readme_know_all_requirements_of_tests() {
    let names = Requirement::ALL.map(Requirement::name);
    let shell = text_of(&with_requirements("", "echo ${requirement_names[*]}"));
    assert_eq!(shell.split_whitespace().collect::<Vec<_>>(), names);
    let strict = text_of(&with_requirements("", "echo ${strict_names[*]}"));
    let readme = fs::read_to_string(workspace().join("tests/README.md")).expect("the README");
    let (_, table) = readme.split_once("\n## Requirements\n").expect("a table of requirements");
    let table = table.lines().skip_while(|line| !line.starts_with('|')).skip(2);
    let rows: Vec<Vec<&str>> = table
        .take_while(|line| line.starts_with('|'))
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let documented: Vec<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    assert_eq!(documented, names);
    // `--deep` and a whole run require the others.
    let special = text_of(&with_requirements("", "echo ${special_names[*]}"));
    let required: BTreeSet<&str> =
        [&strict, &special].into_iter().flat_map(|it| it.split_whitespace()).collect();
    assert_eq!(required, BTreeSet::from(names));
    for row in rows {
        assert!(row[2].starts_with("yes"), "{row:?}");
    }
}

/// A skip for lack of it would pass in a strict run, and be one line among thousands.
#[test]
fn strict_announces_at_the_beginning_what_no_package_gives() {
    let missing = "have() { false; }; get_tool() { false; }; strict_memory=$((1 << 62)); cc() { printf '#!/bin/sh\\necho refused; exit 1\\n' >\"${@: -1}\"; chmod +x \"${@: -1}\"; }; PATH=/usr/bin:/bin";
    let names = ["flang", "fpm", "lfortran", "mdbook", "memory", "single-copy"];
    let commands = format!("{missing}; require_what_is_possible {}", names.join(" "));
    let output = text_of(&with_requirements("", &commands));
    let announced: Vec<&str> = output
        .lines()
        .map(|line| line.strip_prefix("NOT REQUIRED: ").unwrap_or_else(|| panic!("{output}")))
        .filter_map(|line| line.split_once(": ").map(|(name, _)| name))
        .collect();
    assert_eq!(announced, names, "{output}");
}

#[test]
fn a_skip_of_the_shell_fails_where_it_is_required() {
    let skip = "check_required_names; skip openmpi 'no mpirun'";
    let allowed = with_requirements("mpich", skip);
    assert!(allowed.status.success(), "{allowed:?}");
    assert_eq!(text_of(&allowed), "SKIPPED: no mpirun [openmpi]\n");
    for required in ["openmpi", "gdb, mpi"] {
        let failed = with_requirements(required, skip);
        assert!(!failed.status.success(), "{failed:?}");
        assert!(text_of(&failed).ends_with("XMP_REQUIRE names openmpi, and: no mpirun\n"));
    }
    let unknown = with_requirements("gdb,gbd", skip);
    assert!(!unknown.status.success(), "{unknown:?}");
    assert!(
        text_of(&unknown).starts_with("XMP_REQUIRE names 'gbd', which is none of mpi, aarch64 ")
    );
}

#[test]
fn strict_requires_what_is_possible_and_names_the_rest() {
    let probes =
        "hindrance() { [[ $1 != network ]] || echo 'a new host fails: Operation not permitted'; }";
    let commands = format!(
        "{probes}; require_what_is_possible gdb network mpich; echo $XMP_REQUIRE; skip network text; skip gdb text"
    );
    let output = with_requirements("venv", &commands);
    assert!(!output.status.success(), "{output:?}");
    let expected = "NOT REQUIRED: network: a new host fails: Operation not permitted\n\
                    required: gdb mpich\n\
                    gdb,mpich,venv\n\
                    SKIPPED: text [network]\n\
                    SKIPPED: text [gdb]\n\
                    XMP_REQUIRE names gdb, and: text\n";
    assert_eq!(text_of(&output), expected);
}
