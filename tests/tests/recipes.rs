//! The recipes of `packaging/` that build from source, and the files for users' machines: versions, requirements and options are those
//! of the workspace, real parsers read them, and the script of the conda recipe makes an installation that works.

use serial_test::serial;
use std::fs;
use std::process::Command;
use xmp_hosts::installed;
use xmp_tests::Run;
use xmp_tests::book::Chapter;
use xmp_tests::python::Environment;
use xmp_tests::toolchain::{output_of, toolchain, workspace};
use yaml_rust2::{Yaml, YamlLoader};

const SPACK: &str = "packaging/spack/spack_repo/xmprt/packages/xmprt/package.py";
const CONDA: &str = "packaging/conda/recipe/recipe.yaml";
const CONDA_SCRIPT: &str = "packaging/conda/recipe/build.sh";
const DOCKER: &str = "packaging/containers/Dockerfile";
const APPTAINER: &str = "packaging/containers/xmprt.def";
const GITHUB: &str = "examples/build/github/coarrays.yml";

/// The easyconfig, whose name has the versions of itself and of its toolchain.
fn easyconfig() -> String {
    let directory = "packaging/easybuild";
    let files = fs::read_dir(workspace().join(directory)).expect(directory).flatten();
    let names: Vec<_> = files.map(|file| file.file_name().into_string().expect("UTF-8")).collect();
    let [name] = &names[..] else { panic!("one easyconfig: {names:?}") };
    format!("{directory}/{name}")
}

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
    assert_eq!(yaml(CONDA)["context"]["version"].as_str(), Some(&*version));
    assert_eq!(yaml(GITHUB)["env"]["XMPRT"].as_str(), Some(&*version));
    assert!(easyconfig().contains(&format!("/XMP-RT-{version}-")), "{}", easyconfig());
}

/// A document in YAML.
fn yaml(path: &str) -> Yaml {
    let documents = YamlLoader::load_from_str(&text(path));
    documents.unwrap_or_else(|error| panic!("{path}: {error}")).remove(0)
}

#[test]
fn recipes_name_the_requirements_of_the_workspace() {
    let [spack, conda, easyconfig] = [SPACK, CONDA, &easyconfig()].map(text);
    let rust = format!("depends_on(\"rust@{}:\", type=\"build\")", field("rust-version"));
    assert!(spack.contains(&rust), "{SPACK}: {rust}");
    for recipe in [&spack, &conda] {
        for need in [field("repository"), field("license")] {
            assert!(recipe.contains(&need), "{need}: {recipe}");
        }
    }
    let rust = easyconfig.split("('Rust', '").nth(1).and_then(|rest| rest.split('\'').next());
    let numbers = |version: &str| -> Vec<u32> {
        version.split('.').map(|number| number.parse().expect("a number")).collect()
    };
    assert!(numbers(rust.expect("Rust")) >= numbers(&field("rust-version")), "{rust:?}");
}

#[test]
fn recipes_are_for_both_architectures() {
    let [spack, conda] = [SPACK, CONDA].map(text);
    assert!(conda.contains("  skip: not (linux and (x86_64 or aarch64))\n"), "{conda}");
    assert!(spack.contains("requires(\"target=x86_64:\", \"target=aarch64:\", policy=\"one_of\""));
    // Each has a libclang of its own.
    for machine in ["x86_64", "aarch64"] {
        let resource =
            spack.split("resource(").find(|it| it.contains(&format!("_{machine}.whl\"")));
        let resource = resource.expect(machine);
        assert!(resource.contains(&format!("when=\"target={machine}:\"")), "{resource}");
    }
}

#[test]
fn the_recipe_for_rattler_build_has_the_parts_of_its_format() {
    let recipe = yaml(CONDA);
    assert_eq!(recipe["package"]["name"].as_str(), Some("xmprt"));
    assert!(workspace().join(recipe["build"]["script"].as_str().expect("a script")).is_file());
    let source = recipe["source"]["path"].as_str().expect("a path");
    let place = workspace().join("packaging/conda/recipe").join(source);
    assert_eq!(place.canonicalize().expect(source), workspace().canonicalize().expect("it exists"));
    for (part, lists) in
        [("requirements", &["build", "host", "run"][..]), ("about", &["license_file"])]
    {
        for list in lists {
            assert!(recipe[part][*list].as_vec().is_some_and(|list| !list.is_empty()), "{list}");
        }
    }
    for file in recipe["about"]["license_file"].as_vec().expect("a list") {
        let file = file.as_str().expect("a text");
        // That one is made by the build.
        assert!(file == "target/THIRD-PARTY" || workspace().join(file).is_file(), "{file}");
    }
}

