//! Dependencies point downwards: between crates, between the front ends of `ffi`, and between the files of a crate.
//! `docs/ARCHITECTURE.md` has the picture.

use std::fs;
use std::path::Path;
use xmp_tests::imports::Imports;
use xmp_tests::toolchain::workspace;

/// The crates, from the lowest layer to the highest. A crate depends on crates of lower layers only.
const LAYERS: [&[&str]; 11] = [
    &["xmp-core/map", "xmp-core/plugin", "xmp-core/source"],
    &["xmp-core/shm", "xmp-core/trace"],
    &["xmp-core/net"],
    &["xmp-core/boot"],
    &["xmp-core"],
    &["collectives", "xmp-core/launcher"],
    &["teams"],
    &["coarray"],
    &["ffi", "ffi/trace", "ffi/translate", "tests/hosts"],
    &["tests", "examples", "examples/simulate"],
    &["examples/bench"],
];

/// The front ends in `ffi/src`. None uses another, and what lies beside them uses none.
const FRONT_ENDS: [&str; 5] = ["c", "gnu", "mpi", "omni", "prif"];

/// The layer of a crate, counted from the lowest.
fn layer(member: &str) -> usize {
    let layer = LAYERS.iter().position(|layer| layer.contains(&member));
    layer.unwrap_or_else(|| {
        panic!("{member} has no layer: add it to LAYERS in tests/tests/layers.rs")
    })
}

/// The directories of the members of the workspace.
fn members() -> Vec<String> {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).expect("the root manifest");
    let list = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.expect("a list of members");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The members that a member depends on in what it builds, apart from tests.
fn dependencies(member: &str) -> Vec<String> {
    let manifests: Vec<(String, String)> = members()
        .into_iter()
        .map(|member| {
            let manifest = workspace().join(&member).join("Cargo.toml");
            (member, fs::read_to_string(manifest).expect("the manifest of a member"))
        })
        .collect();
    let named = |name: &str| {
        let line = format!("name = \"{name}\"");
        manifests.iter().find(|(_, text)| text.lines().any(|here| here == line))
    };
    let (_, own) = manifests.iter().find(|(other, _)| other == member).expect("a member");
    let section = own.split_once("\n[dependencies]\n").map_or("", |(_, rest)| rest);
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter_map(named).map(|(member, _)| member.clone()).collect()
}

#[test]
fn crates_depend_on_lower_layers_only() {
    let mut found = 0;
    for member in members() {
        for dependency in dependencies(&member) {
            found += 1;
            assert!(
                layer(&dependency) < layer(&member),
                "{member} depends on {dependency}, which is not in a lower layer"
            );
        }
    }
    assert!(found >= 10, "only {found} dependencies were found");
}

#[test]
fn front_ends_are_used_only_by_themselves() {
    let imports = Imports::of_crate(&workspace().join("ffi/src"));
    let front_end = |file: &Path| {
        let first = file.components().next()?.as_os_str().to_str()?.trim_end_matches(".rs");
        FRONT_ENDS.into_iter().find(|name| *name == first)
    };
    let mut faults = Vec::new();
    let (mut within, mut beside) = (0, 0);
    for (file, used, paths) in imports.uses() {
        let (from, to) = (front_end(file), front_end(used));
        within += usize::from(from.is_some() && from == to);
        beside += usize::from(from.is_none());
        if to.is_some() && from != to {
            faults.push(format!(
                "{} uses {}: {}",
                file.display(),
                used.display(),
                paths.join(", ")
            ));
        }
    }
    assert!(within > 0, "no uses within front ends were found");
    assert!(beside > 0, "no uses between `entry`, `gfortran_abi` and `process` were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The crates without circles between their files.
const WITHOUT_CIRCLES: [&str; 20] = [
    "xmp-core",
    "xmp-core/boot",
    "xmp-core/map",
    "xmp-core/net",
    "xmp-core/shm",
    "xmp-core/launcher",
    "xmp-core/plugin",
    "xmp-core/source",
    "xmp-core/trace",
    "collectives",
    "teams",
    "coarray",
    "ffi",
    "ffi/trace",
    "ffi/translate",
    "tests",
    "tests/hosts",
    "examples",
    "examples/simulate",
    "examples/bench",
];

#[test]
fn no_files_use_one_another_in_a_circle() {
    let mut faults = Vec::new();
    for member in WITHOUT_CIRCLES {
        let imports = Imports::of_crate(&workspace().join(member).join("src"));
        faults.extend(imports.circles().into_iter().map(|circle| format!("{member}: {circle}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
