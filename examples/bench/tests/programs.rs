//! `xmp-bench programs` and `xmp-bench cold` as a user starts them, with short batches and one repetition.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xmp_hosts::{Requirement, installed, skipped};

/// The installation to measure: the one under `XMP_PREFIX`, else the one in the target directory. `None` where there is none.
fn prefix() -> Option<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let named = std::env::var_os("XMP_PREFIX");
    let prefix = checkout.join(named.unwrap_or_else(|| "target/prefix".into()));
    let is_there = ["xmpfc", "xmprun"].iter().all(|name| prefix.join("bin").join(name).is_file());
    if !is_there {
        let why = format!("no XMP-RT is installed at {}", prefix.display());
        skipped(Requirement::Installation, why);
    }
    is_there.then_some(prefix)
}

/// Runs a suite in a directory, where `results` will have the results.
fn bench(suite: &str, directory: &Path, prefix: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xmp-bench"))
        .args([suite, "--quick", "--reps", "1", "--batch", "1", "--out", "results"])
        // Other work may have all cores.
        .args(["--timeout", "600"])
        .arg("--prefix")
        .arg(prefix)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Open MPI stands for the MPIs: the forms in MPI are the same.
#[test]
fn both_forms_of_each_program_run_and_compute_the_same() {
    let Some(prefix) = prefix() else { return };
    if !installed(&["mpifort.openmpi", "mpirun.openmpi"]) {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--images", "2", "--peers", "ours,mpi-openmpi"];
    let output = bench("programs", directory.path(), &prefix, &arguments);
    let text = text(&output);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let last = text.lines().last().unwrap();
    let (ahead, rest) = last.split_once(" of ").unwrap();
    assert_eq!(rest, "15 programs ahead of MPI", "{text}");
    assert!(ahead.parse::<u32>().unwrap() <= 15);

    let table = fs::read_to_string(directory.path().join("results/table.md")).unwrap();
    for row in [
        "halo, elements read",
        "halo, blocks written",
        "finite volumes, exchange",
        "pipeline",
        "pipeline, events",
        "transposition",
        "CG, sums of columns",
        "CG, teams of rows",
        "3-D stencil, halos of a type",
        "particles, events",
        "work queue, atomics",
        "Himeno, Jacobi",
    ] {
        let start = format!("| {row} ");
        let line = table.lines().find(|line| line.starts_with(&start)).unwrap_or_default();
        // Of both sides.
        assert_eq!(line.matches(" p95 ").count(), 2, "{row}: {table}");
    }
    assert!(!table.contains("Troubles"), "{table}");
}

/// Three images share out nothing evenly.
#[test]
fn the_prefix_and_the_results_may_be_relative_paths() {
    let Some(prefix) = prefix() else { return };
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path().canonicalize().unwrap();
    std::os::unix::fs::symlink(&prefix, here.join("prefix")).unwrap();
    let arguments = ["--images", "3", "--peers", "ours", "--rows", "volume,gradient,queue"];
    let output = bench("programs", &here, Path::new("prefix"), &arguments);
    let text = text(&output);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("5 rows: ours ahead of the best peer in 0"), "{text}");
    let values = fs::read_to_string(here.join("results/values.csv")).unwrap();
    let of_ours = values.lines().filter(|line| line.contains(",3,ours,0,")).count();
    assert_eq!(of_ours, 5, "{values}");
}

#[test]
fn the_first_operations_of_a_job_are_measured_beside_a_stranger() {
    let Some(prefix) = prefix() else { return };
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["--stranger", "--images", "2", "--peers", "ours"];
    let output = bench("cold", directory.path(), &prefix, &arguments);
    let text = text(&output);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("A stranger kept core "), "{text}");
    let table = fs::read_to_string(directory.path().join("results/table.md")).unwrap();
    for row in ["co_sum, ascending", "co_sum, descending", "co_broadcast, descending"] {
        let lines = || table.lines().filter(|line| line.starts_with(&format!("| {row} ")));
        assert_eq!(lines().count(), 3, "{table}");
        assert!(lines().all(|line| line.contains(" p95 ")), "{table}");
        assert!(lines().all(|line| line.contains("p95/median <= 1.5: ")), "{table}");
    }
    assert!(!table.contains("Troubles"), "{table}");
}
