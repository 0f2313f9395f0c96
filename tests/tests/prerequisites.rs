//! What `./x` asks of the machine: it tries things instead of asking for their names, and what it promises about Rust
//! is true.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::toolchain::{output_of, toolchain, workspace};

/// A directory of commands, the only one in PATH, with what the probes themselves use.
struct Commands(TempDir);

impl Commands {
    fn new() -> Commands {
        let commands = Commands(tempfile::tempdir().expect("a directory"));
        for name in ["bash", "mktemp", "rm", "cat", "sed", "awk", "grep", "echo", "cut", "env"] {
            commands.link(name);
        }
        commands
    }

    /// Adds a command of this machine.
    fn link(&self, name: &str) -> &Commands {
        let path = output_of("sh", ["-c", &format!("command -v {name}")]);
        symlink(path.trim(), self.0.path().join(name)).expect("a link");
        self
    }

    /// Adds a command with this text.
    fn script(&self, name: &str, text: &str) -> &Commands {
        let file = self.0.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{text}\n")).expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("a mode");
        self
    }

    /// Runs a command of the shell with the probes of `./x`.
    fn probe(&self, command: &str, variables: &[(&str, &Path)]) -> Output {
        let sources = "again usage probes systems hwloc needs rust plugins".split(' ');
        let sources: String = sources.map(|name| format!(". .ci/{name}.sh; ")).collect();
        Command::new("bash")
            .args(["-c", &format!("set -eu; root=$PWD; {sources} {command}")])
            .current_dir(workspace())
            .env_clear()
            .env("PATH", self.0.path())
            .envs(variables.iter().copied())
            .output()
            .expect("bash")
    }

    fn have(&self, name: &str) -> bool {
        self.probe(&format!("have {name}"), &[]).status.success()
    }
}

/// The libclang that the probes find on this machine.
fn libclang() -> Option<PathBuf> {
    let found = Command::new("bash")
        .args(["-c", "root=$PWD; . .ci/probes.sh; usable_libclang"])
        .current_dir(workspace())
        .output()
        .expect("bash");
    found.status.success().then(|| String::from_utf8_lossy(&found.stdout).trim().into())
}

#[test]
fn a_compiler_that_cannot_compile_or_link_is_missing() {
    let broken = Commands::new();
    broken.script("cc", "echo 'cc: cannot execute cc1' >&2; exit 1");
    broken.script("gfortran", "echo 'gfortran: cannot find -lgfortran' >&2; exit 1");
    for name in ["cc", "libc", "fortran"] {
        assert!(!broken.have(name), "{name}");
    }
    let whole = Commands::new();
    for name in ["cc", "gfortran", "as", "ld"] {
        whole.link(name);
    }
    for name in ["cc", "libc", "fortran"] {
        assert!(whole.have(name), "{name}");
    }
}

#[test]
fn a_c_compiler_without_the_c_library_is_not_a_c_library() {
    let commands = Commands::new();
    let real = output_of("sh", ["-c", "command -v cc"]);
    commands.link("as").link("ld");
    commands.script("cc", &format!("exec {} -nostdinc -nostdlib \"$@\"", real.trim()));
    assert!(commands.have("cc"));
    assert!(!commands.have("libc"));
}

#[test]
fn a_package_of_hwloc_without_its_headers_is_missing() {
    let commands = Commands::new();
    commands.link("cc").link("as").link("ld").link("pkg-config");
    assert!(commands.have("hwloc"));
    let packages = tempfile::tempdir().expect("a directory");
    let text = "Name: hwloc\nDescription: none\nVersion: 2.9\nCflags: -nostdinc\nLibs: -lhwloc\n";
    fs::write(packages.path().join("hwloc.pc"), text).expect("a file");
    let found = commands.probe("have hwloc", &[("PKG_CONFIG_LIBDIR", packages.path())]);
    assert!(!found.status.success());
}

/// The command that installs what is missing, on a system with this package manager, or with this description alone.
fn advice(manager: Option<&str>, os_release: &str) -> String {
    advice_with(&Commands::new(), manager, os_release)
}

/// The same where these commands are there.
fn advice_with(commands: &Commands, manager: Option<&str>, os_release: &str) -> String {
    commands.link("tr");
    if let Some(manager) = manager {
        commands.script(manager, "exit 1");
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), os_release).expect("a file");
    let probe = format!(
        "say() {{ echo \"$*\"; }}; die() {{ echo \"$*\"; exit 1; }}; target=/nowhere; os_release={}; require_packages",
        file.path().display()
    );
    let output = commands.probe(&probe, &[]);
    assert!(!output.status.success(), "{output:?}");
    text_of(&output)
}

