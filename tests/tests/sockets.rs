//! Messages between hosts by sockets and by MPI (`XMP_MPI_SOCKETS`).

use serial_test::serial;
use std::sync::Arc;
use xmp_hosts::{Network, Requirement, skipped};
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::{Program, Run};

/// One program of each kind of message.
const PROGRAMS: &[&str] = &[
    "transfers/strides",
    "sync/sync_mixed",
    "atomics/add",
    "locks/lock_counter",
    "events/producer_consumer",
    "collectives/mixed",
    "components/chains",
    "teams/nested",
    "mpi/long_transfers",
];

#[test]
#[serial]
fn programs_run_by_sockets_and_by_mpi() {
    let Some(network) = network(2) else { return };
    for name in PROGRAMS {
        let program = Program::fortran(name).build();
        for mpirun in mpis_with_plugin() {
            for choice in ["always", "never"] {
                let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]);
                // A long transfer has several messages.
                let run = run.env("XMP_SERVER_CHUNK", "256K");
                run.env("XMP_MPI_SOCKETS", choice).finish().succeeded().silent();
            }
        }
    }
}

/// Sockets carry the requests; MPI must be called nevertheless, because the other side writes to a window.
#[test]
#[serial]
fn sockets_and_windows_go_together() {
    let Some(network) = network(2) else { return };
    let program = Program::fortran("mpi/long_transfers").build();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]);
        let run = mpirun.options_for_windows().into_iter().fold(run, Run::launcher_option);
        let run = run.env("XMP_MPI_SOCKETS", "always").env("XMP_MPI_RMA", "always");
        run.finish().succeeded().silent();
    }
}

/// Replies come from other hosts and from the server of this one.
#[test]
#[serial]
fn forwarded_requests_go_by_sockets() {
    let Some(network) = network(4) else { return };
    let program = Program::fortran("hosts/hot_spot").build();
    for mpirun in mpis_with_plugin() {
        for way in ["forwarding", "aggregation"] {
            let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 1, 1, 1]);
            let run = run.env("XMP_COOPERATION", way).env("XMP_COOPERATION_GROUP", "2");
            run.env("XMP_MPI_SOCKETS", "always").finish().succeeded().silent();
        }
    }
}

#[test]
#[serial]
fn a_job_says_what_it_has_chosen() {
    let Some(network) = network(2) else { return };
    let program = Program::fortran("sync/sync_all").build();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]);
        let outcome = run.env("XMP_LOG", "xmp_net=info").finish();
        let words = ["XMP_MPI_SOCKETS=auto: messages between hosts by", "a round trip takes"];
        outcome.succeeded().stderr_line_with(&words);
        outcome.stderr_line_with(&["uses MPI by a plug-in", "file=", "library=", "why="]);
        assert_eq!(outcome.stderr_lines().count(), 2, "{}", outcome.stderr);
    }
}

/// Where no connection may wait to be accepted on one host: all images have the error of its leader, and one reports it.
#[test]
#[serial]
fn a_job_without_the_sockets_that_it_requires_says_why_once() {
    if network(2).is_none() {
        return;
    }
    // The others' tests need one that is as usual.
    let network = Arc::new(Network::new(2).expect("as another one could be made"));
    let mut forbids = network.hosts()[1].command("sh");
    forbids.args(["-c", "echo 0 >/proc/sys/net/core/somaxconn"]);
    if !forbids.status().is_ok_and(|status| status.success()) {
        return skipped(Requirement::Network, "net.core.somaxconn cannot be set here");
    }
    let program = Program::fortran("sync/sync_all").build();
    let reason = "image 4 on beta: images that connect to it: 2, more than may wait for that: 0 (net.core.somaxconn)";
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun_on(&mpirun, &network, &[3, 2]);
        let outcome = run.clone().env("XMP_MPI_SOCKETS", "always").finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        let expected = format!("xmp: setting XMP_MPI_SOCKETS=always: {reason}");
        let ours: Vec<&str> = outcome.stderr_lines().filter(|line| line.contains("xmp")).collect();
        assert_eq!(ours, [expected], "{}", outcome.stderr);
        // The default does without.
        let outcome = run.env("XMP_LOG", "xmp_net=info").finish();
        let words = ["XMP_MPI_SOCKETS=auto: messages between hosts by MPI", reason];
        outcome.succeeded().stderr_line_with(&words);
    }
}

/// One in each direction, with all that was put before. Where a face of a block was put, each element was a place of its own.
#[test]
#[serial]
fn statements_take_a_message_for_each_synchronisation() {
    let program = Program::fortran("hosts/statement_messages").with_c("counted_messages").build();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun(&mpirun).images(2).virtual_hosts(2);
        run.env("XMP_MPI_SOCKETS", "always").finish().succeeded().stdout_is("");
    }
}
