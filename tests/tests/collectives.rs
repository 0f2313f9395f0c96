//! Every algorithm of the collectives that `XMP_COLL` can force gives the right results.

use serial_test::serial;
use xmp_tests::matrix::is_brief;
use xmp_tests::{Program, Run};

/// Programs that together have every collective, with small, middle and large operands.
const PROGRAMS: [&str; 8] = [
    "collectives/co_sum_reals",
    "collectives/co_sum_large",
    "collectives/co_sum_same_everywhere",
    "collectives/co_min_max_characters",
    "collectives/co_reduce_derived",
    "collectives/co_broadcast_sizes",
    "collectives/of_coarrays",
    "collectives/mixed",
];

#[test]
#[serial]
fn forced_algorithms_give_the_same_results() {
    for program in PROGRAMS {
        let program = Program::fortran(program).build();
        for algorithm in ["slots", "copy-in", "sliced", "direct", "messages"] {
            let setting = format!("reduce:{algorithm},allreduce:{algorithm}");
            run_with(&program, &setting);
        }
        for algorithm in ["slots", "staged", "direct", "messages"] {
            let setting = format!("broadcast:{algorithm},allgather:{algorithm}");
            run_with(&program, &setting);
        }
    }
}

#[test]
#[serial]
fn forced_barriers_synchronise() {
    for program in ["sync/sync_all", "sync/sync_mixed", "collectives/mixed"] {
        let program = Program::fortran(program).build();
        for kind in ["central", "flat", "dissemination"] {
            run_with(&program, &format!("barrier:{kind}"));
        }
    }
}

/// A short run leaves out two images: others of one host execute the same algorithms.
fn run_with(program: &std::path::Path, setting: &str) {
    let jobs = [(5, 1), (7, 2), (2, 1)];
    for (images, hosts) in jobs.into_iter().take(if is_brief() { 2 } else { 3 }) {
        Run::new(program)
            .images(images)
            .virtual_hosts(hosts)
            .env("XMP_COLL", setting)
            .finish()
            .succeeded()
            .silent();
    }
}

#[test]
fn unknown_algorithms_are_rejected_by_name() {
    let program = Program::fortran("collectives/mixed").build();
    for setting in ["allreduce:magic", "gossip:slots", "barrier:magic"] {
        Run::new(&program)
            .images(2)
            .env("XMP_COLL", setting)
            .finish()
            .exited_with(2)
            .stderr_line_with(&["XMP_COLL", setting]);
    }
}

/// What the compiler does not pass is in the debugging information, which xmpfc asks for.
#[test]
fn small_structures_without_debugging_information_are_an_error_that_says_what_to_do() {
    let program = Program::fortran("collectives/co_reduce_small_derived").argument("-g0").build();
    let outcome = Run::new(&program).images(2).finish();
    outcome.exited_with(1);
    outcome.stderr_line_with(&["co_reduce", "derived type of 4 bytes", "-g"]);
    let program = Program::fortran("collectives/co_sum_real16").argument("-g0").build();
    Run::new(&program).images(2).finish().succeeded().silent();
}