#[test]
fn what_is_missing_is_named_as_the_package_manager_does() {
    let rocky = "NAME=\"Rocky Linux\"\nID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n";
    let fedora = "ID=fedora\n";
    let sles = "ID=\"sles\"\nID_LIKE=\"suse\"\n";
    for (manager, os_release, command, crb) in [
        (
            Some("dnf"),
            rocky,
            "sudo dnf install gcc glibc-devel pkgconf-pkg-config hwloc-devel gcc-gfortran",
            true,
        ),
        (None, rocky, "sudo dnf install gcc glibc-devel", true),
        (Some("dnf"), fedora, "sudo dnf install gcc glibc-devel", false),
        (
            Some("zypper"),
            sles,
            "sudo zypper install gcc glibc-devel pkg-config hwloc-devel gcc-fortran",
            false,
        ),
        (None, sles, "sudo zypper install", false),
        (
            Some("pacman"),
            "ID=arch\n",
            "sudo pacman -S --needed gcc glibc pkgconf hwloc gcc-fortran",
            false,
        ),
        (Some("apk"), "ID=alpine\n", "sudo apk add gcc musl-dev pkgconf hwloc-dev gfortran", false),
        (
            None,
            "ID=void\n",
            "the package manager of this system, for what Debian calls gcc libc6-dev",
            false,
        ),
        (None, "ID=ubuntu\nID_LIKE=debian\n", "sudo apt-get update && sudo apt-get install", false),
    ] {
        let text = advice(manager, os_release);
        assert!(text.contains(command), "{manager:?}, {os_release}: {text}");
        assert_eq!(text.contains("repository crb"), crb, "{text}");
        assert_eq!(text.contains("apt-get"), command.contains("apt-get"), "{text}");
    }
}

/// The gfortran of RHEL 8 and 9, SLES 15 and Ubuntu 22.04.
#[test]
fn a_gfortran_that_is_too_old_is_passed_over_for_a_newer_one() {
    let real = output_of("sh", ["-c", "command -v gfortran"]);
    let old = format!(
        "if [ \"$1\" = -dumpversion ]; then echo 8.5.0; else exec {} \"$@\"; fi",
        real.trim()
    );
    let commands = Commands::new();
    for name in ["cc", "as", "ld"] {
        commands.link(name);
    }
    commands.script("gfortran", &old);
    let compiler = |variables: &[(&str, &Path)]| {
        text_of(&commands.probe("fortran_compiler", variables)).trim().to_owned()
    };
    let nowhere = ("gcc_toolsets", Path::new("/nowhere"));
    assert_eq!(compiler(&[nowhere]), "gfortran");
    assert!(!commands.have("fortran"));
    for (os_release, package) in [
        ("ID=\"rocky\"\nID_LIKE=\"rhel\"\n", "gcc-toolset-14-gcc-gfortran"),
        ("ID=\"sles\"\n", "gcc13-fortran"),
        ("ID=ubuntu\n", "gfortran-12"),
    ] {
        let commands = Commands::new();
        for name in ["cc", "as", "ld"] {
            commands.link(name);
        }
        commands.script("gfortran", &old);
        let text = advice_with(&commands, None, os_release);
        assert!(text.contains(package), "{text}");
    }
    commands.script("gfortran-12", &format!("exec {} \"$@\"", real.trim()));
    assert_eq!(compiler(&[nowhere]), "gfortran-12");
    assert!(commands.have("fortran"));
    let toolset = commands.0.path().join("gcc-toolset-14/root/usr/bin");
    fs::create_dir_all(&toolset).expect("a directory");
    symlink(real.trim(), toolset.join("gfortran")).expect("a link");
    let found = compiler(&[("gcc_toolsets", commands.0.path())]);
    assert_eq!(Path::new(&found), toolset.join("gfortran"));
}

