//! Correct programs in which images wait for long are no deadlocks: random programs, more of them at the same time than the
//! machine has cores.
//!
//! `XMP_TEST_CASES=10000` runs more cases than a test run has time for, `XMP_TEST_CASES=120..121` a certain one.

use serial_test::serial;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use xmp_hosts::{Mpirun, Network};
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::{Program, Run, cases, pick, together};

/// Cases of a test run.
const CASES: u64 = 24;
/// Jobs that run at the same time: the images of most of them sleep.
const TOGETHER: usize = 12;
/// A job ends within this time, on a busy machine too.
const SOON: Duration = Duration::from_secs(600);

/// Where the cases run.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// Under `xmprun`.
    Here,
    /// Under the launcher of an MPI, on this machine.
    Mpi(&'a Mpirun),
    /// Under the launcher of an MPI, on two separate hosts.
    Hosts(&'a Mpirun, &'a Arc<Network>),
}

/// Runs a case: a random program of some images on some hosts.
fn runs_to_its_end(program: &PathBuf, case: u64, place: Place<'_>) {
    let images = pick(case, 1, &[2, 3, 4, 5, 6, 8]);
    let hosts = pick(case, 2, &[1, 1, 2, 3, 4, 6]).min(images);
    let run = Run::new(program);
    let run = match place {
        Place::Here => run.images(images).virtual_hosts(hosts),
        Place::Mpi(mpirun) => run.mpirun(mpirun).images(images).virtual_hosts(hosts),
        Place::Hosts(mpirun, network) => {
            run.mpirun_on(mpirun, network, &[images / 2, images - images / 2])
        }
    };
    let run = run
        .limit(SOON)
        .args([1 + 7919 * case, pick(case, 3, &[5, 10, 20])].map(|number| number.to_string()))
        .args([pick(case, 4, &["300", "700", "1500"])]);
    let way = pick(case, 5, &["", "central", "flat", "dissemination", "grouped"]);
    let run = if way.is_empty() { run } else { run.env("XMP_COLL", format!("barrier:{way}")) };
    let outcome = run.finish();
    assert!(!outcome.stderr.contains("deadlock"), "case {case}: {outcome:?}");
    outcome.succeeded().stdout_is("");
}

/// Runs all cases, this many at a time.
fn all_cases_run_to_their_ends(usual: u64, at_a_time: usize, place: Place<'_>) {
    let program = Program::fortran("faults/patient").build();
    together(cases(usual), at_a_time, |case| runs_to_its_end(&program, case, place));
}

#[test]
#[serial]
fn images_that_come_late_are_waited_for() {
    all_cases_run_to_their_ends(CASES, TOGETHER, Place::Here);
}

#[test]
#[serial]
fn images_that_come_late_are_waited_for_under_mpi() {
    for mpirun in mpis_with_plugin() {
        all_cases_run_to_their_ends(CASES / 6, 2, Place::Mpi(&mpirun));
    }
}

#[test]
#[serial]
fn images_that_come_late_are_waited_for_on_separate_hosts() {
    let Some(network) = network(2) else { return };
    for mpirun in mpis_with_plugin() {
        all_cases_run_to_their_ends(1, 1, Place::Hosts(&mpirun, &network));
    }
}

/// (On several hosts SYNC ALL waits for image 1 as well when image 3 has stopped: that is a deadlock.)
#[test]
#[serial]
fn a_circle_that_the_end_of_a_running_image_breaks_is_no_deadlock() {
    let program = Program::fortran("faults/broken_circle").build();
    Run::new(&program).images(3).finish().succeeded().silent();
    for mpirun in mpis_with_plugin() {
        let outcome = Run::new(&program).mpirun(&mpirun).images(3).limit(SOON).finish();
        assert!(!outcome.stderr.contains("deadlock"), "{outcome:?}");
        outcome.succeeded();
    }
}

#[test]
#[serial]
fn an_image_whose_other_thread_may_post_is_no_deadlock() {
    let program = Program::fortran("faults/posting_thread").argument("-fopenmp").build();
    for (images, hosts) in [(2, 1), (4, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts);
        run.limit(SOON).finish().succeeded().silent();
    }
}
