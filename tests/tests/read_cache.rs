//! Single elements of images of other hosts, which are fetched with those beside them, and how many messages that takes.

use serial_test::serial;
use xmp_tests::exceptions::left_out;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::program::fortran_source;
use xmp_tests::{Program, Run};

#[test]
#[serial]
fn elements_of_other_hosts_are_those_before_the_last_synchronisation() {
    let program = Program::fortran("hosts/elements").build();
    for mpirun in mpis_with_plugin() {
        for (images, hosts) in [(2, 2), (3, 2), (4, 2), (7, 3), (8, 2)] {
            for cache in ["always", "never"] {
                let run = Run::new(&program).mpirun(&mpirun).images(images).virtual_hosts(hosts);
                run.env("XMP_READ_CACHE", cache).finish().succeeded().silent();
            }
        }
    }
}

/// The first image is served whole lines, and finds that the other one has failed.
#[test]
#[serial]
fn an_element_of_an_image_that_has_failed_is_not_served() {
    let program = Program::fortran("hosts/failed_elements").build();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun(&mpirun).images(2).virtual_hosts(2);
        let outcome = run.finish();
        // Launchers may add to it that a process was killed.
        assert_eq!(outcome.stdout.lines().next(), Some("found"), "{}", outcome.stderr);
    }
}

/// A loop over 2,000 elements that are anywhere in 80 KB took 95 messages, and one that writes them 24.
#[test]
#[serial]
fn the_exchange_of_a_halo_between_two_hosts_takes_few_messages() {
    if left_out(&fortran_source("hosts/halo_messages")) {
        return;
    }
    let program = Program::fortran("hosts/halo_messages").with_c("counted_messages").build();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun(&mpirun).images(2).virtual_hosts(2);
        run.env("XMP_MPI_SOCKETS", "always").finish().succeeded().stdout_is("");
    }
}

/// 10,000 elements of four arrays, each a mebibyte after the one before, took as many messages.
#[test]
#[serial]
fn loops_that_get_elements_of_several_images_or_arrays_in_turn_take_few_messages() {
    let program = Program::fortran("hosts/turns_messages").with_c("counted_messages").build();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun(&mpirun).images(6).virtual_hosts(2);
        run.env("XMP_MPI_SOCKETS", "always").finish().succeeded().stdout_is("");
    }
}
