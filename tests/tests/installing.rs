//! `./x install` and `./x uninstall`. (What an installation does when it is there is in `installation.rs`.)

use serial_test::serial;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xmp_hosts::{Requirement, skipped};
use xmp_tests::Run;
use xmp_tests::toolchain::{output_of, toolchain, workspace};
use xmp_tests::tree::{files, names_no_path_of_this_machine};

/// Runs `./x` with a staging directory. Nothing is compiled: `./x test` has built what is installed.
fn x(destination: &Path, arguments: &[&str]) -> Output {
    Command::new(workspace().join("x"))
        .args(arguments)
        .env("DESTDIR", destination)
        .output()
        .expect("./x")
}

/// The same, where it must succeed. Returns what it wrote to its standard error.
fn succeed(destination: &Path, arguments: &[&str]) -> String {
    let output = x(destination, arguments);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
}

/// Runs a command of the shell with the parts of `./x`.
fn in_x(command: &str) -> Output {
    let sources = "again usage probes systems hwloc needs rust plugins build xmp omni build_systems notices stage manifest \
                   install package";
    let sources: String =
        sources.split_whitespace().map(|name| format!(". .ci/{name}.sh; ")).collect();
    let start = "set -eu; root=$PWD; target=$PWD/target; say() { echo \"$*\" >&2; }; die() { say \"$*\"; exit 1; };";
    Command::new("bash")
        .args(["-c", &format!("{start} {sources} {command}")])
        .current_dir(workspace())
        .output()
        .expect("bash")
}

#[test]
#[serial]
fn destdir_prefix_and_libdir_are_kept_and_uninstall_leaves_nothing() {
    let destination = tempfile::tempdir().expect("a directory");
    let (prefix, libdir) = ("/opt/xmprt-0.1", "lib/x86_64-linux-gnu");
    let options = ["--prefix", prefix, "--libdir", libdir, "--no-apt", "--no-mpi"];
    let printed = succeed(destination.path(), &[&["install"][..], &options].concat());
    for part in ["Next:", "xmprun -n 4 ./hello", "export PATH=", "--no-mpi"] {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    let place = destination.path().join("opt/xmprt-0.1");
    let top: Vec<_> = fs::read_dir(destination.path()).expect("a directory").collect();
    assert_eq!(top.len(), 1, "{top:?}");
    let listed = fs::read_to_string(place.join("share/xmprt/manifest")).expect("the manifest");
    let listed: BTreeSet<PathBuf> =
        listed.lines().filter(|line| !line.ends_with('/')).map(PathBuf::from).collect();
    assert_eq!(listed, files(&place));
    assert!(place.join(libdir).join("libxmprt.so.0").exists());
    assert!(!place.join("lib/libxmprt.so").exists());

    // It works where it is, with that directory of libraries.
    let hello = workspace().join("examples/fortran/hello.f90");
    let (wrapped, plain) = (destination.path().join("wrapped"), destination.path().join("plain"));
    output_of(place.join("bin/xmpfc"), [hello.as_path(), "-o".as_ref(), &wrapped]);
    let flags = Command::new("pkg-config")
        .args(["--libs", "xmprt"])
        .env("PKG_CONFIG_PATH", place.join(libdir).join("pkgconfig"))
        .output()
        .expect("pkg-config");
    let flags = String::from_utf8(flags.stdout).expect("a text");
    let link = format!("{} -fcoarray=lib \"$1\" -o \"$2\" {flags}", toolchain().fortran());
    let link = ["-c", &link, "sh", hello.to_str().expect("UTF-8"), plain.to_str().expect("UTF-8")];
    output_of("sh", link);
    for program in [wrapped, plain] {
        let libraries = output_of("ldd", [&program]);
        let place = place.to_str().expect("UTF-8");
        assert!(libraries.contains(place), "{libraries}");
        Run::new(program).images(2).finish().succeeded();
    }

    // What others have put there stays.
    fs::write(place.join("bin/other"), "").expect("a file");
    succeed(destination.path(), &["uninstall", "--prefix", prefix]);
    assert_eq!(files(&place), BTreeSet::from([PathBuf::from("bin/other")]));
    let again = x(destination.path(), &["uninstall", "--prefix", prefix]);
    assert!(!again.status.success());
    assert!(String::from_utf8_lossy(&again.stderr).contains("nothing to uninstall"));
}

#[test]
#[serial]
fn installing_again_removes_obsolete_files() {
    let destination = tempfile::tempdir().expect("a directory");
    let install = ["install", "--prefix=/usr", "--no-apt", "--no-mpi"];
    succeed(destination.path(), &install);
    let prefix = destination.path().join("usr");
    let manifest = prefix.join("share/xmprt/manifest");
    let before = fs::read_to_string(&manifest).expect("the manifest");
    let plugin = "lib/xmprt/libxmprt_mpi_old.so";
    fs::write(prefix.join(plugin), "").expect("a file");
    fs::write(&manifest, format!("{before}{plugin}\n")).expect("the manifest");
    succeed(destination.path(), &[&install[..], &["--libdir=lib64"]].concat());
    assert!(!prefix.join("lib").join("xmprt").join("libxmprt_mpi_old.so").exists());
    assert!(!prefix.join("lib/libxmprt.so").exists() && prefix.join("lib64/libxmprt.so").exists());
    succeed(destination.path(), &["uninstall", "--prefix", "/usr"]);
    assert!(!prefix.join("bin").exists(), "{:?}", files(&prefix));
}

#[test]
#[serial]
fn an_installation_that_cannot_be_copied_is_not_reported_as_one() {
    let destination = tempfile::tempdir().expect("a directory");
    let place = destination.path().join("opt/xmprt");
    fs::create_dir_all(&place).expect("a directory");
    fs::write(place.join("include"), "a file where a directory belongs").expect("a file");
    let output =
        x(destination.path(), &["install", "--prefix", "/opt/xmprt", "--no-apt", "--no-mpi"]);
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("a text"));
    let text = text.concat();
    assert!(!output.status.success() && !text.contains("Next:"), "{text}");
    assert!(text.contains("opt/xmprt/include"), "{text}");
}

