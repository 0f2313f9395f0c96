//! Memory of other images that is no part of a coarray, where pointer components lead: what is copied, and by how many
//! calls of the system.

use serial_test::serial;
use xmp_tests::exceptions::left_out;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::program::fortran_source;
use xmp_tests::{Program, Run};

#[test]
#[serial]
fn a_section_of_private_memory_takes_one_call_of_the_system() {
    if left_out(&fortran_source("private/runs")) {
        return;
    }
    let program = Program::fortran("private/runs").with_c("counted_copies").build();
    for images in 2..=4 {
        Run::new(&program).images(images).finish().succeeded().silent();
    }
    Run::new(&program).images(4).virtual_hosts(2).finish().succeeded().silent();
    for mpirun in mpis_with_plugin() {
        for (images, hosts) in [(2, 2), (4, 2)] {
            let run = Run::new(&program).mpirun(&mpirun).images(images);
            run.virtual_hosts(hosts).finish().succeeded().stdout_is("");
        }
    }
}
