//! The recipes of `packaging/` that build from source: versions, requirements and options are those of the workspace,
//! and the script of the conda recipe makes an installation that works.

use serial_test::serial;
use std::fs;
use std::process::Command;
use xmp_hosts::installed;
use xmp_tests::Run;
use xmp_tests::toolchain::{output_of, toolchain, workspace};

const SPACK: &str = "packaging/spack/packages/xmprt/package.py";
const CONDA: &str = "packaging/conda/recipe/meta.yaml";
const CONDA_SCRIPT: &str = "packaging/conda/recipe/build.sh";

/// The text of a file of the workspace.
fn text(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).expect(path)
}

/// The value of a field of `[workspace.package]`.
fn field(name: &str) -> String {
    let manifest = text("Cargo.toml");
    let value = manifest.lines().find_map(|line| line.strip_prefix(&format!("{name} = \"")));
    value.expect(name).trim_end_matches('"').to_owned()
}

#[test]
fn recipes_have_the_version_of_the_workspace() {
    let version = field("version");
    let spack = format!("    version(\"{version}\", tag=\"v{version}\")\n");
    assert!(text(SPACK).contains(&spack), "{SPACK} has no line {spack}");
    let conda = format!("{{% set version = \"{version}\" %}}\n");
    assert!(text(CONDA).starts_with(&conda), "{CONDA} does not begin with {conda}");
}

#[test]
fn recipes_name_the_requirements_of_the_workspace() {
    let [spack, conda] = [SPACK, CONDA].map(text);
    let rust = format!("depends_on(\"rust@{}:\", type=\"build\")", field("rust-version"));
    assert!(spack.contains(&rust), "{SPACK}: {rust}");
    for recipe in [&spack, &conda] {
        for need in [field("repository"), field("license")] {
            assert!(recipe.contains(&need), "{need}: {recipe}");
        }
    }
}

#[test]
fn recipes_pass_options_that_install_has() {
    let help = output_of(workspace().join("x"), ["install", "--help"]);
    for path in [SPACK, CONDA_SCRIPT] {
        let recipe = text(path);
        // Comments may say anything.
        let code = recipe.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words = code.flat_map(|line| line.split(|c: char| c == '=' || !c.is_ascii_graphic()));
        let words = words.map(|word| word.trim_matches(['"', '[', ']', ',', '(', ')', 'f']));
        let options: Vec<&str> = words.filter(|word| word.starts_with("--")).collect();
        assert!(options.contains(&"--no-apt"), "{path}: {options:?}");
        for option in options {
            assert!(help.contains(&format!("\n  {option} ")), "{path}: {option} is not in {help}");
        }
    }
}

#[test]
fn the_spack_recipe_is_valid_python() {
    let parse = "import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])";
    let path = workspace().join(SPACK);
    if installed(&["python3"]) {
        output_of("python3", ["-c".as_ref(), parse.as_ref(), path.as_os_str()]);
    }
}

/// The commands of conda's compilers are in `CC` and `FC`.
#[test]
#[serial]
fn the_conda_script_installs() {
    let directory = tempfile::tempdir().expect("a directory");
    let output = Command::new(workspace().join(CONDA_SCRIPT))
        .current_dir(workspace())
        .env("SRC_DIR", workspace())
        .env("PREFIX", directory.path())
        .env("CC", "cc")
        .env("FC", toolchain().fortran())
        .env_remove("DESTDIR")
        .output()
        .expect("the script runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The commands that the recipe tests the package with.
    let hello = directory.path().join("hello");
    let source = workspace().join("examples/fortran/hello.f90");
    output_of(directory.path().join("bin/xmpfc"), [source.as_path(), "-o".as_ref(), &hello]);
    let run = Run::new(directory.path().join("bin/xmprun"));
    let run = run.args(["-n", "2", hello.to_str().expect("UTF-8")]);
    run.finish().succeeded().stdout_is("hello from image 1 of 2\nhello from image 2 of 2\n");
}