/// Reads and renders a recipe as rattler-build does, and prints what it is about.
const RENDER: &str = "
import sys
from rattler_build import RenderConfig, Stage0Recipe, VariantConfig
for variant in Stage0Recipe.from_file(sys.argv[1]).render(VariantConfig(), RenderConfig()):
    recipe = variant.recipe
    print(recipe.package.name, recipe.package.version, recipe.about.license, recipe.requirements, sep='; ')
";

/// Its library, from PyPI: to build the package it would fetch compilers from conda's servers.
#[test]
fn rattler_build_renders_the_recipe() {
    let Some(environment) = Environment::with(&["py-rattler-build==0.73.0"]) else { return };
    let recipe = workspace().join(CONDA);
    let rendered = output_of(
        environment.command("python3"),
        ["-c".as_ref(), RENDER.as_ref(), recipe.as_os_str()],
    );
    let (version, license) = (field("version"), field("license"));
    let expected =
        format!("xmprt; {version}; {license}; Stage1Requirements(build=4, host=1, run=2)\n");
    assert_eq!(rendered, expected);
}

/// GitHub's own check is not here: what the steps execute, and the names that the file must have.
#[test]
fn the_workflow_for_users_has_steps_that_a_shell_reads() {
    let workflow = yaml(GITHUB);
    let steps = workflow["jobs"]["test"]["steps"].as_vec().expect("steps");
    let commands: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    assert!(commands.iter().any(|command| command.contains("xmprun")), "{commands:?}");
    commands.into_iter().for_each(read_by_shell);
    assert!(
        steps.iter().any(|step| step["uses"].as_str().is_some_and(|it| it.contains("checkout")))
    );
}

/// Checks the syntax of commands.
fn read_by_shell(commands: &str) {
    output_of("sh", ["-n", "-c", commands]);
}

#[test]
fn files_for_containers_have_commands_that_a_shell_reads_and_install_this_workspace() {
    let docker = text(DOCKER).replace("\\\n", " ");
    let runs: Vec<&str> = docker.lines().filter_map(|line| line.strip_prefix("RUN ")).collect();
    let known = ["FROM ", "RUN ", "COPY ", "WORKDIR ", "CMD ", "#", ""];
    for line in docker.lines() {
        assert!(
            known.iter().any(|word| line.starts_with(word) && !word.is_empty()) || line.is_empty(),
            "{line}"
        );
    }
    let definition = text(APPTAINER);
    let sections: Vec<(&str, &str)> = definition
        .split("\n%")
        .skip(1)
        .map(|section| section.split_once('\n').expect("a section"))
        .collect();
    let names: Vec<&str> = sections.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["files", "post", "test", "runscript"]);
    let scripts = sections.iter().filter(|(name, _)| *name != "files").map(|(_, body)| *body);
    for script in runs.iter().copied().chain(scripts) {
        read_by_shell(script);
    }
    for file in [&docker, &definition] {
        assert!(file.contains("./x install --no-apt --no-mpi --prefix /usr/local"), "{file}");
    }
}

/// Defines what EasyBuild gives easyconfigs, executes one, and prints its values.
const EASYCONFIG: &str = "
import sys
known = {'SHLIB_EXT': 'so', 'SOURCE_TAR_GZ': '%(name)s-%(version)s.tar.gz', 'SYSTEM': {'name': 'system', 'version': 'system'}}
config = dict(known)
exec(compile(open(sys.argv[1]).read(), sys.argv[1], 'exec'), config)
needed = ['easyblock', 'name', 'version', 'homepage', 'description', 'toolchain', 'sources', 'sanity_check_paths', 'moduleclass']
missing = [name for name in needed if not config.get(name)]
assert not missing, missing
values = dict(name=config['name'], version=config['version'], installdir='/nowhere')
print('-'.join([config['name'], config['version'], config['toolchain']['name'], config['toolchain']['version']]))
print(config['install_cmd'] % values)
";

#[test]
fn the_easyconfig_is_read_as_easybuild_does() {
    if !installed(&["python3"]) {
        return;
    }
    let path = workspace().join(easyconfig());
    let output = output_of("python3", ["-c".as_ref(), EASYCONFIG.as_ref(), path.as_os_str()]);
    let mut lines = output.lines();
    assert_eq!(path.file_stem().and_then(|name| name.to_str()), lines.next());
    let command = lines.next().expect("a command");
    read_by_shell(command);
    assert!(command.contains("./x install --no-apt --no-mpi --prefix=/nowhere"), "{command}");
}

