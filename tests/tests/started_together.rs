//! Processes that a launcher has started together: one job, or an error, or a warning; never as many jobs in silence.

use serial_test::serial;
use std::path::PathBuf;
use std::process::Command;
use xmp_hosts::{Flavour, Mpirun, skipped};
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run};

/// What launchers of several processes leave in the environment of the first one, and their name in messages.
const MARKS: [(&str, &[(&str, &str)]); 7] = [
    ("srun", &[("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "0")]),
    ("PALS", &[("PMI_RANK", "0"), ("PMI_SIZE", "4"), ("PALS_RANKID", "0")]),
    ("a launcher with PMI", &[("PMI_RANK", "0"), ("PMI_SIZE", "4")]),
    ("MVAPICH", &[("MV2_COMM_WORLD_SIZE", "4"), ("MV2_COMM_WORLD_RANK", "0")]),
    ("jsrun", &[("JSM_NAMESPACE_SIZE", "4"), ("JSM_NAMESPACE_RANK", "0")]),
    ("flux", &[("FLUX_JOB_SIZE", "4"), ("FLUX_TASK_RANK", "0")]),
    ("aprun", &[("ALPS_APP_PE", "1")]),
];

/// A program that needs no other images.
fn program() -> PathBuf {
    Program::fortran("sync/sync_all").build()
}

fn with(environment: &[(&str, &str)]) -> Run {
    environment.iter().fold(Run::new(program()), |run, (name, value)| run.env(*name, *value))
}

/// The program is refused, with a remedy that makes one job.
fn is_refused(outcome: &Outcome, launcher: &str) {
    outcome.exited_with(2).stdout_is("").stderr_line_with(&["xmp:", launcher]);
    assert!(!outcome.stderr.contains("XMP_TRANSPORT=shm"), "{}", outcome.stderr);
}

#[test]
#[serial]
fn processes_that_were_started_together_and_cannot_join_are_an_error() {
    let empty = tempfile::tempdir().expect("a directory");
    for (launcher, environment) in MARKS {
        let run = || with(environment);
        let outcome = run().env("XMP_PLUGIN_DIR", empty.path()).finish();
        is_refused(&outcome, launcher);
        if launcher == "srun" {
            outcome.stderr_line_with(&["--mpi=pmi2", "--mpi=pmix"]);
        }
        // MPI knows of one process, for it has not started the others. (Open MPI starts a daemon then, which outlives it.)
        let is_mpich = |mpirun: &Mpirun| mpirun.flavour() == Flavour::Mpich;
        if mpis_with_plugin().iter().any(is_mpich) && launcher != "jsrun" {
            is_refused(&run().env("XMP_TRANSPORT", "mpich").finish(), launcher);
        }
        let outcome = run().env("XMP_TRANSPORT", "shm").finish();
        is_refused(&outcome, launcher);
        let count = if launcher == "aprun" { "several processes" } else { "4 processes" };
        outcome.stderr_line_with(&[count, "Unset it", "xmprun -q -n 1"]);
    }
}

#[test]
#[serial]
fn a_task_alone_needs_no_mpi() {
    let empty = tempfile::tempdir().expect("a directory");
    let one: &[(&str, &str)] =
        &[("PMIX_RANK", "0"), ("SLURM_STEP_ID", "0"), ("SLURM_STEP_NUM_TASKS", "1")];
    with(one).finish().succeeded().silent();
    with(one).env("XMP_PLUGIN_DIR", empty.path()).finish().succeeded().silent();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(program()).mpirun(&mpirun).images(1);
        run.env("XMP_PLUGIN_DIR", empty.path()).finish().succeeded().stdout_is("");
    }
}

/// `aprun` tells its processes no more than their numbers: the first of them may have others, or be alone.
#[test]
#[serial]
fn the_first_process_of_aprun_is_refused_without_mpi_unless_the_user_says_that_it_is_alone() {
    let empty = tempfile::tempdir().expect("a directory");
    let first = || with(&[("ALPS_APP_PE", "0")]).env("XMP_PLUGIN_DIR", empty.path());
    let refused = first().finish();
    refused.exited_with(2).stdout_is("").stderr_line_with(&["aprun", "XMP_TRANSPORT=shm"]);
    first().env("XMP_TRANSPORT", "shm").finish().succeeded().silent();
    // MPI knows how many there are.
    if mpis_with_plugin().iter().any(|mpirun| mpirun.flavour() == Flavour::Mpich) {
        with(&[("ALPS_APP_PE", "0")]).finish().succeeded().stdout_is("");
    }
}

#[test]
#[serial]
fn xmprun_that_was_started_several_times_says_so_once() {
    let arguments = ["-n", "2"].map(PathBuf::from).into_iter().chain([program()]);
    let arguments: Vec<PathBuf> = arguments.collect();
    for mpirun in mpis_with_plugin() {
        let run = || Run::new(toolchain().xmprun()).mpirun(&mpirun).images(3);
        let outcome = run().args(&arguments).finish();
        outcome.succeeded().stderr_line_with(&["warning", "xmprun 3 times", "3 jobs", "2 images"]);
        assert_eq!(outcome.stderr.matches("xmp: warning").count(), 1, "{}", outcome.stderr);
        run().args(["-q"]).args(&arguments).finish().succeeded().stderr_without("warning");
        // One alone is one job.
        let run = Run::new(toolchain().xmprun()).mpirun(&mpirun).images(1);
        run.args(&arguments).finish().succeeded().stderr_without("warning");
    }
}

#[test]
#[serial]
fn a_program_that_calls_mpi_under_xmprun_is_warned() {
    for mpirun in mpis_with_plugin() {
        let Some(program) = Program::fortran("mpi/mixed").with_mpi(mpirun.flavour()) else {
            let flavour = mpirun.flavour();
            let text = format_args!("no compiler of MPI for {}", flavour.suffix());
            skipped(flavour.requirement(), text);
            continue;
        };
        // Not what MPI makes of it.
        let outcome = Run::new(program.build()).images(2).finish();
        outcome.stderr_line_with(&["warning: MPI_Init", "rank 0 of 1", "mpirun"]);
        assert_eq!(outcome.stderr.matches("warning: MPI_Init").count(), 1, "{}", outcome.stderr);
    }
}

/// A library before MPI divides by zero while MPI starts.
#[test]
#[serial]
fn stop_reports_no_exception_of_mpi() {
    let place = tempfile::tempdir().expect("a directory");
    let (source, library) = (place.path().join("divides.c"), place.path().join("libdivides.so"));
    let text = "int MPI_Get_version(int *version, int *subversion)\n\
                { volatile double zero = 0, infinite = 1 / zero; *version = 3; *subversion = infinite > 0; return 0; }";
    std::fs::write(&source, text).expect("it can be written");
    let mut cc = Command::new("cc");
    let built = cc.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(built.expect("a C compiler").success());
    let program = Program::fortran("control/ends").with("victim").build();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun(&mpirun).images(2).args(["stop-7", "0"]);
        let outcome = run.env("LD_PRELOAD", &library).finish();
        outcome.exited_with(7).stderr_line_with(&["STOP 7"]).stderr_without("IEEE_");
    }
}
