//! The version of Rust that is promised.

use std::collections::BTreeMap;
use std::fs;
use xmp_tests::toolchain::{output_of, workspace};

/// A version of Rust, as numbers.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().expect("a number")).collect()
}

/// The version of Rust that Cargo.toml promises.
pub fn promised() -> String {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).expect("Cargo.toml");
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    line.expect("rust-version in Cargo.toml").trim_matches('"').to_owned()
}

#[test]
fn no_locked_package_needs_a_newer_rust_than_promised() {
    let promised = promised();
    for project in ["Cargo.toml", "xmp-core/mpi/Cargo.toml"] {
        let manifest = workspace().join(project);
        let manifest = manifest.to_str().expect("a path in UTF-8");
        let arguments = ["metadata", "--locked", "--format-version=1", "--manifest-path", manifest];
        let metadata = output_of(env!("CARGO"), arguments);
        let metadata: serde_json::Value = serde_json::from_str(&metadata).expect("JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        let needed: BTreeMap<&str, &str> = packages
            .iter()
            .filter_map(|one| Some((one["id"].as_str()?, one["rust_version"].as_str()?)))
            .collect();
        assert!(!needed.is_empty());
        for (package, version) in &needed {
            let own = package.starts_with("path+file:");
            assert!(numbers(version) <= numbers(&promised), "{package} needs Rust {version}");
            assert!(!own || *version == promised, "{package} promises Rust {version}");
        }
    }
}

#[test]
fn the_readme_names_the_rust_that_is_promised() {
    let readme = fs::read_to_string(workspace().join("README.md")).expect("README.md");
    let promised = format!("{} or newer", promised());
    assert!(readme.contains(&promised), "README.md does not say: {promised}");
}
