//! The files of an installation, and the compiler wrappers, which work wherever the installation is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xmp_hosts::{Requirement, skipped};
use xmp_tests::Run;
use xmp_tests::program::fortran_source;
use xmp_tests::toolchain::{output_of, toolchain};

/// Runs a wrapper with arguments in a directory.
fn run_in(directory: &Path, wrapper: &Path, arguments: &[&str]) -> Output {
    Command::new(wrapper)
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", wrapper.display()))
}

/// Copies the installation to a place whose name has a space, a quote and a comma.
fn moved_installation(directory: &Path) -> PathBuf {
    let moved = directory.join("it's here, moved");
    output_of("cp", [Path::new("-a"), toolchain().prefix(), &moved]);
    moved
}

/// The arguments that compile a program that checks itself.
fn sources() -> [String; 2] {
    ["support/checks", "transfers/saved_coarrays"]
        .map(|name| fortran_source(name).to_str().expect("a path in UTF-8").to_owned())
}

#[test]
fn functions_that_every_program_executes_at_its_start_are_adjacent() {
    let library = toolchain().prefix().join("lib/libxmprt.so");
    let number = |text: &str| u64::from_str_radix(text, 16).expect("a hexadecimal number");
    let sections = output_of("readelf", [Path::new("-SW"), &library]);
    // Name, type, address, offset, size.
    let section: Vec<&str> = sections
        .lines()
        .filter_map(|line| Some(line.split_once(']')?.1.split_whitespace().collect::<Vec<_>>()))
        .find(|fields| fields.first() == Some(&".text.start"))
        .expect("the section that the layout names");
    let start = number(section[2]);
    let end = start + number(section[4]);
    let symbols = output_of("nm", [Path::new("-D"), Path::new("--defined-only"), &library]);
    for name in ["_gfortran_caf_init", "_gfortran_caf_register", "_gfortran_caf_finalize"] {
        let line = symbols.lines().find(|line| line.ends_with(&format!(" {name}")));
        let address = number(line.expect(name).split_whitespace().next().expect("an address"));
        assert!((start..end).contains(&address), "{name}: {address:x} of {start:x}-{end:x}");
    }
}

/// Programs read the library's file when they report an error.
#[test]
fn debugging_information_lies_apart_where_debuggers_find_it() {
    let libraries = toolchain().prefix().join("lib");
    let version = libraries.join("libxmprt.so").canonicalize().unwrap();
    for library in [version, libraries.join("xmprt/libxmprt_trace.so")] {
        let sections = |file: &Path| output_of("readelf", [Path::new("-SW"), file]);
        let installed = sections(&library);
        assert!(!installed.contains(".debug_info") && installed.contains(".gnu_debuglink"));
        let name = format!("{}.debug", library.file_name().unwrap().display());
        let apart = library.with_file_name(".debug").join(&name);
        assert!(sections(&apart).contains(".debug_line"), "{}", apart.display());
        let link = output_of("readelf", [Path::new("-p.gnu_debuglink"), &library]);
        assert!(link.contains(&name), "{link}");
    }
    for command in ["bin/xmprun", "lib/xmprt/xmp-translate", "lib/libxmprt.a"] {
        let command = toolchain().prefix().join(command);
        let sections = output_of("readelf", [Path::new("-SW"), &command]);
        assert!(!sections.contains(".debug_info"), "{}", command.display());
    }
}

/// The files of an installation without those of `--with-omni`, and their sizes, the largest ones first.
fn files() -> Vec<(u64, PathBuf)> {
    let mut pending = vec![toolchain().prefix().to_owned()];
    let mut found = Vec::new();
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).expect("a directory").map(Result::unwrap) {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let is_of_omni = |name: &str| name == "omni" || name.starts_with("libxmprt_omni.");
            if is_of_omni(&entry.file_name().to_string_lossy()) {
                continue;
            }
            if kind.is_dir() {
                pending.push(path);
            } else if kind.is_file() {
                found.push((entry.metadata().unwrap().len(), path));
            }
        }
    }
    found.sort();
    found.reverse();
    found
}

#[test]
fn an_installation_has_at_most_40_megabytes() {
    const MAX_BYTES: u64 = 40_000_000;
    if !toolchain().is_optimised() {
        return skipped(Requirement::Optimised, "the crates of the installation are apart");
    }
    let files = files();
    let bytes: u64 = files.iter().map(|(bytes, _)| bytes).sum();
    assert!(
        bytes <= MAX_BYTES,
        "{bytes} bytes, of which the largest files are {:#?}",
        &files[..12]
    );
}

