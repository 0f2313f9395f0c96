//! Several threads of an image use the library: what they put, get, lock and post is as if one did it after the other,
//! and of two collective operations at the same time one is refused. On one host, on virtual hosts, and under both
//! MPIs, where images of other hosts are reached by requests.

use serial_test::serial;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xmp_hosts::Mpirun;
use xmp_tests::exceptions::left_out;
use xmp_tests::hosts::mpis_with_plugin;
use xmp_tests::matrix::is_brief;
use xmp_tests::program::fortran_source;
use xmp_tests::{Program, Run};

/// A job ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(120);

fn fortran(name: &str) -> PathBuf {
    Program::fortran(&format!("threads/{name}")).argument("-fopenmp").build()
}

/// The program conforms, if the compiler that the tests run with can compile it.
fn fortran_conforms(name: &str, images: &[u32]) {
    if !left_out(&fortran_source(&format!("threads/{name}"))) {
        conforms(&fortran(name), images);
    }
}

fn c() -> PathBuf {
    Program::c("threads").argument("-pthread").build()
}

/// A run of this many images on this many virtual hosts, under `xmprun` or an MPI. Threads that wait for one another leave
/// the processor to those that they wait for.
fn run(program: &Path, mpirun: Option<&Mpirun>, images: u32, hosts: u32) -> Run {
    let run = Run::new(program).env("OMP_WAIT_POLICY", "passive");
    let run = mpirun.map_or(run.clone(), |mpirun| run.mpirun(mpirun));
    run.images(images).virtual_hosts(hosts)
}

/// It ends well and says nothing: under `xmprun` on 1 and 2 virtual hosts, and under each MPI on 1 and 2. A short run has the first number
/// of images only.
fn conforms(program: &Path, images: &[u32]) {
    let images = if is_brief() { &images[..1] } else { images };
    for mpirun in [None].into_iter().chain(mpis_with_plugin().into_iter().map(Some)) {
        for &images in images {
            for hosts in [1, 2] {
                run(program, mpirun.as_ref(), images, hosts).finish().succeeded().stdout_is("");
            }
        }
    }
}

#[test]
#[serial]
fn threads_put_and_get_at_the_same_time() {
    fortran_conforms("transfers", &[2, 4]);
}

#[test]
#[serial]
fn threads_put_and_get_whole_arrays_at_the_same_time() {
    fortran_conforms("whole_arrays", &[2, 3]);
}

#[test]
#[serial]
fn loops_of_openmp_have_the_iterations_of_their_schedules() {
    fortran_conforms("schedules", &[2, 3]);
}

#[test]
#[serial]
fn the_first_thread_waits_for_another_one_that_is_in_a_critical_construct() {
    fortran_conforms("first_critical", &[2]);
}

#[test]
#[serial]
fn threads_use_components_at_the_same_time() {
    fortran_conforms("components", &[2, 3]);
}

#[test]
#[serial]
fn threads_use_locks_critical_sections_events_and_atomics_at_the_same_time() {
    fortran_conforms("synchronisation", &[2, 3]);
}

#[test]
#[serial]
fn threads_continue_while_one_of_them_executes_collectives() {
    fortran_conforms("beside_collectives", &[2, 4]);
}

#[test]
#[serial]
fn posix_threads_use_the_c_header_at_the_same_time() {
    conforms(&c(), &[4]);
}

#[test]
#[serial]
fn of_two_collectives_of_an_image_at_the_same_time_one_is_refused() {
    let program = fortran("two_collectives");
    for mpirun in [None].into_iter().chain(mpis_with_plugin().into_iter().map(Some)) {
        for hosts in [1, 2] {
            let run = || run(&program, mpirun.as_ref(), 2, hosts);
            run().args(["stat"]).finish().succeeded().stdout_is("");
            let outcome = run().finish();
            outcome.exited_with(1).within(SOON);
            outcome.stderr_line_with(&["image 1: sync all: another thread of this image"]);
        }
    }
}

#[test]
#[serial]
fn of_two_collectives_of_c_at_the_same_time_one_is_refused() {
    for mpirun in [None].into_iter().chain(mpis_with_plugin().into_iter().map(Some)) {
        for hosts in [1, 2] {
            let run = run(&c(), mpirun.as_ref(), 2, hosts);
            run.args(["collectives"]).finish().succeeded().stdout_is("");
        }
    }
}

/// The sanitizer's own report names an address. Where images share memory at one the library says so before it.
#[test]
#[serial]
fn a_program_with_the_thread_sanitizer_runs_alone_and_is_refused_as_an_image_of_a_job() {
    let program = Program::fortran("sync/sync_all").argument("-fsanitize=thread").build();
    Run::new(&program).finish().succeeded().silent();
    let several = ["-fsanitize=thread", "cannot be an image of a job", "--check=races"];
    let refused = |run: Run, which: &str| {
        let outcome = run.finish();
        assert!(!outcome.status.success(), "{which}: {outcome:?}");
        outcome.stderr_line_with(&several);
        assert!(!outcome.stderr.contains("mmap at bad address"), "{which}: {}", outcome.stderr);
    };
    for images in [1, 2] {
        refused(Run::new(&program).images(images), "xmprun");
    }
    refused(Run::new(&program).env("XMP_NUM_IMAGES", "2"), "XMP_NUM_IMAGES");
    for mpirun in mpis_with_plugin() {
        refused(Run::new(&program).mpirun(&mpirun).images(2), mpirun.flavour().suffix());
    }
}
