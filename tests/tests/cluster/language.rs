//! The language between hosts: the programs of its chapters that cross hosts most, examples, much under way, and order.

use crate::{LONG, Place, at_places, places};
use serial_test::serial;
use xmp_hosts::{Requirement, skipped};
use xmp_tests::hosts::network;
use xmp_tests::{Program, Run, memory};

/// The chapters, by the programs that cross hosts most.
const CHAPTERS: &[&str] = &[
    "transfers/between_images",
    "transfers/convert_real",
    "transfers/get_array",
    "transfers/large",
    "transfers/order",
    "transfers/put_array",
    "transfers/strides",
    "transfers/vector_subscripts",
    "sync/pipeline",
    "sync/sync_images_star",
    "sync/sync_memory_flag",
    "atomics/add",
    "atomics/compare_and_swap",
    "locks/critical_counter",
    "locks/lock_counter",
    "events/many_to_one",
    "events/until_zero",
    "collectives/co_broadcast_sizes",
    "collectives/co_sum_large",
    "collectives/mixed",
    "allocation/huge_request",
    "allocation/many_at_once",
    "components/chains",
    "components/pointers",
    "intrinsics/images",
    "teams/rows_and_columns",
];

/// Those that every layout of images runs.
const EVERYWHERE: &[&str] = &[
    "transfers/strides",
    "sync/sync_mixed",
    "locks/lock_counter",
    "events/ping_pong",
    "collectives/mixed",
    "teams/nested",
];

/// The launcher of Open MPI may say something itself: that it was too late for a process that had ended, for instance.
fn conforms(place: &Place, names: &[&str]) {
    for name in names {
        let program = Program::fortran(name).build();
        place.run(&program).finish().succeeded().stdout_is("");
    }
}

#[test]
#[serial]
fn the_language_on_two_hosts() {
    at_places(&[2, 2], |place| {
        conforms(&place, CHAPTERS);
    });
}

/// Without an MPI.
#[test]
#[serial]
fn the_language_on_two_hosts_by_sockets() {
    let Some(network) = network(2) else { return };
    for name in CHAPTERS {
        let program = Program::fortran(name).build();
        Run::new(program).xmprun_on(&network, &[2, 2]).finish().succeeded().silent();
    }
}

/// Coindexed objects as gfortran 15 and later compile them. (`accessors.rs`)
#[test]
#[serial]
fn accessors_are_called_where_the_components_are() {
    let program = Program::accessors().build();
    at_places(&[2, 2], |place| {
        place.run(&program).args(["components"]).finish().succeeded().stdout_is("");
    });
}

#[test]
#[serial]
fn the_language_on_three_hosts() {
    for images in [&[1, 1, 1], &[2, 2, 2]] {
        at_places(images, |place| {
            conforms(&place, EVERYWHERE);
        });
    }
}

#[test]
#[serial]
fn hosts_with_different_numbers_of_images() {
    at_places(&[1, 3], |place| {
        conforms(&place, EVERYWHERE);
    });
}

#[test]
#[serial]
fn separate_hosts_can_be_split_into_virtual_ones() {
    at_places(&[2, 2], |place| {
        let program = Program::fortran("collectives/mixed").build();
        place.run(&program).virtual_hosts(2).finish().succeeded().stdout_is("");
    });
}

#[test]
#[serial]
fn examples_run_on_separate_hosts() {
    let cg = Program::example("npb_cg", Some("npb_cg")).build();
    let himeno = Program::example("himeno", None).build();
    at_places(&[2, 2], |place| {
        let text = place.run(&cg).args(["S"]).limit(LONG).finish().succeeded().stdout.clone();
        assert!(text.contains("SUCCESSFUL"), "{text}");
        let run = place.run(&himeno).args(["XS", "2x2x1", "20"]).limit(LONG);
        let text = run.finish().succeeded().stdout.clone();
        assert!(text.contains("PASS"), "{text}");
    });
}

#[test]
#[serial]
fn a_million_requests_under_way() {
    let program = Program::fortran("hosts/outstanding").build();
    at_places(&[1, 1], |place| {
        place.run(&program).args(["500000"]).limit(LONG).finish().succeeded().stdout_is("");
    });
}

#[test]
#[serial]
fn a_put_of_3_gib() {
    const NEEDED: u64 = 8 << 30;
    let available = memory::available();
    if available < NEEDED {
        let text = format_args!("{available} bytes of memory are available, {NEEDED} are needed");
        skipped(Requirement::Memory, text);
        return;
    }
    let program = Program::fortran("hosts/huge_put").build();
    for place in places(&[1, 1]) {
        place.run(&program).args(["3072"]).limit(LONG).finish().succeeded().stdout_is("");
    }
}

/// What an image has put to the other host is seen after each statement that orders it, although it waits for no confirmation.
#[test]
#[serial]
fn what_was_put_to_the_other_host_is_seen_in_order() {
    let program = Program::fortran("hosts/causal_order").build();
    at_places(&[2, 2], |place| {
        for mode in ["neighbour", "far", "atomic"] {
            place.run(&program).args([mode]).finish().succeeded().stdout_is("");
        }
        for _ in 0..5 {
            place.run(&program).args(["fail"]).finish().succeeded().stdout_is("");
        }
    });
}