#[test]
fn a_missing_or_old_rust_is_named_at_once_with_what_is_needed() {
    let probe = "say() { echo \"$*\"; }; die() { echo \"$*\"; exit 1; }; require_rust";
    let refused = |commands: &Commands, words: &[&str]| {
        commands.link("sort");
        let output = commands.probe(probe, &[("HOME", Path::new("/nowhere"))]);
        let text = text_of(&output);
        assert!(!output.status.success(), "{text}");
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
    };
    let least = promised();
    refused(&Commands::new(), &["not installed", &least, "https://rustup.rs"]);
    let old = Commands::new();
    old.script("cargo", "echo cargo 1.75.0").script("rustc", "echo rustc 1.75.0");
    refused(&old, &["Rust 1.75.0 is too old", &least, "a package or module of this system"]);
    let with_rustup = Commands::new();
    with_rustup.script("cargo", "echo cargo 1.75.0").script("rustc", "echo rustc 1.75.0");
    refused(with_rustup.script("rustup", "exit 0"), &[&least, "rustup update stable"]);
    // A distribution's own.
    let new = Commands::new();
    new.script("cargo", "echo cargo 1.999.0").script("rustc", "echo 'rustc 1.999.0 (Red Hat)'");
    assert!(new.link("sort").probe(probe, &[]).status.success());
}

#[test]
fn an_ip_command_that_does_not_run_is_missing() {
    let commands = Commands::new();
    assert!(!commands.have("ip"));
    commands.script("ip", "exit 127");
    assert!(!commands.have("ip"));
    let working = Commands::new();
    working.script("ip", "[ \"$*\" = -V ]");
    assert!(working.have("ip"));
}

