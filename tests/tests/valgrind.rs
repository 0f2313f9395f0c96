//! Programs under valgrind: the library makes no accesses that it takes for errors, so what it reports is of the
//! program.

use std::time::Duration;
use xmp_hosts::installed;
use xmp_tests::toolchain::toolchain;
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
    // All images are on one core, however many this machine has.
    let core = first_core();
    let xmprun = toolchain().xmprun();
    let launcher = ["-c".as_ref(), core.as_ref(), xmprun.as_os_str(), "-n".as_ref(), "2".as_ref()];
    let run = Run::new("taskset").args(launcher).args(["valgrind"]);
    finds_nothing(run, "sync/sync_all");
}

/// Runs a program on this many images; memcheck has nothing to report.
fn under_valgrind(name: &str, images: u32) {
    finds_nothing(Run::new("valgrind").images(images), name);
}

/// A run of valgrind that gets its options and the program: memcheck has nothing to report.
fn finds_nothing(run: Run, name: &str) {
    if !installed(&["valgrind"]) {
        return;
    }
    let program = Program::fortran(name).build();
    let run = run.limit(LIMIT).env("XMP_SEGMENT_SIZE", "64M");
    let run = run.args(["-q".as_ref(), FOUND.as_ref(), program.as_os_str()]);
    run.finish().succeeded().silent();
}

/// The number of the first core that this process may run on.
fn first_core() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let first = allowed.and_then(|list| list.trim().split([',', '-']).next());
    first.expect("a list of cores").to_owned()
}
