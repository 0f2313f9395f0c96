//! Jobs without an MPI library: the processes meet by the launcher's process manager. MPICH's launcher speaks PMI-1, that of Open MPI
//! PMIx.

use serial_test::serial;
use std::path::PathBuf;
use std::sync::Arc;
use xmp_hosts::{Flavour, Mpirun, Network};
use xmp_tests::hosts::{mpis, mpis_with_plugin, network_for};
use xmp_tests::processes::processors;
use xmp_tests::{Outcome, Program, Run, together};

/// Where images are.
#[derive(Clone, Debug)]
enum Place {
    /// On this machine, as this many hosts.
    Here(u32),
    /// On two hosts that share nothing.
    Apart(Arc<Network>),
}

/// All places of this machine for the jobs of a launcher.
fn places(launcher: &Mpirun) -> Vec<Place> {
    let here = [1, 2].map(Place::Here);
    here.into_iter().chain(network_for(launcher.flavour(), 2).map(Place::Apart)).collect()
}

/// Four images of a program, at this place.
fn run(launcher: &Mpirun, place: &Place, program: &PathBuf) -> Run {
    let run = Run::new(program);
    let run = match place {
        Place::Here(1) => run.mpirun(launcher).images(4),
        Place::Here(hosts) => run.mpirun(launcher).images(4).virtual_hosts(*hosts),
        Place::Apart(network) => run.mpirun_on(launcher, network, &[2, 2]),
    };
    run.env("XMP_TRANSPORT", "sockets")
}

fn ends() -> PathBuf {
    Program::fortran("control/ends").with("victim").build()
}

/// The launchers and places of jobs that run at the same time: all of them.
const TOGETHER: usize = 6;

/// Checks a program under each launcher, at each place of it at the same time.
fn at_all_places(program: &PathBuf, check: impl Fn(Run) + Sync) {
    let pairs = mpis().into_iter().flat_map(|launcher| {
        places(&launcher).into_iter().map(move |place| (launcher.clone(), place))
    });
    together(pairs, TOGETHER, |(launcher, place)| check(run(&launcher, &place, program)));
}

#[test]
#[serial]
fn images_meet_without_a_plug_in() {
    let empty = tempfile::tempdir().expect("a directory");
    let program = Program::fortran("sync/sync_all").build();
    for launcher in mpis() {
        let run = || Run::new(&program).mpirun(&launcher).images(4).env("XMP_LOG", "info");
        let outcome = run().env("XMP_PLUGIN_DIR", empty.path()).finish();
        outcome.succeeded().stdout_is("").stderr_line_with(&["process manager (PMI", "no plug-in"]);
    }
    // With one, MPI joins them unless the user says otherwise.
    for launcher in mpis_with_plugin() {
        let run = Run::new(&program).mpirun(&launcher).images(4).env("XMP_LOG", "info");
        run.finish().succeeded().stderr_without("process manager");
    }
}

/// A launcher that binds nothing leaves it to the images. `srun` has set the variable where it has bound its tasks, or was told not to.
#[test]
#[serial]
fn images_keep_the_processors_that_srun_has_chosen() {
    let all = std::thread::available_parallelism().expect("a number").get();
    let program = Program::fortran("control/processors").build();
    for launcher in mpis().into_iter().filter(|its| its.flavour() == Flavour::Mpich) {
        let run = Run::new(&program).mpirun(&launcher).images(all as u32);
        let run = run.env("XMP_TRANSPORT", "sockets");
        let allowed = |run: Run| -> Vec<usize> {
            let outcome = run.finish();
            outcome.succeeded().stdout.lines().map(processors).collect()
        };
        assert_eq!(allowed(run.clone()), vec![1; all], "one processor each");
        for choice in ["quiet,none,", "quiet,cores,"] {
            assert_eq!(allowed(run.clone().env("SLURM_CPU_BIND", choice)), vec![all; all]);
        }
    }
}

#[test]
#[serial]
fn images_of_several_hosts_exchange_data_by_sockets() {
    for name in ["sync/sync_all", "collectives/co_sum_large"] {
        at_all_places(&Program::fortran(name).build(), |run| {
            run.finish().succeeded();
        });
    }
}

fn statuses(check: impl Fn(&str, Outcome, i32) + Sync) {
    at_all_places(&ends(), |run| {
        for (way, status) in [
            ("end", 0),
            ("stop-7", 7),
            ("stop-quiet", 8),
            ("error-stop-9", 9),
            ("error-stop-text", 1),
            ("exit-0", 0),
            ("exit-11", 11),
            ("run-time-error", 2),
        ] {
            check(way, run.clone().args([way, "0"]).finish(), status);
        }
    });
}

#[test]
#[serial]
fn the_exit_status_is_the_programs() {
    statuses(|way, outcome, status| {
        assert_eq!(outcome.status.code(), Some(status), "{way}: {outcome:?}");
    });
}

#[test]
#[serial]
fn one_image_that_stops_leaves_the_others_alone() {
    at_all_places(&ends(), |run| {
        let others =
            ["image 1 reached the end", "image 2 reached the end", "image 4 reached the end"];
        run.args(["stop-7", "3", "end"]).finish().exited_with(7).stdout_lines(&others);
    });
}

#[test]
#[serial]
fn error_stop_of_any_image_ends_the_others_whatever_they_do() {
    at_all_places(&ends(), |run| {
        for image in ["1", "2", "3"] {
            for busy in ["sync-all", "event", "co-sum", "compute", "sleep"] {
                let run = run.clone().env("XMP_KILL_GRACE", "300");
                let outcome = run.args(["error-stop-9", image, busy]).finish();
                outcome.exited_with(9).stderr_line_with(&["ERROR STOP 9"]);
                outcome.stderr_without("xmp:");
            }
        }
    });
}

#[test]
#[serial]
fn the_death_of_any_image_ends_the_others_and_is_reported() {
    at_all_places(&ends(), |run| {
        for image in ["1", "2", "4"] {
            for busy in ["sync-all", "compute"] {
                let run = run.clone().env("XMP_KILL_GRACE", "300").env("XMP_FAILURE_GRACE", "300");
                let outcome = run.args(["kill", image, busy]).finish();
                assert!(!outcome.status.success(), "{outcome:?}");
                outcome.stderr_line_with(&[&format!("image {image}"), "SIGKILL"]);
            }
        }
    });
}

#[test]
#[serial]
fn another_number_of_images_than_the_launcher_has_started_is_an_error() {
    let program = Program::fortran("sync/sync_all").build();
    for launcher in mpis() {
        let outcome = run(&launcher, &Place::Here(1), &program).env("XMP_NUM_IMAGES", "3").finish();
        outcome.stdout_is("").stderr_line_with(&["XMP_NUM_IMAGES", "3 images", "4 processes"]);
        assert!(!outcome.status.success(), "{outcome:?}");
    }
}

/// It would take the place of the image at the process manager.
#[test]
#[serial]
fn a_program_that_an_image_starts_is_alone() {
    let program = Program::fortran("control/starts_itself").build();
    for launcher in mpis() {
        run(&launcher, &Place::Here(1), &program).finish().succeeded();
    }
}
