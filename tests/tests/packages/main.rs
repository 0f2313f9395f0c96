//! The packages that `./x package` has made: unpacked, and used. `./x test` builds the packages that it can; the tests
//! of others are skipped.

mod newer_mpis;
mod older_system;

use std::path::{Path, PathBuf};
use std::process::Command;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::Run;
use xmp_tests::hosts::mpis;
use xmp_tests::toolchain::{output_of, target_dir, workspace};
use xmp_tests::tree::{files, names_no_path_of_this_machine};

/// The newest glibc that packages may need: that of RHEL 8.
const GLIBC: (u32, u32) = (2, 28);

/// The plug-ins in packages: the kinds of MPI, and the names of their libraries.
const PLUGINS: [(&str, &str); 4] = [
    ("abi", "libmpi_abi.so.1"),
    ("mpich", "libmpi.so.12"),
    ("mpich", "libmpich.so.12"),
    ("openmpi", "libmpi.so.40"),
];

/// The libraries that binaries in packages may need: those of glibc, and libgcc.
const LIBRARIES: [&str; 7] = [
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
    "librt.so.1",
];

/// A package that was unpacked.
struct Package {
    /// What is removed at the end.
    _directory: tempfile::TempDir,
    /// The files of the package, and nothing else.
    content: PathBuf,
    /// The installation.
    prefix: PathBuf,
    /// Where its libraries are, relative to the prefix.
    libdir: &'static str,
}

/// The file of this version with this name in the directory of packages; `None`, and a message, without it.
fn package_file(name: &str) -> Option<PathBuf> {
    let file = target_dir().join("package").join(name);
    if file.exists() {
        return Some(file);
    }
    let text = format_args!("there is no {}; ./x package makes it", file.display());
    skipped(Requirement::Packages, text);
    None
}

/// Whether a file is a program or a shared library.
fn is_binary(file: &Path) -> bool {
    std::fs::read(file).is_ok_and(|bytes| {
        // The kind is the number at this place: 2 or 3.
        bytes.starts_with(b"\x7fELF") && matches!(bytes.get(16), Some(2 | 3))
    })
}

/// The newest version of glibc that a binary has symbols of, if it has any.
fn newest_glibc(binary: &Path) -> Option<(u32, u32)> {
    let symbols = output_of("objdump", ["-T".as_ref(), binary]);
    let versions = symbols
        .split_whitespace()
        .filter_map(|word| word.trim_matches(['(', ')']).strip_prefix("GLIBC_"))
        .map(|version| {
            let mut numbers = version.split('.').map(|part| part.parse().expect("a number"));
            (numbers.next().expect("a major version"), numbers.next().unwrap_or(0))
        });
    versions.max()
}

/// The name of the tarball, and of the directory in it.
fn tarball_name() -> &'static str {
    concat!("xmprt-", env!("CARGO_PKG_VERSION"), "-linux-x86_64")
}

/// Unpacks the tarball to a directory with a space in its name.
fn tarball() -> Option<Package> {
    let name = tarball_name();
    let file = package_file(&format!("{name}.tar.gz"))?;
    let directory = tempfile::Builder::new().prefix("a space ").tempdir().expect("a directory");
    let arguments = ["-xzf".as_ref(), file.as_path(), "-C".as_ref(), directory.path()];
    output_of("tar", arguments);
    let prefix = directory.path().join(name);
    let content = prefix.clone();
    Some(Package { _directory: directory, content, prefix, libdir: "lib" })
}

/// Unpacks the Debian package to a directory that serves as root.
fn debian_package() -> Option<Package> {
    let file = package_file(concat!("xmprt_", env!("CARGO_PKG_VERSION"), "_amd64.deb"))?;
    let directory = tempfile::tempdir().expect("a directory");
    output_of("dpkg-deb", ["-x".as_ref(), file.as_path(), directory.path()]);
    let prefix = directory.path().join("usr");
    let content = prefix.clone();
    Some(Package { _directory: directory, content, prefix, libdir: "lib/x86_64-linux-gnu" })
}

/// Unpacks the RPM to a directory that serves as root.
fn rpm_package() -> Option<Package> {
    let file = package_file(concat!("xmprt-", env!("CARGO_PKG_VERSION"), "-1.x86_64.rpm"))?;
    let directory = tempfile::tempdir().expect("a directory");
    // The command comes with rpmbuild, which has made the package.
    let unpack = "rpm2archive - <\"$0\" | tar -xz -C \"$1\"";
    output_of("sh", ["-c".as_ref(), unpack.as_ref(), file.as_path(), directory.path()]);
    let prefix = directory.path().join("usr");
    let content = prefix.clone();
    Some(Package { _directory: directory, content, prefix, libdir: "lib64" })
}