#[test]
fn the_shared_library_has_a_soname_and_needs_only_the_system() {
    let library = toolchain().prefix().join("lib/libxmprt.so");
    let dynamic = output_of("readelf", [Path::new("-d"), &library]);
    let values = |tag: &str| -> Vec<String> {
        dynamic
            .lines()
            .filter(|line| line.contains(tag))
            .filter_map(|line| Some(line.split_once('[')?.1.trim_end_matches(']').to_owned()))
            .collect()
    };
    assert_eq!(values("(SONAME)"), ["libxmprt.so.0"]);
    for needed in values("(NEEDED)") {
        let system = ["libc.so", "libgcc_s.so", "libm.so", "ld-linux"];
        assert!(system.iter().any(|name| needed.starts_with(name)), "{needed}");
    }
}

#[test]
fn wrappers_work_where_the_installation_is_moved_and_through_links() {
    let directory = tempfile::tempdir().expect("a directory");
    let moved = moved_installation(directory.path());
    let link = directory.path().join("my-fortran");
    symlink(moved.join("bin/xmpfc"), &link).expect("a link");
    let [checks, program] = sources();
    let compiled = run_in(directory.path(), &link, &[&checks, &program, "-o", "a program"]);
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));

    let executable = directory.path().join("a program");
    let libraries = output_of("ldd", [&executable]);
    assert!(libraries.contains("it's here, moved"), "{libraries}");
    Run::new(executable).images(2).finish().succeeded().silent();
}

#[test]
fn a_whole_program_can_be_static() {
    let directory = tempfile::tempdir().expect("a directory");
    let [checks, program] = sources();
    let arguments = ["-static", &checks, &program, "-o", "program"];
    let compiled = run_in(directory.path(), &toolchain().xmpfc(), &arguments);
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    for images in [1, 3] {
        Run::new(directory.path().join("program")).images(images).finish().succeeded().silent();
    }
}

#[test]
fn link_flags_are_added_only_when_something_is_linked() {
    let here = Path::new(".");
    let show = |arguments: &[&str]| {
        let arguments = [&["--show"], arguments].concat();
        let output = run_in(here, &toolchain().xmpfc(), &arguments);
        String::from_utf8(output.stdout).expect("a text")
    };
    for arguments in [
        &["-c", "a.f90"][..],
        &["-S", "a.f90"],
        &["-E", "a.F90"],
        &["-fsyntax-only", "a.f90"],
        &["-v"],
        &["-print-file-name=libgfortran.so"],
    ] {
        let command = show(arguments);
        assert!(!command.contains("xmp"), "{command}");
    }
    for arguments in [&["a.f90"][..], &["a.o", "-Xlinker", "-E"], &["a.o", "-o", "-c"]] {
        let command = show(arguments);
        assert!(command.trim_end().ends_with("-lxmprt"), "{command}");
    }
    let command = show(&["-static-xmp", "a.o"]);
    assert!(command.contains("/lib/libxmprt.a") && !command.contains("-static-xmp"), "{command}");
}

#[test]
fn a_compiler_that_does_not_exist_is_named() {
    for (wrapper, variable) in [(toolchain().xmpfc(), "XMP_FC"), (toolchain().xmpcc(), "XMP_CC")] {
        let output = Command::new(&wrapper)
            .arg("a.f90")
            .env(variable, "no-such-compiler")
            .output()
            .expect("the wrapper runs");
        assert_eq!(output.status.code(), Some(127));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("no-such-compiler") && message.contains(variable), "{message}");
    }
}

#[test]
fn versions_and_help_are_printed() {
    for wrapper in [toolchain().xmpfc(), toolchain().xmpcc()] {
        let version = output_of(&wrapper, ["--version"]);
        assert!(version.contains(env!("CARGO_PKG_VERSION")) && version.lines().count() > 1);
        assert!(output_of(&wrapper, ["--help"]).contains("-static-xmp"));
    }
    let asked = Command::new("pkg-config")
        .args(["--modversion", "xmprt"])
        .env("PKG_CONFIG_PATH", toolchain().pkg_config_dir())
        .output()
        .expect("pkg-config runs");
    assert_eq!(String::from_utf8_lossy(&asked.stdout).trim(), env!("CARGO_PKG_VERSION"));
}
