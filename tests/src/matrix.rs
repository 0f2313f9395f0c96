//! A self-checking program under every number of images and hosts.

use crate::exceptions::exception_here;
use crate::hosts::{mpis_with_plugin, network};
use crate::program::{Program, fortran_source};
use crate::run::Run;
use crate::toolchain::toolchain;
use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

/// Numbers of images: one, powers of two, and neighbours of those.
const IMAGES: [u32; 6] = [1, 2, 3, 4, 7, 8];

/// Numbers of images of a short run: one, a power of two, and another number.
const FEW_IMAGES: [u32; 3] = [1, 3, 4];

/// Set by `./x test` without `--all`: programs run with a few numbers of images only.
const BRIEF: &str = "XMP_TEST_BRIEF";

/// Whether what shows the same once more is left out.
pub fn is_brief() -> bool {
    env::var_os(BRIEF).is_some()
}

/// The numbers of images that a program is tried with.
pub fn numbers_of_images() -> impl Iterator<Item = u32> {
    let all: &[u32] = if is_brief() { &FEW_IMAGES } else { &IMAGES };
    all.iter().copied()
}

/// Numbers of hosts that the images are split over.
pub const HOSTS: [u32; 2] = [1, 2];

/// Set, it has every program also run on two separate hosts with two images each, under both MPIs and `xmprun`; `only`:
/// nowhere else. To be used with `--test-threads=1`: these hosts are few, and all tests of a process share them.
const SEPARATE: &str = "XMP_TEST_CLUSTER";

/// Set, it has every program run with this value of `XMP_CHECK` as well.
const CHECK: &str = "XMP_TEST_CHECK";

/// Runs the Fortran program `fortran/<name>.f90` with several numbers of images on one host, and has the library look for
/// races. It must end with status 0 and be silent.
///
/// # Panics
/// When one of the runs fails.
pub fn conforms_without_races(name: &str) {
    let program = Program::fortran(name).argument("--check=races").build();
    for images in CHECKED {
        checked(&program, images, "races").finish().succeeded().silent();
    }
}

/// Numbers of images of runs with checks.
const CHECKED: [u32; 3] = [2, 4, 7];

/// A run on one host with this value of `XMP_CHECK`.
fn checked(program: impl AsRef<Path>, images: u32, check: &str) -> Run {
    Run::new(program).images(images).env("XMP_CHECK", check)
}

/// Runs the Fortran program `fortran/<name>.f90` with each number of images, on each number of hosts that has
/// an image for every host. It must end with status 0 and be silent. Compilers that the program
/// excludes in its head ([`exceptions`](crate::exceptions)) are left out, with a report.
///
/// # Panics
/// When one of the runs fails; the text says which, and shows the first.
pub fn conforms(name: &str) {
    let mut hosts = &HOSTS[..];
    if let Some(exception) = exception_here(&fortran_source(name)) {
        hosts = if exception.several_hosts { &HOSTS[..1] } else { &[] };
        let what = if hosts.is_empty() { "not run" } else { "run on one host only" };
        let fortran = toolchain().fortran();
        xmp_hosts::left_out(format_args!("{name} is {what} with {fortran}: {}", exception.reason));
        if hosts.is_empty() {
            return;
        }
    }
    conforms_on(hosts, &Program::fortran(name), name);
}

/// As [`conforms`], for any program and on any number of hosts.
///
/// # Panics
/// As there.
pub fn conforms_program(program: &Program, name: &str) {
    conforms_on(&HOSTS, program, name);
}

fn conforms_on(hosts: &[u32], source: &Program, name: &str) {
    let program = source.build();
    let mut failed: Vec<String> = Vec::new();
    let mut first = None;
    // All of them, because the list of those that fail says more than the first.
    let mut attempt = |run: Run, silent: bool, what: String| {
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            let outcome = run.finish();
            match outcome.succeeded() {
                outcome if silent => outcome.silent(),
                outcome => outcome.stdout_is(""),
            };
        }));
        if let Err(reason) = result {
            failed.push(what);
            first.get_or_insert(reason);
        }
    };
    let separate = env::var_os(SEPARATE);
    let here: &[u32] =
        if separate.as_ref().is_some_and(|value| value == "only") { &[] } else { hosts };
    for &hosts in here {
        for images in numbers_of_images().filter(|images| *images >= hosts) {
            let run = Run::new(&program).images(images).virtual_hosts(hosts);
            attempt(run, true, format!("{images} images on {hosts} hosts"));
        }
    }
    if let Ok(check) = env::var(CHECK) {
        let program = if check.contains("races") {
            source.clone().argument("--check=races").build()
        } else {
            program.clone()
        };
        for images in CHECKED {
            let run = checked(&program, images, &check);
            attempt(run, true, format!("{images} images with XMP_CHECK={check}"));
        }
    }
    if separate.is_some()
        && hosts.len() > 1
        && let Some(network) = network(2)
    {
        for mpirun in mpis_with_plugin() {
            let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 2]);
            // The launcher may say something itself.
            attempt(run, false, format!("2 x 2 images under mpirun.{}", mpirun.flavour().suffix()));
        }
        let run = Run::new(&program).xmprun_on(&network, &[2, 2]);
        attempt(run, true, "2 x 2 images under xmprun".into());
    }
    if let Some(reason) = first {
        let text = reason.downcast_ref::<String>().map_or("(no text)", |text| text.as_str());
        panic!("{name} fails with {}. The first:\n{text}", failed.join("; "));
    }
}