/// Installs the wheel with pip into a new virtual environment.
fn wheel() -> Option<Package> {
    let version = env!("CARGO_PKG_VERSION");
    let (major, minor) = GLIBC;
    let file =
        package_file(&format!("xmprt-{version}-py3-none-manylinux_{major}_{minor}_x86_64.whl"))?;
    let probe = Command::new("python3").args(["-c", "import ensurepip"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        skipped(
            Requirement::Venv,
            "python3 has no pip for environments (Debian package python3-venv)",
        );
        return None;
    }
    let directory = tempfile::Builder::new().prefix("a space ").tempdir().expect("a directory");
    let prefix = directory.path().join("venv");
    output_of("python3", ["-m".as_ref(), "venv".as_ref(), prefix.as_path()]);
    let arguments = ["-m", "pip", "install", "--no-index", "--no-cache-dir", "--quiet"];
    let file = file.to_str().expect("UTF-8");
    output_of(prefix.join("bin/python3"), arguments.iter().chain([&file]));
    // The environment itself has files that name the Python of this machine.
    let content = directory.path().join("content");
    let content_name = content.to_str().expect("UTF-8");
    output_of("python3", ["-m", "zipfile", "-e", file, content_name]);
    Some(Package { _directory: directory, content, prefix, libdir: "lib" })
}

impl Package {
    /// Compiles hello with the wrapper of the package, linked with its shared and with its static library, and runs
    /// both with its launcher.
    fn runs_hello(&self) {
        let hello = workspace().join("examples/fortran/hello.f90");
        for (more, shared) in [(&[][..], true), (&["-static-xmp"], false)] {
            let scratch = tempfile::tempdir().expect("a directory");
            let program = scratch.path().join("hello");
            let mut arguments = vec![hello.as_path(), "-o".as_ref(), &program];
            arguments.extend(more.iter().map(Path::new));
            output_of(self.prefix.join("bin/xmpfc"), arguments);
            let libraries = output_of("ldd", [&program]);
            let library = self.prefix.join(self.libdir).join("libxmprt.so.0");
            let library = library.to_str().expect("UTF-8");
            assert_eq!(libraries.contains(library), shared, "{library}: {libraries}");
            assert_eq!(libraries.contains("libxmprt"), shared, "{libraries}");
            for images in [1, 4] {
                let expected: String = (1..=images)
                    .map(|image| format!("hello from image {image} of {images}\n"))
                    .collect();
                let number = images.to_string();
                let run = Run::new(self.prefix.join("bin/xmprun"));
                let program = program.to_str().expect("UTF-8");
                run.args(["-n", &number, program]).finish().succeeded().stdout_is(&expected);
            }
        }
    }

    /// Compiles hello, and runs it under the launcher of each MPI that works here, with the plug-in of the package.
    fn runs_hello_under_each_mpi(&self) {
        let scratch = tempfile::tempdir().expect("a directory");
        let program = scratch.path().join("hello");
        let hello = workspace().join("examples/fortran/hello.f90");
        output_of(
            self.prefix.join("bin/xmpfc"),
            [hello.as_path(), "-o".as_ref(), program.as_path()],
        );
        for mpirun in mpis() {
            let outcome = Run::new(&program).mpirun(&mpirun).images(2).finish();
            outcome.succeeded();
            let mut lines: Vec<&str> = outcome.stdout.lines().collect();
            lines.sort_unstable();
            let expected = [1, 2].map(|image| format!("hello from image {image} of 2"));
            assert_eq!(lines, expected, "{:?}", mpirun.flavour());
        }
    }

    /// The file of a plug-in.
    fn plugin(&self, (flavour, soname): (&str, &str)) -> PathBuf {
        let name = format!("xmprt/libxmprt_mpi_{flavour}_{soname}.so");
        self.prefix.join(self.libdir).join(name)
    }

    /// Its launcher, its shared library and its plug-ins, with the libraries that each needs beside those of glibc and gcc.
    fn binaries(&self) -> Vec<(PathBuf, Option<&'static str>)> {
        let library = self.prefix.join(self.libdir).join("libxmprt.so");
        let mut all = vec![(self.prefix.join("bin/xmprun"), None), (library, None)];
        all.extend(PLUGINS.map(|plugin| (self.plugin(plugin), Some(plugin.1))));
        all
    }

    /// Checks that its binaries need no newer glibc, and nothing that glibc and gcc do not bring but the MPI of a plug-in.
    fn runs_with_an_older_glibc(&self) {
        let mut count = 0;
        for file in files(&self.content) {
            let binary = self.content.join(file);
            // Links are of files that are looked at, too.
            if binary.is_symlink() || !is_binary(&binary) {
                continue;
            }
            let newest = newest_glibc(&binary).expect("symbols of glibc");
            assert!(newest <= GLIBC, "{} needs glibc {newest:?}", binary.display());
            count += 1;
        }
        let binaries = self.binaries();
        // And the translator, the libraries for races and for traces, and the assembler.
        assert!(count > binaries.len() + 2, "{count} binaries");
        for (binary, mpi) in binaries {
            let headers = output_of("objdump", ["-p".as_ref(), binary.as_path()]);
            let needed = headers.lines().filter_map(|line| line.trim().strip_prefix("NEEDED"));
            let others: Vec<&str> =
                needed.map(str::trim).filter(|library| !LIBRARIES.contains(library)).collect();
            assert_eq!(others, Vec::from_iter(mpi), "{}", binary.display());
        }
        // Archives have no versions; these are names that glibc 2.38 has brought.
        let libraries = self.prefix.join(self.libdir);
        for archive in
            files(&libraries).iter().filter(|file| file.extension() == Some("a".as_ref()))
        {
            let symbols = output_of("nm", ["-u".as_ref(), libraries.join(archive).as_path()]);
            assert!(!symbols.contains("__isoc23_"), "{}", archive.display());
        }
    }

    /// Checks that licences and manual pages are there.
    fn has_its_documents(&self) {
        let share = self.prefix.join("share");
        for name in ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "LICENSE-HWLOC", "THIRD-PARTY"] {
            assert!(share.join("doc/xmprt").join(name).is_file(), "{name}");
        }
        for name in ["xmprun", "xmpfc", "xmpcaf", "xmpf90", "xmpcc", "xmpcxx"] {
            assert!(share.join("man/man1").join(format!("{name}.1")).is_file(), "{name}");
        }
    }

    fn check(&self) {
        self.has_its_documents();
        self.runs_with_an_older_glibc();
        names_no_path_of_this_machine(&self.content);
        self.runs_hello();
        self.runs_hello_under_each_mpi();
    }
}

