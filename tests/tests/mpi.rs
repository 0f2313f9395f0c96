//! The same programs under the launchers of MPI, on this machine: nothing is linked anew.

use serial_test::serial;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use xmp_hosts::Mpirun;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Program, Run};

/// A job of MPI ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);

/// One program of each chapter, the one that does most.
const CHAPTERS: &[&str] = &[
    "transfers/put_array",
    "sync/sync_mixed",
    "atomics/add",
    "locks/lock_counter",
    "events/producer_consumer",
    "collectives/mixed",
    "allocation/basics",
    "components/chains",
    "intrinsics/images",
    "teams/nested",
];

#[test]
#[serial]
fn one_binary_runs_under_every_launcher() {
    for name in CHAPTERS {
        let program = Program::fortran(name).build();
        Run::new(&program).images(4).finish().succeeded().silent();
        for mpirun in mpis_with_plugin() {
            let run = Run::new(&program).mpirun(&mpirun).images(4);
            run.finish().succeeded().stdout_is("");
        }
    }
}

#[test]
#[serial]
fn images_of_mpi_can_be_on_virtual_hosts() {
    for name in ["transfers/strides", "collectives/mixed", "teams/nested"] {
        let program = Program::fortran(name).build();
        for mpirun in mpis_with_plugin() {
            let run = Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(2);
            run.finish().succeeded().stdout_is("");
        }
    }
}

#[test]
#[serial]
fn one_image_is_a_job_too() {
    let program = Program::fortran("sync/sync_all").build();
    for mpirun in mpis_with_plugin() {
        Run::new(&program).mpirun(&mpirun).images(1).finish().succeeded().stdout_is("");
    }
}

/// A small program that needs other images.
fn anything() -> PathBuf {
    Program::fortran("sync/sync_all").build()
}

/// What a job of two images under a launcher says, with these settings, when it cannot be.
fn refused(mpirun: &Mpirun, settings: &[(&str, &str)], words: &[&str]) {
    let run = Run::new(anything()).mpirun(mpirun).images(2);
    let run = settings.iter().fold(run, |run, (name, value)| run.env(*name, *value));
    let outcome = run.finish();
    outcome.within(SOON).stderr_line_with(&[&["xmp:"], words].concat());
    assert!(!outcome.status.success(), "{outcome:?}");
}

#[test]
#[serial]
fn two_launchers_that_contradict_each_other_are_named() {
    for mpirun in mpis_with_plugin() {
        refused(&mpirun, &[("XMP_NUM_IMAGES", "3")], &["XMP_NUM_IMAGES", "3", "2"]);
        // The right number says nothing new.
        let run = Run::new(anything()).mpirun(&mpirun).images(2).env("XMP_NUM_IMAGES", "2");
        run.finish().succeeded();
    }
}

#[test]
#[serial]
fn unknown_settings_are_named_once_a_job() {
    for mpirun in mpis_with_plugin() {
        let run = Run::new(anything()).mpirun(&mpirun).images(3).env("XMP_CEHCK", "1");
        let outcome = run.finish();
        outcome.succeeded();
        let printed = [outcome.stdout, outcome.stderr].concat();
        assert_eq!(
            printed.matches("XMP_CEHCK (nearest setting: XMP_CHECK)").count(),
            1,
            "{printed}"
        );
    }
}

#[test]
#[serial]
fn a_missing_plugin_is_named() {
    let nowhere = tempfile::tempdir().expect("temporary files are possible");
    let place = nowhere.path().to_str().expect("it is text");
    for mpirun in mpis_with_plugin() {
        let file = format!("libxmprt_mpi_{}_*.so", mpirun.flavour().suffix());
        // Without a word of the user's, some launchers can do without.
        let environment = [("XMP_PLUGIN_DIR", place), ("XMP_TRANSPORT", mpirun.flavour().suffix())];
        refused(&mpirun, &environment, &[&file, place]);
    }
}

#[test]
#[serial]
fn a_plugin_for_the_other_mpi_is_detected() {
    let mpis = mpis_with_plugin();
    let [one, other] = &mpis[..] else { return };
    for (mpirun, wrong) in [(one, other), (other, one)] {
        let place = tempfile::tempdir().expect("temporary files are possible");
        let first = |mpirun: &Mpirun| mpirun.flavour().plugins_in(&toolchain().plugins()).remove(0);
        let named = first(mpirun);
        let name = named.file_name().and_then(|name| name.to_str()).expect("it is text");
        std::fs::copy(first(wrong), place.path().join(name)).expect("it can be copied");
        let place = place.path().to_str().expect("it is text");
        refused(mpirun, &[("XMP_PLUGIN_DIR", place)], &[name, "was built with"]);
        refused(mpirun, &[("XMP_TRANSPORT", wrong.flavour().suffix())], &["XMP_TRANSPORT"]);
    }
}

/// A library that says so is in front of the real one.
#[test]
#[serial]
fn an_mpi_that_is_too_old_is_named() {
    let place = tempfile::tempdir().expect("temporary files are possible");
    let (source, library) = (place.path().join("old.c"), place.path().join("libold.so"));
    let text = "int MPI_Get_version(int *v, int *s) { *v = 2; *s = 2; return 0; }";
    std::fs::write(&source, text).expect("it can be written");
    let mut cc = Command::new("cc");
    let built = cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(built.expect("a C compiler").success());
    let library = library.to_str().expect("it is text");
    for mpirun in mpis_with_plugin() {
        refused(&mpirun, &[("LD_PRELOAD", library)], &["MPI 2.2", "3.0 or newer is needed"]);
    }
}

#[test]
#[serial]
fn the_exit_status_is_the_programs() {
    let program = Program::fortran("control/ends").with("victim").build();
    for mpirun in mpis_with_plugin() {
        for (way, status) in [("end", 0), ("error-stop-9", 9)] {
            let run = Run::new(&program).mpirun(&mpirun).images(2).args([way, "0"]);
            run.finish().exited_with(status).within(SOON);
        }
        for busy in ["sync-all", "compute"] {
            let run =
                Run::new(&program).mpirun(&mpirun).images(3).args(["error-stop-9", "3", busy]);
            run.finish().exited_with(9).within(SOON).stderr_line_with(&["ERROR STOP 9"]);
        }
    }
}

#[test]
#[serial]
fn an_image_that_is_killed_ends_the_job_and_is_named() {
    let program = Program::fortran("control/ends").with("victim").build();
    for mpirun in mpis_with_plugin() {
        for busy in ["sync-all", "compute"] {
            let run = Run::new(&program).mpirun(&mpirun).images(3).args(["kill", "2", busy]);
            let outcome = run.finish();
            assert!(!outcome.status.success(), "{outcome:?}");
            outcome.within(SOON).stderr_line_with(&["xmp: image 2 ", "was killed by signal 9"]);
        }
    }
}
