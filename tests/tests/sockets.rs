//! Short messages between hosts by sockets and by MPI (`XMP_MPI_SOCKETS`).

use serial_test::serial;
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
        let words = ["XMP_MPI_SOCKETS=auto: short messages between hosts by", "a round trip takes"];
        outcome.succeeded().stderr_line_with(&words);
        assert_eq!(outcome.stderr_lines().count(), 1, "{}", outcome.stderr);
    }
}
