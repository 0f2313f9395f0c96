//! The commands of `./x`: help, doctor, models.

use super::{Commands, text_of};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use xmp_tests::toolchain::{output_of, toolchain, workspace};

/// The words of `x` between these texts.
fn words_of_x(before: &str, after: &str) -> BTreeSet<String> {
    let script = fs::read_to_string(workspace().join("x")).expect("x");
    let rest = script.split_once(before).and_then(|(_, rest)| rest.split_once(after));
    let (words, _) = rest.unwrap_or_else(|| panic!("x has no {before:?}"));
    words.replace('"', " ").split_whitespace().map(str::to_owned).collect()
}

#[test]
fn the_loom_models_of_every_crate_are_run_by_x() {
    let crates = words_of_x("for crate in ", "; do");
    let find = "grep -rl --include='*.rs' --exclude-dir='target*' 'fn loom_' . | sed -n 's|^\\./\\(.*\\)/src/.*|\\1|p'";
    let output = Command::new("sh").args(["-c", find]).current_dir(workspace()).output();
    let text = text_of(&output.expect("sh"));
    let with_models: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    assert!(with_models.contains("xmp-core/shm"), "{with_models:?}");
    assert!(with_models.is_subset(&crates), "x runs the models of {crates:?} only");
}

#[test]
fn every_command_has_a_help_that_builds_nothing() {
    // Nothing that could build or install is in PATH.
    let commands = Commands::new();
    for name in ["dirname", "readlink", "realpath"] {
        commands.link(name);
    }
    let help = |arguments: &[&str]| {
        let output = Command::new(workspace().join("x"))
            .args(arguments)
            .env("PATH", commands.0.path())
            .output()
            .expect("./x");
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let all = help(&["help"]);
    let named: Vec<&str> = all
        .lines()
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    assert!(named.len() >= 7, "{named:?}");
    for command in named {
        for flag in ["-h", "--help"] {
            let text = help(&[command, flag]);
            assert!(text.contains(command), "{command}: {text}");
        }
    }
    assert_eq!(help(&["bench", "help"]), help(&["bench", "--help"]));
}

#[test]
fn a_kernel_without_newer_calls_is_no_failure() {
    for name in ["memfd", "pidfd", "futex_waitv"] {
        let probe = "kernel_probe() { echo \"#include <stdio.h>\"; echo \"int main(void) { puts(LINE); }\"; }";
        let probe = probe.replace("LINE", &format!("\\\"{name} no\\\""));
        let commands =
            format!(". .ci/probes.sh; . .ci/trial.sh; . .ci/doctor.sh; {probe}; doctor_kernel");
        let output = Command::new("bash").args(["-c", &commands]).current_dir(workspace()).output();
        let output = output.expect("bash");
        let text = text_of(&output);
        let row = text.lines().find(|line| line.contains(&format!("absent   {name} ")));
        assert!(output.status.success(), "{text}");
        assert!(row.is_some_and(|row| row.contains("; without it ")), "{text}");
    }
}

#[test]
fn doctor_tries_the_installation() {
    let doctor = |prefix: &Path| {
        let command = ". .ci/probes.sh; . .ci/trial.sh; . .ci/doctor.sh; root=$PWD; doctor_installation \"$1\"";
        let output = Command::new("bash")
            .args(["-c", command, "doctor"])
            .arg(prefix)
            .current_dir(workspace())
            .output()
            .expect("bash");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (success, text) = doctor(toolchain().prefix());
    assert!(success, "{text}");
    for part in ["ok       xmpfc", "ok       alone", "ok       xmprun", "PATH", "pkg-config"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // One whose launcher does not work.
    let copy = tempfile::tempdir().expect("a directory");
    let broken = copy.path().join("broken");
    output_of("cp", [Path::new("-a"), toolchain().prefix(), &broken]);
    fs::remove_file(broken.join("bin/xmprun")).expect("a file");
    symlink("/bin/false", broken.join("bin/xmprun")).expect("a link");
    let (success, text) = doctor(&broken);
    assert!(!success && text.contains("FAILED   xmprun"), "{text}");
    // None at all is no failure.
    let (success, text) = doctor(copy.path());
    assert!(success && text.contains("absent"), "{text}");
}
