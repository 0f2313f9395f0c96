//! Requests between four hosts by every way that there is (`XMP_COOPERATION`): directly, forwarded, and merged. All
//! images want one of them at the same time: fetch-and-add, rows of a matrix, a lock, events.

use serial_test::serial;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::{Program, Run};

/// The ways, by their setting and by how the log names them.
const WAYS: [(&str, &str); 3] =
    [("direct", "Direct"), ("forwarding", "Forwarding"), ("aggregation", "Aggregation")];

/// Programs of the language that ask one image for much.
const OTHERS: &[&str] =
    &["atomics/fetching_bits", "transfers/strides", "locks/lock_counter", "events/many_to_one"];

/// Whether the servers log this route of requests. Other lines are between.
fn says(text: &str, way: &str) -> bool {
    text.lines().any(|line| line.contains("route of requests") && line.contains(way))
}

/// Runs a program by every way, in groups of two hosts.
fn by_every_way(run: impl Fn() -> Run) {
    for (setting, way) in WAYS {
        let run = run()
            .env("XMP_COOPERATION", setting)
            .env("XMP_COOPERATION_GROUP", "2")
            .env("XMP_LOG", "debug");
        let outcome = run.finish();
        outcome.succeeded();
        assert!(says(&outcome.stderr, way), "{setting}:\n{}", outcome.stderr);
    }
}

#[test]
#[serial]
fn all_images_of_four_virtual_hosts_address_one_image() {
    let program = Program::fortran("hosts/hot_spot").build();
    for mpirun in mpis_with_plugin() {
        by_every_way(|| Run::new(&program).mpirun(&mpirun).images(8).virtual_hosts(4));
    }
}

#[test]
#[serial]
fn the_language_on_four_virtual_hosts() {
    let Some(mpirun) = mpis_with_plugin().pop() else { return };
    for name in OTHERS {
        let program = Program::fortran(name).build();
        by_every_way(|| Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(4));
    }
}

#[test]
#[serial]
fn all_images_of_four_separate_hosts_address_one_image() {
    let Some(network) = network(4) else { return };
    let program = Program::fortran("hosts/hot_spot").build();
    for mpirun in mpis_with_plugin() {
        by_every_way(|| Run::new(&program).mpirun_on(&mpirun, &network, &[2, 1, 1, 1]));
    }
}

/// With more buffers for each image a server's would be hundreds of MiB, as in a job of many more images.
#[test]
#[serial]
fn without_a_setting_the_size_of_the_job_decides() {
    let program = Program::fortran("hosts/hot_spot").build();
    for mpirun in mpis_with_plugin() {
        for (credits, way) in [("64", "Direct"), ("4000", "Aggregation")] {
            let run = Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(4);
            let run = run.env("XMP_SERVER_CREDITS", credits).env("XMP_LOG", "debug");
            let outcome = run.finish();
            outcome.succeeded();
            assert!(says(&outcome.stderr, way), "{credits}:\n{}", outcome.stderr);
        }
    }
}
