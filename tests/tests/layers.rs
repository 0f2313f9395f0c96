//! Dependencies point downwards: between crates, between the front ends of `ffi`, and between the files of a crate.
//! `docs/ARCHITECTURE.md` has the picture.

use serde_json::Value;
use std::path::Path;
use xmp_tests::imports::Imports;
use xmp_tests::toolchain::{output_of, workspace};

/// The crates, from the lowest layer to the highest. A crate depends on crates of lower layers only.
const LAYERS: [&[&str]; 12] = [
    &["xmp-core/map", "xmp-core/plugin", "xmp-core/source"],
    &["xmp-core/shm", "xmp-core/trace"],
    &["xmp-core/net"],
    &["xmp-core/boot"],
    &["xmp-core"],
    &["collectives", "xmp-core/launcher"],
    &["teams"],
    &["coarray"],
    &["ffi", "ffi/prif", "ffi/races", "ffi/trace", "ffi/translate", "tests/hosts"],
    // What is linked with programs. Nothing depends on it: the crate for Omni's programs can be removed.
    &["ffi/library", "ffi/omni"],
    &["tests", "tests/litmus", "examples", "examples/simulate"],
    &["examples/bench"],
];

/// The front ends in `ffi/src`. None uses another, and what is beside them uses none.
const FRONT_ENDS: [&str; 5] = ["c", "gnu", "mpi", "prif", "xmp"];

/// The layer of a crate, counted from the lowest.
fn layer(member: &str) -> usize {
    let layer = LAYERS.iter().position(|layer| layer.contains(&member));
    layer.unwrap_or_else(|| {
        panic!("{member} has no layer: add it to LAYERS in tests/tests/layers.rs")
    })
}

/// A member of the workspace.
struct Member {
    /// Its directory, relative to the workspace.
    directory: String,
    /// The directories of the members that it depends on, apart from its tests: for each target, and for its build script,
    /// too.
    dependencies: Vec<String>,
}

/// The members of the workspace, as cargo reads their manifests.
fn members() -> Vec<Member> {
    let metadata =
        output_of(env!("CARGO"), ["metadata", "--locked", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            Member {
                directory: relative(manifest.parent().expect("a directory")),
                dependencies: dependencies
                    .iter()
                    .filter(|dependency| dependency["kind"] != "dev")
                    .filter_map(|dependency| dependency["path"].as_str())
                    .map(|path| relative(Path::new(path)))
                    .collect(),
            }
        })
        .collect()
}

fn relative(directory: &Path) -> String {
    let path = directory.strip_prefix(workspace()).expect("a directory of the workspace");
    path.to_str().expect("a path in UTF-8").to_owned()
}

#[test]
fn crates_depend_on_lower_layers_only() {
    let members = members();
    for Member { directory, dependencies } in &members {
        for dependency in dependencies {
            assert!(
                layer(dependency) < layer(directory),
                "{directory} depends on {dependency}, which is not in a lower layer"
            );
        }
    }
    let of_omni: Vec<_> = members
        .iter()
        .filter(|member| member.dependencies.iter().any(|other| other == "ffi/omni"))
        .map(|member| &member.directory)
        .collect();
    assert!(
        of_omni.is_empty(),
        "{of_omni:?} depend on the crate for programs of the Omni compiler"
    );
    let has = |directory: &str, dependency: &str| {
        let member = members.iter().find(|member| member.directory == directory);
        member.is_some_and(|member| member.dependencies.iter().any(|other| other == dependency))
    };
    assert!(has("xmp-core", "xmp-core/shm") && has("ffi", "coarray"), "dependencies are not found");
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

#[test]
fn translators_of_two_languages_share_what_directives_mean() {
    let imports = Imports::of_crate(&workspace().join("ffi/translate/src"));
    let folder = |file: &Path| {
        let first = file.components().next()?.as_os_str().to_str()?.to_owned();
        ["c", "fortran", "meaning", "directive"].into_iter().find(|name| *name == first)
    };
    let below = |to: &str| match to {
        "directive" => &["meaning", "c", "fortran"][..],
        "meaning" => &["c", "fortran"],
        _ => &[],
    };
    let (mut faults, mut found) = (Vec::new(), 0);
    for (file, used, paths) in imports.uses() {
        let (Some(from), Some(to)) = (folder(file), folder(used)) else { continue };
        if from == to || below(to).contains(&from) {
            found += usize::from(from != to);
        } else {
            faults.push(format!(
                "{} uses {}: {}",
                file.display(),
                used.display(),
                paths.join(", ")
            ));
        }
    }
    assert!(found > 10, "uses of `directive` and `meaning` were not found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_files_use_one_another_in_a_circle() {
    let mut faults = Vec::new();
    for Member { directory, .. } in members() {
        let imports = Imports::of_crate(&workspace().join(&directory).join("src"));
        let circles = imports.circles().into_iter();
        faults.extend(circles.map(|circle| format!("{directory}: {circle}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_modules_of_a_crate_use_one_another_in_a_circle() {
    let mut faults = Vec::new();
    for Member { directory, .. } in members() {
        let imports = Imports::of_crate(&workspace().join(&directory).join("src"));
        let circles = imports.circles_of_modules().into_iter();
        faults.extend(circles.map(|circle| format!("{directory}: {circle}")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
