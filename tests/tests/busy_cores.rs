//! Images that talk to other hosts beside programs that compute: they do not lose a time slice at each wait. What is counted are yields
//! of the core that lasted for a time slice, not time.

use serial_test::serial;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::{Program, Run};

fn program() -> std::path::PathBuf {
    Program::fortran("hosts/busy_cores").with_c("counted_yields").argument("-pthread").build()
}

/// With a core for each image, and with more images than cores. Open MPI itself yields then at each look that finds nothing.
#[test]
#[serial]
fn images_that_talk_by_mpi_do_not_yield_at_each_wait_beside_a_program_that_computes() {
    let program = program();
    for mpirun in mpis_with_plugin() {
        for images in [2, 4, 8] {
            for sockets in ["never", "always"] {
                let run = Run::new(&program).mpirun(&mpirun).images(images).virtual_hosts(2);
                run.env("XMP_MPI_SOCKETS", sockets).finish().succeeded().stdout_is("");
            }
        }
    }
}

#[test]
#[serial]
fn images_that_talk_by_sockets_do_not_yield_at_each_wait_beside_a_program_that_computes() {
    let Some(network) = network(2) else { return };
    let program = program();
    for images in [[1, 1], [2, 2]] {
        Run::new(&program).xmprun_on(&network, &images).finish().succeeded().stdout_is("");
    }
}
