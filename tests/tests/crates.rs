//! The crates that are made to be published: complete, and packed without an error of cargo's.

use std::fs;
use std::path::Path;
use std::process::Command;
use xmp_tests::toolchain::{output_of, workspace};

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