#[test]
fn a_manifest_that_leads_out_of_the_prefix_is_refused() {
    let destination = tempfile::tempdir().expect("a directory");
    let prefix = destination.path().join("usr");
    fs::create_dir_all(prefix.join("share/xmprt")).expect("a directory");
    let precious = destination.path().join("precious");
    fs::write(&precious, "").expect("a file");
    for line in ["../precious", "share/../../precious", precious.to_str().expect("UTF-8")] {
        fs::write(prefix.join("share/xmprt/manifest"), format!("{line}\n")).expect("a file");
        let output = x(destination.path(), &["uninstall", "--prefix=/usr"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains("damaged"), "{text}");
        assert!(precious.exists());
    }
}

#[test]
fn options_that_cannot_be_used_are_named() {
    let nowhere = tempfile::tempdir().expect("a directory");
    for (arguments, word) in [
        (&["install", "--prefix"][..], "--prefix needs a directory"),
        (&["install", "--libdir="], "--libdir needs a directory"),
        (
            &["install", "--prefix=/opt/xmprt", "--libdir=/opt/lib"],
            "not a directory within the prefix",
        ),
        (&["install", "--libdir=../lib"], "not a directory within the prefix"),
        (&["install", "--noapt"], "unknown argument '--noapt'"),
        (&["uninstall", "--libdir", "lib"], "unknown argument '--libdir'"),
    ] {
        let output = x(nowhere.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(word), "{arguments:?}: {text}");
    }
}

#[test]
fn a_plug_in_that_cannot_be_built_is_reported_last_and_in_the_status() {
    let broken = "cargo_release() { return 1; }; build_plugin() { return 1; }";
    let mpi = "mpi_compilers() { echo openmpi libmpi.so.40 mpicc.broken; }; usable_libclang() { echo /lib/libclang.so; }";
    let output = in_x(&format!("{broken}; {mpi}; build_plugins; report_installation"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let last: Vec<&str> = text.lines().rev().take(2).collect();
    assert!(last[1].starts_with("NOT INSTALLED: the plug-in for openmpi"), "{text}");

    let none = "usable_libclang() { return 1; }";
    let output = in_x(&format!("{mpi}; {none}; build_plugins; report_installation"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("NOT INSTALLED") && text.contains("libclang-dev"), "{text}");

    let output = in_x("with_mpi=0; report_installation");
    assert!(output.status.success());
}

#[test]
fn without_apt_a_missing_package_is_an_error() {
    let apt = "apt_install() { echo apt was called; }; as_root() { echo apt was called; }";
    let missing = "have() { [[ $1 != hwloc ]]; }; can_build_hwloc() { false; }";
    let output = in_x(&format!("{apt}; {missing}; forbid_apt; require_packages"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(text.contains("--no-apt") && text.contains("libhwloc-dev"), "{text}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("apt was called"));
    // When nothing is missing apt is not asked for anything either.
    let output = in_x(&format!("{apt}; have() {{ true; }}; require_packages"));
    assert!(output.status.success());
    assert!(!String::from_utf8_lossy(&output.stdout).contains("apt was called"));
}

#[test]
fn a_python_tool_that_was_just_installed_is_found_by_the_same_shell() {
    let directory = tempfile::tempdir().expect("a directory");
    // Succeeds with the Python of a virtual environment only. pip is there, so that nothing is fetched.
    let probe =
        "in_environment() { python3 -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'; }";
    let target = directory.path().display();
    let output = in_x(&format!(
        "{probe}; target={target}; forbid_apt; \
         get_venv || {{ echo no venv; exit; }}; get_from_pypi in_environment pip"
    ));
    if String::from_utf8_lossy(&output.stdout).contains("no venv") {
        skipped(Requirement::Venv, "python3 has no venv (Debian package python3-venv)");
        return;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn no_path_of_the_machine_is_in_what_is_installed() {
    names_no_path_of_this_machine(toolchain().prefix());
}

#[test]
fn the_licences_of_all_linked_packages_are_installed() {
    let documents = toolchain().prefix().join("share/doc/xmprt");
    for name in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
        assert!(documents.join(name).exists(), "{name}");
    }
    let notices = fs::read_to_string(documents.join("THIRD-PARTY")).expect("THIRD-PARTY");
    let tree = output_of(
        env!("CARGO"),
        ["tree", "--locked", "-e", "normal,no-proc-macro", "-p", "xmp-ffi", "-p", "xmprun"]
            .into_iter()
            .chain(["--prefix", "none", "--format", "{p} {l}"]),
    );
    let mut checked = 0;
    for line in tree.lines().filter(|line| !line.contains('(') && !line.trim().is_empty()) {
        let mut words = line.split(' ');
        let (name, version) = (words.next().expect("a name"), words.next().expect("a version"));
        let heading = format!("\n{name} {}: ", version.trim_start_matches('v'));
        assert!(notices.contains(&heading), "{heading}");
        checked += 1;
    }
    assert!(checked > 10, "{tree}");
}