#[test]
fn the_tarball_works_wherever_it_is_unpacked() {
    if let Some(package) = tarball() {
        package.check();
    }
}

#[test]
fn the_wheel_works_in_a_virtual_environment() {
    if let Some(package) = wheel() {
        package.check();
    }
}

#[test]
fn the_debian_package_works() {
    let Some(package) = debian_package() else { return };
    package.check();
    assert!(package.prefix.join("share/doc/xmprt/copyright").is_file());
    let file = package_file(concat!("xmprt_", env!("CARGO_PKG_VERSION"), "_amd64.deb"));
    let file = file.expect("the package that was unpacked");
    let fields = output_of("dpkg-deb", ["-f".as_ref(), file.as_path()]);
    let needs = format!("\nDepends: libc6 (>= {}.{}), libgcc-s1\n", GLIBC.0, GLIBC.1);
    assert!(fields.contains(&needs), "{fields}");
}

#[test]
fn the_rpm_works() {
    let Some(package) = rpm_package() else { return };
    package.check();
    let file = package_file(concat!("xmprt-", env!("CARGO_PKG_VERSION"), "-1.x86_64.rpm"));
    let file = file.expect("the package that was unpacked");
    let query = |what: &str| {
        let arguments = ["-qp".as_ref(), what.as_ref(), file.as_path()];
        output_of("rpm", arguments)
    };
    let requires = query("--requires");
    for line in requires.lines().filter_map(|line| line.strip_prefix("libc.so.6(GLIBC_")) {
        let (version, _) = line.split_once(')').expect("a version");
        let mut numbers = version.split('.').map(|part| part.parse().expect("a number"));
        let version = (numbers.next().expect("a major version"), numbers.next().unwrap_or(0));
        assert!(version <= GLIBC, "{line}");
    }
    assert!(requires.contains("libc.so.6(GLIBC_"), "{requires}");
    assert!(!requires.contains("libmpi"), "every MPI is optional: {requires}");
    // It owns its files and its own directories, no directory of the system.
    let listed = query("--list");
    assert!(listed.lines().any(|path| path == "/usr/share/doc/xmprt"), "{listed}");
    assert!(!listed.lines().any(|path| path == "/usr/bin" || path == "/usr"), "{listed}");
}
