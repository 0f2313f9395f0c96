//! Programs under valgrind: the library makes no accesses that it takes for errors, so what it reports is of the
//! program.

use std::process::Command;
use std::time::Duration;
use xmp_hosts::skipped;
use xmp_tests::{Program, Run};

/// Valgrind is slow, and more so on a busy machine.
const LIMIT: Duration = Duration::from_secs(600);
/// Valgrind gives the program this status when it has found an error.
const FOUND: &str = "--error-exitcode=99";

/// Programs whose objects have allocatable components.
const PROGRAMS: [&str; 3] =
    ["components/allocatable_components", "components/whole_objects", "components/in_procedures"];

/// The system copies a long message from the memory of one process to that of another, which valgrind does not see.
#[test]
fn long_messages_are_defined_where_they_are_received() {
    under_valgrind("collectives/broadcast_to_undefined", 2);
}

#[test]
fn the_library_reads_nothing_in_front_of_allocated_memory() {
    for name in PROGRAMS {
        under_valgrind(name, 2);
    }
}

/// They ask on which core they run. That was a jump into memory that valgrind does not map.
#[test]
fn images_that_share_cores_run_under_valgrind() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    if cores > 8 {
        return skipped("more images than this machine has cores would take too long");
    }
    under_valgrind("sync/sync_all", cores + 1);
}

/// Runs a program on so many images; memcheck has nothing to report.
fn under_valgrind(name: &str, images: u32) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return skipped("no valgrind here");
    }
    let program = Program::fortran(name).build();
    let run = Run::new("valgrind").images(images).limit(LIMIT).env("XMP_SEGMENT_SIZE", "64M");
    let run = run.args(["-q".as_ref(), FOUND.as_ref(), program.as_os_str()]);
    run.finish().succeeded().silent();
}