/// Executes commands of the shell with the requirements of `./x`, and this value of `XMP_REQUIRE`.
fn with_requirements(required: &str, commands: &str) -> Output {
    let start =
        "set -euo pipefail; root=$PWD; say() { echo \"$*\"; }; die() { echo \"$*\"; exit 1; }";
    let sources =
        "again probes systems hwloc needs rust plugins build package package_plugins requirements";
    let sources = sources.split(' ');
    let sources: String = sources.map(|name| format!(". .ci/{name}.sh; ")).collect();
    Command::new("bash")
        .args(["-c", &format!("{start}; target=/nowhere; {sources} {commands}")])
        .current_dir(workspace())
        .env("XMP_REQUIRE", required)
        .output()
        .expect("bash")
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_shell_and_the_readme_know_all_requirements_of_tests() {
    let names = Requirement::ALL.map(Requirement::name);
    let shell = text_of(&with_requirements("", "echo ${requirement_names[*]}"));
    assert_eq!(shell.split_whitespace().collect::<Vec<_>>(), names);
    let strict = text_of(&with_requirements("", "echo ${strict_names[*]}"));
    let readme = fs::read_to_string(workspace().join("tests/README.md")).expect("the README");
    let (_, table) = readme.split_once("\n## Requirements\n").expect("a table of requirements");
    let table = table.lines().skip_while(|line| !line.starts_with('|')).skip(2);
    let rows: Vec<Vec<&str>> = table
        .take_while(|line| line.starts_with('|'))
        .map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let documented: Vec<&str> = rows.iter().map(|row| row[0].trim_matches('`')).collect();
    assert_eq!(documented, names);
    // `--deep` and a whole run require the others.
    let special = text_of(&with_requirements("", "echo ${special_names[*]}"));
    let required: BTreeSet<&str> =
        [&strict, &special].into_iter().flat_map(|it| it.split_whitespace()).collect();
    assert_eq!(required, BTreeSet::from(names));
    for row in rows {
        assert!(row[2].starts_with("yes"), "{row:?}");
    }
}

/// A skip for lack of it would pass in a strict run, and be one line among thousands.
#[test]
fn strict_announces_at_the_beginning_what_no_package_gives() {
    let missing = "have() { false; }; get_tool() { false; }; strict_memory=$((1 << 62)); cc() { printf '#!/bin/sh\\necho refused; exit 1\\n' >\"${@: -1}\"; chmod +x \"${@: -1}\"; }; PATH=/usr/bin:/bin";
    let names = ["flang", "fpm", "lfortran", "mdbook", "memory", "single-copy"];
    let commands = format!("{missing}; require_what_is_possible {}", names.join(" "));
    let output = text_of(&with_requirements("", &commands));
    let announced: Vec<&str> = output
        .lines()
        .map(|line| line.strip_prefix("NOT REQUIRED: ").unwrap_or_else(|| panic!("{output}")))
        .filter_map(|line| line.split_once(": ").map(|(name, _)| name))
        .collect();
    assert_eq!(announced, names, "{output}");
}

#[test]
fn a_skip_of_the_shell_fails_where_it_is_required() {
    let skip = "check_required_names; skip openmpi 'no mpirun'";
    let allowed = with_requirements("mpich", skip);
    assert!(allowed.status.success(), "{allowed:?}");
    assert_eq!(text_of(&allowed), "SKIPPED: no mpirun [openmpi]\n");
    for required in ["openmpi", "gdb, mpi"] {
        let failed = with_requirements(required, skip);
        assert!(!failed.status.success(), "{failed:?}");
        assert!(text_of(&failed).ends_with("XMP_REQUIRE names openmpi, and: no mpirun\n"));
    }
    let unknown = with_requirements("gdb,gbd", skip);
    assert!(!unknown.status.success(), "{unknown:?}");
    assert!(
        text_of(&unknown).starts_with("XMP_REQUIRE names 'gbd', which is none of mpi, aarch64 ")
    );
}

#[test]
fn strict_requires_what_is_possible_and_names_the_rest() {
    let probes =
        "hindrance() { [[ $1 != network ]] || echo 'a new host fails: Operation not permitted'; }";
    let commands = format!(
        "{probes}; require_what_is_possible gdb network mpich; echo $XMP_REQUIRE; skip network text; skip gdb text"
    );
    let output = with_requirements("venv", &commands);
    assert!(!output.status.success(), "{output:?}");
    let expected = "NOT REQUIRED: network: a new host fails: Operation not permitted\n\
                    required: gdb mpich\n\
                    gdb,mpich,venv\n\
                    SKIPPED: text [network]\n\
                    SKIPPED: text [gdb]\n\
                    XMP_REQUIRE names gdb, and: text\n";
    assert_eq!(text_of(&output), expected);
}

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
fn libclang_cpp_is_not_libclang() {
    let Some(real) = libclang() else {
        return skipped(Requirement::Libclang, "no libclang that works is installed");
    };
    let commands = Commands::new();
    commands.link("cc").link("as").link("ld");
    let directory = tempfile::tempdir().expect("a directory");
    let usable = |path: &Path| {
        let found = commands.probe("usable_libclang", &[("LIBCLANG_PATH", path)]);
        found.status.success().then(|| PathBuf::from(String::from_utf8_lossy(&found.stdout).trim()))
    };
    assert_eq!(usable(directory.path()), None, "a directory without a library");
    assert_eq!(usable(Path::new("/nowhere")), None);
    symlink(&real, directory.path().join("libclang-cpp.so.14")).expect("a link");
    assert_eq!(usable(directory.path()), None, "another library");
    fs::write(directory.path().join("libclang-14.so"), "no library").expect("a file");
    assert_eq!(usable(directory.path()), None, "a file that cannot be loaded");
    let link = directory.path().join("libclang.so.1");
    symlink(&real, &link).expect("a link");
    assert_eq!(usable(directory.path()), Some(link.clone()));
    assert_eq!(usable(&link), Some(link));
}

#[test]
fn a_compiler_of_mpi_without_its_header_or_library_is_of_no_mpi() {
    let commands = Commands::new();
    let real = output_of("sh", ["-c", "command -v cc"]);
    commands.link("as").link("ld");
    commands.script("mpicc", &format!("exec {} \"$@\"", real.trim()));
    let headers = tempfile::tempdir().expect("a directory");
    let flavour = |variables: &[(&str, &Path)]| {
        let found = commands.probe("mpi_flavour mpicc", variables);
        found.status.success().then(|| String::from_utf8_lossy(&found.stdout).trim().to_owned())
    };
    assert_eq!(flavour(&[]), None, "no mpi.h");
    let text = "#define OPEN_MPI 1\nint MPI_Init(int *, char ***);\nint MPI_Finalize(void);\n";
    fs::write(headers.path().join("mpi.h"), text).expect("a file");
    let with_header: &[(&str, &Path)] = &[("CPATH", headers.path())];
    assert_eq!(flavour(with_header), None, "no library");
    let text = "#define OPEN_MPI 1\nstatic inline int MPI_Init(void *a, void *b) { return a != b; }\n\
                static inline int MPI_Finalize(void) { return 0; }\n";
    fs::write(headers.path().join("mpi.h"), text).expect("a file");
    assert_eq!(flavour(with_header).as_deref(), Some("openmpi"));
}

#[test]
fn a_cargo_of_rustup_without_a_toolchain_is_no_cargo() {
    let commands = Commands::new();
    commands
        .script("cargo", "echo 'error: rustup could not choose a version of cargo' >&2; exit 1");
    let home = tempfile::tempdir().expect("a directory");
    let found = commands.probe("find_cargo", &[("HOME", home.path())]);
    assert!(!found.status.success());
    commands.script("cargo", "echo cargo 1.95.0");
    assert!(commands.probe("find_cargo", &[]).status.success());
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

/// A version of Rust, as numbers.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().expect("a number")).collect()
}

/// The version of Rust that Cargo.toml promises.
fn promised() -> String {
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
