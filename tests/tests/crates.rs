//! The crates that are made to be published: complete, and packed without an error of cargo's. And what manifests leave out of
//! `cargo test`: what has no tests, and tests that `./x test` runs beside the others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_tests::toolchain::{output_of, workspace};
use xmp_tests::tree;

/// What crates.io shows of a crate.
const METADATA: [&str; 7] =
    ["description", "license", "repository", "documentation", "readme", "keywords", "categories"];

/// A member of the workspace.
struct Member {
    name: String,
    manifest: String,
}

impl Member {
    fn is_published(&self) -> bool {
        !self.manifest.lines().any(|line| line == "publish = false")
    }

    /// Whether `[package]` sets a field, itself or by `field.workspace = true`.
    fn sets(&self, field: &str) -> bool {
        self.manifest
            .lines()
            .take_while(|line| !line.starts_with("[lints"))
            .any(|line| line.strip_prefix(field).is_some_and(|rest| rest.starts_with([' ', '.'])))
    }
}

/// The members of the workspace, read from their manifests.
fn members() -> Vec<Member> {
    let root = fs::read_to_string(workspace().join("Cargo.toml")).expect("the root manifest");
    let list = root.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.expect("a list of members");
    list.split('"')
        .skip(1)
        .step_by(2)
        .map(|path| {
            let manifest = fs::read_to_string(workspace().join(path).join("Cargo.toml"));
            let manifest = manifest.expect("the manifest of a member");
            let name = manifest.split('"').nth(1).expect("a name").to_owned();
            Member { name, manifest }
        })
        .collect()
}

#[test]
fn published_crates_have_all_metadata() {
    let published: Vec<Member> = members().into_iter().filter(Member::is_published).collect();
    let mut names: Vec<&str> = published.iter().map(|member| member.name.as_str()).collect();
    names.sort_unstable();
    let expected = [
        "xmp-boot",
        "xmp-coarray",
        "xmp-collectives",
        "xmp-core",
        "xmp-map",
        "xmp-net",
        "xmp-plugin",
        "xmp-shm",
        "xmp-source",
        "xmp-teams",
        "xmp-trace",
        "xmprun",
    ];
    assert_eq!(names, expected);
    for member in &published {
        for field in METADATA {
            assert!(member.sets(field), "{}: no {field}", member.name);
        }
    }
}

#[test]
fn cargo_packs_the_published_crates_with_licences_and_readme() {
    let directory = tempfile::tempdir().expect("a directory");
    let published: Vec<Member> = members().into_iter().filter(Member::is_published).collect();
    let packed = Command::new(env!("CARGO"))
        .args(["package", "--locked", "--offline", "--no-verify", "--allow-dirty"])
        .arg("--target-dir")
        .arg(directory.path())
        .args(published.iter().flat_map(|member| ["-p", &member.name]))
        .current_dir(workspace())
        .output()
        .expect("cargo runs");
    let message = String::from_utf8_lossy(&packed.stderr);
    assert!(packed.status.success() && !message.contains("warning"), "{message}");

    let version = env!("CARGO_PKG_VERSION");
    for Member { name, .. } in &published {
        let archive = directory.path().join(format!("package/{name}-{version}.crate"));
        let files = output_of("tar", [Path::new("-tzf"), &archive]);
        for file in ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            let path = format!("{name}-{version}/{file}");
            assert!(files.lines().any(|line| line == path), "{path} is not packed:\n{files}");
        }
    }
}

/// The sources of a program or a library: its file, and for a library all that are beside and below it.
fn sources(kind: &str, root: &Path) -> Vec<PathBuf> {
    let directory = root.parent().expect("a file lies in a directory");
    let own = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "rs")
            && !path.starts_with("bin")
            && path != Path::new("main.rs")
    };
    match kind {
        "bin" => vec![root.to_owned()],
        _ => tree::files(directory)
            .into_iter()
            .filter(own)
            .map(|path| directory.join(path))
            .collect(),
    }
}

/// Whether some line of documentation begins code; text, as in figures, is marked as that.
fn has_code_in_its_documentation(text: &str) -> bool {
    let documentation = |line: &str| {
        let rest = line.trim_start();
        Some(rest.strip_prefix("///").or(rest.strip_prefix("//!"))?.trim_start().to_owned())
    };
    let fences = text.lines().filter_map(documentation).filter(|line| line.starts_with("```"));
    // Every other one ends what the one before has begun.
    fences.step_by(2).any(|fence| fence.trim_end() != "```text")
}

/// The libraries, programs and tests of all members, as `cargo metadata` describes them.
fn targets() -> Vec<serde_json::Value> {
    let metadata = ["metadata", "--locked", "--no-deps", "--format-version=1"];
    let metadata = output_of(env!("CARGO"), metadata);
    let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages.flat_map(|package| package["targets"].as_array().expect("targets").clone()).collect()
}

#[test]
fn tests_that_cargo_leaves_out_run_beside_the_others() {
    let command = fs::read_to_string(workspace().join("x")).expect("the command");
    let rows = |name: &str| {
        let rows = command.split_once(name).and_then(|(_, rest)| rest.split_once(')'));
        rows.expect("rows of tests").0.split([' ', '\n', '"']).filter(|it| !it.is_empty())
    };
    let (always, more) = (rows("\nwaiting_tests=("), rows("\nmore_waiting_tests=("));
    let mut beside: Vec<&str> = always.chain(more).collect();
    beside.sort_unstable();
    let targets = targets();
    let tests = targets.iter().filter(|target| target["kind"][0] == "test");
    let (run, left_out): (Vec<_>, Vec<_>) = tests.partition(|target| target["test"] == true);
    let names = |targets: Vec<&serde_json::Value>| -> Vec<String> {
        targets.iter().map(|target| target["name"].as_str().expect("a name").to_owned()).collect()
    };
    let (run, mut left_out) = (names(run), names(left_out));
    left_out.sort_unstable();
    assert_eq!(left_out, beside);
    for name in left_out {
        assert!(!run.contains(&name), "another test has the name {name}, and would run twice");
    }
}

#[test]
fn what_manifests_exclude_from_tests_has_none() {
    for target in targets() {
        let kind = target["kind"][0].as_str().expect("a kind");
        if !["bin", "lib"].contains(&kind) {
            continue;
        }
        let root = Path::new(target["src_path"].as_str().expect("a path"));
        for path in sources(kind, root) {
            let text = fs::read_to_string(&path).expect("a source");
            if target["test"] == false {
                assert!(!text.contains("#[test]"), "{} is not run", path.display());
                assert!(kind == "lib" || !text.contains("\nmod "), "{}: modules", path.display());
            }
            if target["doctest"] == false && kind == "lib" {
                assert!(!has_code_in_its_documentation(&text), "{} is not run", path.display());
            }
        }
    }
}
