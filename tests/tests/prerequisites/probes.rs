//! The probes of `./x`: it tries things instead of asking for their names.

use super::rust::promised;
use super::{Commands, text_of};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::toolchain::{output_of, workspace};

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
