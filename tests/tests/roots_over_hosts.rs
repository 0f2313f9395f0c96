//! Collectives over several hosts in which one image names another source or result image than the others do.

use serial_test::serial;
use std::path::Path;
use std::time::Duration;
use xmp_hosts::Flavour;
use xmp_tests::hosts::{mpis_with_plugin, network_for};
use xmp_tests::{Outcome, Program, Run, together};

/// Numbers of images and hosts.
const LAYOUTS: [(u32, u32); 7] = [(2, 2), (3, 3), (4, 2), (7, 2), (8, 2), (7, 3), (8, 3)];

/// The image that differs, the root that it names, and the root that the others name, in a team of this many images. Of each kind: the
/// image leads its host or does not; it names itself, an image of its host or one of another host.
fn roots(images: u32) -> [[u32; 3]; 5] {
    let middle = images.div_ceil(2) + 1;
    let middle = middle.min(images);
    [
        [images, images, 1],
        [images, 1, images],
        [1, images, 1],
        [middle, images, 1],
        [middle, 1, images],
    ]
}

fn run(
    program: &Path,
    (images, hosts): (u32, u32),
    collective: &str,
    roots: [u32; 3],
    [team, stat]: [&str; 2],
) -> Outcome {
    let [other, its, root] = roots.map(|index| index.to_string());
    let arguments = [collective, &other, &its, &root, team, stat];
    let outcome = Run::new(program).images(images).virtual_hosts(hosts).args(arguments).finish();
    outcome.within(Duration::from_secs(300));
    outcome
}

const COLLECTIVES: [&str; 7] =
    ["broadcast", "sum", "many broadcast", "many sum", "long broadcast", "long sum", "several"];

#[test]
fn all_images_of_all_hosts_learn_of_different_roots_by_stat_and_go_on_alike() {
    let program = Program::fortran("faults/roots_over_hosts").argument("-O0").build();
    let mut turn = 0;
    for layout in LAYOUTS {
        for team in ["initial", "part", "whole"] {
            if team == "part" && layout.0 < 4 {
                continue;
            }
            let images = if team == "part" { layout.0 - 1 } else { layout.0 };
            let kinds = roots(images);
            // Two numbers without a common divisor: each collective meets each kind of difference.
            for _ in 0..2 {
                let (collective, roots) =
                    (COLLECTIVES[turn % COLLECTIVES.len()], kinds[turn % kinds.len()]);
                turn += 1;
                let outcome = run(&program, layout, collective, roots, [team, "stat"]);
                outcome.succeeded().stdout_is("good\n");
            }
        }
    }
}

#[test]
fn different_roots_over_hosts_end_the_job_with_a_message_and_without_a_deadlock() {
    let program = Program::fortran("faults/roots_over_hosts").argument("-O0").build();
    for layout in [(2, 2), (4, 2), (7, 3)] {
        for (number, roots) in roots(layout.0).into_iter().enumerate() {
            for collective in [COLLECTIVES[number], "several"] {
                let outcome = run(&program, layout, collective, roots, ["initial", "no"]);
                outcome.exited_with(1).stdout_is("").stderr_line_with(&["roots_over_hosts.f90:"]);
                assert!(!outcome.stderr.contains("deadlock"), "{}", outcome.stderr);
            }
        }
    }
}

/// The difference is found by the barrier alone: all images have one message.
#[test]
fn images_of_hosts_that_agree_have_the_message_of_the_host_that_does_not() {
    let program = Program::fortran("faults/roots_over_hosts").argument("-O0").build();
    for (layout, images) in [((4, 2), "images 1-4"), ((8, 3), "images 1-8")] {
        let last = layout.0;
        let outcome = run(&program, layout, "broadcast", [last, last, 1], ["initial", "no"]);
        let both = format!("image {} and image {last} each are the source image", last - 1);
        outcome.exited_with(1).stdout_is("");
        outcome.stderr_line_with(&[images, "sync all: ", &both]);
    }
}

/// Messages of several hosts that share no memory; long ones are a rendezvous.
#[test]
#[serial]
fn images_of_separate_hosts_learn_of_different_roots_too() {
    let program = Program::fortran("faults/roots_over_hosts").argument("-O0").build();
    together(mpis_with_plugin(), Flavour::ALL.len(), |mpirun| {
        let Some(network) = network_for(mpirun.flavour(), 2) else { return };
        for (number, roots) in roots(4).into_iter().enumerate() {
            for collective in [COLLECTIVES[number % 4], "long broadcast", "long sum"] {
                let [other, its, root] = roots.map(|index| index.to_string());
                let arguments = [collective, &other, &its, &root, "whole", "stat"];
                let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]);
                let outcome = run.args(arguments).finish();
                outcome.within(Duration::from_secs(300)).succeeded().stdout_is("good\n");
            }
        }
    });
}
