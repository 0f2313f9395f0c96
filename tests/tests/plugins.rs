//! The choice of an MPI plug-in where several are installed, and the lines of `xmprun --info` about them.

use serial_test::serial;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use xmp_hosts::Mpirun;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Program, Run};

/// The soname of an MPI library that no machine has.
const ABSENT: &str = "libabsent.so.1";

/// The plug-in that is installed for the MPI of a launcher.
fn installed(mpirun: &Mpirun) -> PathBuf {
    mpirun.flavour().plugins_in(&toolchain().plugins()).remove(0)
}

/// The name that a plug-in for this kind of MPI and an MPI library of this soname has.
fn name(mpirun: &Mpirun, soname: &str) -> String {
    format!("libxmprt_mpi_{}_{soname}.so", mpirun.flavour().suffix())
}

/// Makes `output` of C source, with options of the compiler.
fn compile(source: &str, output: &Path, options: &[&str]) {
    let file = output.with_extension("c");
    std::fs::write(&file, source).expect("it can be written");
    let mut cc = Command::new("cc");
    let cc = cc.args(["-shared", "-fPIC", "-o"]).arg(output).arg(&file).args(options);
    assert!(cc.status().expect("a C compiler is there").success());
}

/// Two directories: the first has the installed plug-in, and one that is none but needs an MPI library of another
/// soname. The second has that library.
fn with_plugin_for_absent_mpi(mpirun: &Mpirun) -> (TempDir, TempDir) {
    let place = tempfile::tempdir().expect("temporary files are possible");
    let site = tempfile::tempdir().expect("temporary files are possible");
    let real = installed(mpirun);
    std::fs::copy(&real, place.path().join(real.file_name().expect("it has a name")))
        .expect("it can be copied");
    let library = site.path().join(ABSENT);
    compile("void absent(void) {}", &library, &["-Wl,-soname,libabsent.so.1"]);
    let source = "void absent(void); void plugin(void) { absent(); }";
    let library = library.to_str().expect("it is text");
    compile(source, &place.path().join(name(mpirun, ABSENT)), &[library]);
    (place, site)
}

/// A program that needs other images, with the plug-ins of a directory.
fn run(mpirun: &Mpirun, program: &Path, plugins: &Path) -> Run {
    Run::new(program).mpirun(mpirun).images(2).env("XMP_PLUGIN_DIR", plugins)
}

#[test]
#[serial]
fn a_plugin_whose_mpi_cannot_be_loaded_is_not_chosen() {
    let program = Program::fortran("sync/sync_all").build();
    for mpirun in mpis_with_plugin() {
        let (place, _) = with_plugin_for_absent_mpi(&mpirun);
        run(&mpirun, &program, place.path()).finish().succeeded().stdout_is("");
    }
}

/// Packages have plug-ins for MPIs that a machine lacks.
#[test]
#[serial]
fn where_no_plugin_finds_its_mpi_the_process_manager_joins_the_images() {
    let program = Program::fortran("sync/sync_all").build();
    for mpirun in mpis_with_plugin() {
        let (place, _) = with_plugin_for_absent_mpi(&mpirun);
        let real = installed(&mpirun);
        std::fs::remove_file(place.path().join(real.file_name().expect("a name"))).expect("a file");
        let run = || run(&mpirun, &program, place.path());
        let outcome = run().env("XMP_LOG", "info").finish();
        outcome.succeeded().stderr_line_with(&["process manager (PMI", "finds its library"]);
        // With XMP_TRANSPORT=openmpi or mpich the error has the reason.
        let outcome = run().env("XMP_TRANSPORT", mpirun.flavour().suffix()).finish();
        outcome.exited_with(2).stderr_line_with(&[ABSENT, "LD_LIBRARY_PATH"]);
    }
}

#[test]
#[serial]
fn the_library_path_chooses_between_mpis_of_a_kind() {
    let program = Program::fortran("sync/sync_all").build();
    for mpirun in mpis_with_plugin() {
        let (place, site) = with_plugin_for_absent_mpi(&mpirun);
        let run = run(&mpirun, &program, place.path()).env("LD_LIBRARY_PATH", site.path());
        let outcome = run.finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        // It has chosen the other, which is none.
        outcome.stderr_line_with(&["xmp:", &name(&mpirun, ABSENT), "no function"]);
    }
}

#[test]
#[serial]
fn two_plugins_that_can_be_loaded_are_named() {
    let program = Program::fortran("sync/sync_all").build();
    for mpirun in mpis_with_plugin() {
        let (place, _) = with_plugin_for_absent_mpi(&mpirun);
        std::fs::copy(installed(&mpirun), place.path().join(name(&mpirun, ABSENT)))
            .expect("it can be copied");
        let outcome = run(&mpirun, &program, place.path()).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.stderr_line_with(&["xmp:", "libabsent.so.1 and libmpi", "LD_LIBRARY_PATH"]);
        // A program that is linked with MPI chooses by that.
        let Some(mixed) = Program::c("mpi_mixed").with_mpi(mpirun.flavour()) else { continue };
        let run = run(&mpirun, &mixed.build(), place.path());
        run.args(["before"]).finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn a_program_with_an_mpi_without_plugin_is_refused() {
    for mpirun in mpis_with_plugin() {
        let (place, _) = with_plugin_for_absent_mpi(&mpirun);
        let real = installed(&mpirun);
        std::fs::remove_file(place.path().join(real.file_name().expect("it has a name")))
            .expect("it can be removed");
        let Some(mixed) = Program::c("mpi_mixed").with_mpi(mpirun.flavour()) else { continue };
        let outcome = run(&mpirun, &mixed.build(), place.path()).args(["after"]).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.stderr_line_with(&["xmp:", "is linked with the MPI library", "libmpi", ABSENT]);
    }
}

#[test]
#[serial]
fn info_lists_the_plugins_and_whether_their_mpi_is_there() {
    for mpirun in mpis_with_plugin() {
        let (place, _) = with_plugin_for_absent_mpi(&mpirun);
        let mut xmprun = Command::new(toolchain().xmprun());
        let xmprun = xmprun.arg("--info").env("XMP_PLUGIN_DIR", place.path());
        let output = xmprun.output().expect("xmprun can be started");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        let (_, plugins) = text.split_once("MPI plug-ins").expect("there is such a section");
        let real = installed(&mpirun);
        let file = real.file_name().and_then(|name| name.to_str()).expect("it is text");
        let line_after = |name: &str| {
            let mut lines = plugins.lines();
            lines.by_ref().find(|line| line.ends_with(name)).unwrap_or_else(|| panic!("{text}"));
            lines.next().unwrap_or_default()
        };
        assert!(
            line_after(file).contains(": Open MPI v") || line_after(file).contains(": MPICH "),
            "{text}"
        );
        let absent = line_after(&name(&mpirun, ABSENT));
        assert!(absent.contains("cannot be used: ") && absent.contains(ABSENT), "{text}");
    }
}

#[test]
#[serial]
fn info_says_where_plugins_were_sought_when_there_are_none() {
    let place = tempfile::tempdir().expect("temporary files are possible");
    let mut xmprun = Command::new(toolchain().xmprun());
    let xmprun = xmprun.arg("--info").env("XMP_PLUGIN_DIR", place.path());
    let output = xmprun.output().expect("xmprun can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, plugins) = text.split_once("MPI plug-ins").expect("there is such a section");
    assert!(
        plugins.contains("none") && plugins.contains(&*place.path().to_string_lossy()),
        "{text}"
    );
}
