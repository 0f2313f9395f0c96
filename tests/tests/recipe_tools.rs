//! The recipes of `packaging/`, executed by their own tools: by `./x test --recipes`, because that takes minutes and fetches systems.
//! `recipes.rs` reads all recipes in every run.

use std::fs;
use std::path::Path;
use std::process::Command;
use xmp_hosts::noted;
use xmp_tests::python::Environment;
use xmp_tests::toolchain::{output_of, workspace};

const DOCKERFILE: &str = "packaging/containers/Dockerfile";

/// The first command that makes containers here, of those that read the file.
fn container_tool() -> Option<&'static str> {
    ["docker", "podman"].into_iter().find(|tool| {
        let probe = Command::new(tool).arg("info").output();
        probe.is_ok_and(|output| output.status.success())
    })
}

/// The commands in the comment at the beginning of the file, for a tool and an image that is removed afterwards.
fn documented_commands(tool: &str, image: &str) -> Vec<String> {
    let text = fs::read_to_string(workspace().join(DOCKERFILE)).expect("a file");
    let lines = text.lines().filter_map(|line| line.strip_prefix("#   docker "));
    let commands =
        lines.map(|line| format!("{tool} {line}").replace(" xmprt ", &format!(" {image} ")));
    commands.map(|command| command.replace("-t xmprt .", &format!("-t {image} ."))).collect()
}

#[test]
#[ignore = "./x test --recipes"]
fn a_container_compiles_and_runs_a_program() {
    let Some(tool) = container_tool() else {
        return noted("neither docker nor podman makes containers here: the image is not built");
    };
    let image = format!("xmprt-test-{}", std::process::id());
    let commands = documented_commands(tool, &image);
    let [build, run] = &commands[..] else { panic!("two commands: {commands:?}") };
    shell(workspace(), build);
    let place = tempfile::tempdir().expect("a directory");
    let hello = workspace().join("examples/fortran/hello.f90");
    fs::copy(hello, place.path().join("hello.f90")).expect("a copy");
    let printed = shell(place.path(), run);
    shell(workspace(), &format!("{tool} rmi {image}"));
    let mut lines: Vec<&str> = printed.lines().collect();
    lines.sort_unstable();
    let expected = [1, 2, 3, 4].map(|image| format!("hello from image {image} of 4"));
    assert_eq!(lines, expected);
}

/// Runs a command of a page, and returns what it prints.
fn shell(directory: &Path, command: &str) -> String {
    let output = Command::new("sh").args(["-c", command]).current_dir(directory).output();
    let output = output.expect("a shell");
    let (lines, log) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command}: {}\n{lines}{log}", output.status);
    lines.into_owned()
}

/// What it would build, by the `spack` in `PATH`.
#[test]
#[ignore = "./x test --recipes"]
fn spack_resolves_what_the_recipe_needs() {
    let probe = Command::new("spack").arg("--version").output();
    if !probe.is_ok_and(|output| output.status.success()) {
        return noted("there is no spack in PATH: it does not resolve its recipe");
    }
    // What `spack repo add` writes for a user.
    let scope = tempfile::tempdir().expect("a directory");
    let repository = workspace().join("packaging/spack/spack_repo/xmprt");
    let repositories = format!("repos:\n  xmprt: {}\n", repository.display());
    fs::write(scope.path().join("repos.yaml"), repositories).expect("a file");
    for (spec, needs) in
        [("xmprt", ["^hwloc@", "^rust@", "~mpi"]), ("xmprt+mpi", ["^python@", "^rust@", "+mpi"])]
    {
        let text = shell(scope.path(), &format!("spack -C . spec {spec}"));
        assert!(text.contains("xmprt@"), "{text}");
        for need in needs {
            assert!(text.contains(need), "{need}: {text}");
        }
    }
}

/// What it would build: everything that the easyconfig depends on has one of its version and toolchain.
#[test]
#[ignore = "./x test --recipes"]
fn easybuild_finds_all_that_the_easyconfig_needs() {
    let Some(environment) = Environment::with(&["easybuild"]) else { return };
    let scratch = tempfile::tempdir().expect("a directory");
    // It asks for a command of modules, which a dry run does not use.
    let modules = scratch.path().join("modulecmd");
    fs::write(&modules, "#!/bin/sh\necho VERSION=3.2.10 >&2\n").expect("a file");
    output_of("chmod", ["+x".as_ref(), modules.as_path()]);
    let recipes = fs::read_dir(workspace().join("packaging/easybuild")).expect("recipes");
    let recipe = recipes.flatten().next().expect("a recipe").path();
    let path = std::env::var("PATH").unwrap_or_default();
    let ours = [environment.path().join("bin"), scratch.path().to_owned()];
    let ours = ours.map(|directory| directory.display().to_string()).join(":");
    let output = Command::new(environment.command("eb"))
        .args(["--dry-run", "--robot", "--"])
        .arg(&recipe)
        .env("PATH", format!("{ours}:{path}"))
        .env("EASYBUILD_PREFIX", scratch.path())
        .env("EASYBUILD_MODULES_TOOL", "EnvironmentModulesC")
        .env("EASYBUILD_MODULE_SYNTAX", "Tcl")
        .env("EASYBUILD_ALLOW_MODULES_TOOL_MISMATCH", "1")
        .env("EASYBUILD_ALLOW_USE_AS_ROOT_AND_ACCEPT_CONSEQUENCES", "1")
        .output()
        .expect("eb");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let steps: Vec<&str> = text.lines().filter(|line| line.starts_with(" * [")).collect();
    for need in ["(module: Rust/", "(module: hwloc/", "(module: GCC/"] {
        assert!(steps.iter().any(|step| step.contains(need)), "{need}: {text}");
    }
    assert!(steps.last().is_some_and(|step| step.contains("(module: XMP-RT/")), "{text}");
}