/// Defines what Lmod gives module files, and prints what one does.
const LMOD: &str = r#"
local file = arg[1]
myFileName = function() return file end
pathJoin = function(...) return table.concat({...}, "/") end
for _, name in ipairs({"help", "whatis", "conflict"}) do _G[name] = function(text) print(name, text) end end
prepend_path = function(name, path) print("prepend", name, path) end
dofile(file)
"#;

#[test]
fn the_module_file_for_lmod_names_the_directories_of_its_installation() {
    if !installed(&["lua"]) {
        return;
    }
    let prefix = toolchain().prefix().canonicalize().expect("an installation");
    let file = prefix.join("share/xmprt/modulefiles/xmprt.lua");
    let script = tempfile::NamedTempFile::new().expect("a file");
    fs::write(script.path(), LMOD).expect("a file");
    let output = output_of("lua", [script.path(), file.as_path()]);
    for name in ["bin", "lib/pkgconfig"] {
        let path = prefix.join(name);
        assert!(path.is_dir() && output.contains(&format!("\t{}\n", path.display())), "{output}");
    }
    assert!(output.contains(&format!("CMAKE_PREFIX_PATH\t{}\n", prefix.display())), "{output}");
    assert!(output.contains(&format!("whatis\tVersion: {}\n", field("version"))), "{output}");
}

/// The commands of the page about installation, executed by the real ones.
#[test]
fn the_module_files_name_the_directories_of_their_installation() {
    if !installed(&["modulecmd"]) {
        return;
    }
    let prefix = toolchain().prefix().canonicalize().expect("an installation");
    let blocks = Chapter::read("installation").blocks().into_iter().map(|block| block.lines);
    let lines = blocks.flatten().filter(|line| line.starts_with("module "));
    let lines: Vec<String> =
        lines.map(|line| line.replace("PREFIX", &prefix.display().to_string())).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let script = format!(
        "module() {{ eval \"$(modulecmd sh \"$@\")\"; }}\n{}\ncommand -v xmprun\necho \"$PKG_CONFIG_PATH:$CMAKE_PREFIX_PATH:\"",
        lines.join("\n")
    );
    let mut shell = Command::new("sh");
    for name in ["LOADEDMODULES", "_LMFILES_", "MODULEPATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH"]
    {
        shell.env_remove(name);
    }
    let output = shell.args(["-e", "-c", &script]).output().expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    let paths = [prefix.join("bin/xmprun"), prefix.join("lib/pkgconfig")];
    for path in paths.iter().chain([&prefix]) {
        let path = path.display().to_string();
        assert!(text.split([':', '\n']).any(|found| found == path), "{path}: {output:?}");
    }
}

#[test]
fn recipes_pass_options_that_install_has() {
    let help = output_of(workspace().join("x"), ["install", "--help"]);
    for path in [SPACK, CONDA_SCRIPT, DOCKER, APPTAINER, &easyconfig()] {
        let recipe = match text(path).split_once("./x install ") {
            // Other commands have other options.
            Some((_, after)) if path != SPACK => {
                after.lines().next().unwrap_or_default().to_owned()
            }
            _ => text(path),
        };
        // Comments may say anything.
        let code = recipe.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words = code.flat_map(|line| line.split(|c: char| c == '=' || !c.is_ascii_graphic()));
        let words = words.map(|word| word.trim_matches(['"', '[', ']', ',', '(', ')', 'f', '&']));
        let options: Vec<&str> = words.filter(|word| word.starts_with("--")).collect();
        assert!(options.contains(&"--no-apt"), "{path}: {options:?}");
        for option in options {
            assert!(help.contains(&format!("\n  {option} ")), "{path}: {option} is not in {help}");
        }
    }
}

/// Spack takes the name of a repository from its directory, which has to be in one that is called `spack_repo`.
#[test]
fn the_documented_spack_repository_is_one_that_spack_accepts() {
    let pages = ["packaging/README.md", "docs/book/src/installation.md"].map(text);
    for page in pages {
        let (_, after) = page.split_once("`spack repo add ").expect("the command");
        let path = after.split('`').next().expect("its argument");
        let repository = yaml(&format!("{path}/repo.yaml"));
        let name = path.split_once("/spack_repo/").expect(path).1;
        assert_eq!(repository["repo"]["namespace"].as_str(), Some(name));
        assert!(SPACK.starts_with(&format!("{path}/packages/")), "{path}");
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
