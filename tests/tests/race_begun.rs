//! `--check=races`: what is done with the memory of an operation in the background before that is complete.

use std::path::PathBuf;
use std::time::Duration;
use xmp_tests::marks;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Outcome, Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// Operations, and whether image 1 only gives elements.
const OPERATIONS: [(&str, bool); 10] = [
    ("sum", false),
    ("broadcast", true),
    ("allgather", false),
    ("gather", false),
    ("scatter", false),
    ("alltoall", false),
    ("allgatherv", false),
    ("scan", false),
    ("reduce_scatter", false),
    ("minloc", false),
];

fn run(program: &PathBuf, hosts: u32, arguments: &[&str]) -> Outcome {
    let run = Run::new(program).images(2).virtual_hosts(hosts).launcher_option("--check=races");
    let outcome = run.args(arguments.iter().copied()).finish();
    outcome.within(SOON).stdout_is("done\n");
    outcome
}

fn is_silent(outcome: &Outcome, case: &[&str]) {
    outcome.succeeded();
    assert_eq!(outcome.stderr, "", "{case:?}");
}

fn c_program(optimisation: &str) -> (PathBuf, impl Fn(&str) -> String) {
    let program = Program::c("races_begun").argument("--check=races").argument(optimisation);
    let source = crate_dir().join("c/races_begun.c");
    (program.build(), move |mark: &str| marks::place(&source, mark))
}

#[test]
fn the_image_itself_may_not_change_what_an_operation_in_the_background_accesses() {
    for optimisation in ["-O0", "-O2"] {
        let (program, place) = c_program(optimisation);
        for (operation, _) in OPERATIONS {
            let outcome = run(&program, 1, &[operation, "store"]);
            outcome.exited_with(1);
            let [begin, store] = [place(&format!("begin {operation}")), place("store")];
            let cure = "wait for the operation of";
            outcome.stderr_line_with(&[&store, "the operation that it has begun", &begin, cure]);
            outcome.stderr_line_with(&["xmp: 1 race"]);
            let later = [operation, "store", "later"];
            is_silent(&run(&program, 1, &later), &later);
        }
    }
}

#[test]
fn the_image_itself_may_read_what_an_operation_in_the_background_reads_alone() {
    let (program, place) = c_program("-O0");
    for (operation, gives) in OPERATIONS {
        let outcome = run(&program, 1, &[operation, "load"]);
        if gives {
            is_silent(&outcome, &[operation]);
        } else {
            let begin = place(&format!("begin {operation}"));
            outcome.exited_with(1).stderr_line_with(&[&place("load"), "read of", &begin]);
        }
        let later = [operation, "load", "later"];
        is_silent(&run(&program, 1, &later), &later);
    }
}

#[test]
fn two_operations_in_the_background_may_not_have_the_same_memory() {
    let (program, place) = c_program("-O0");
    let outcome = run(&program, 1, &["sum", "again"]);
    outcome.exited_with(1).stderr_line_with(&[&place("again"), &place("begin sum")]);
    is_silent(&run(&program, 1, &["sum", "again", "later"]), &["again"]);
}

/// The accesses are ordered after the beginning, and before the completion.
#[test]
fn another_image_may_not_read_what_an_operation_writes_that_has_begun_before() {
    let (program, place) = c_program("-O0");
    for hosts in [1, 2] {
        for (operation, gives) in OPERATIONS {
            let outcome = run(&program, hosts, &[operation, "get"]);
            if gives {
                is_silent(&outcome, &[operation]);
                continue;
            }
            outcome.exited_with(1);
            let (begin, get) = (place(&format!("begin {operation}")), place("get"));
            let cure = "before the two images synchronise";
            outcome.stderr_line_with(&[&begin, "image 2 reads", &get, "wait for", cure]);
            let later = [operation, "get", "later"];
            is_silent(&run(&program, hosts, &later), &later);
        }
    }
}

/// Ways of the program with distributed arrays, with the operation, and whether it is right.
const WAYS: [(&str, &str, bool); 5] = [
    ("gmove", "gmove", false),
    ("shadow", "reflect", false),
    ("given", "reflect", true),
    ("sent", "gmove", true),
    ("inside", "reflect", true),
];

#[test]
fn nodes_may_change_what_an_async_directive_sends_and_may_not_access_what_it_writes_before_they_wait_for_it()
 {
    let program =
        Program::xmp_c(&["races_async"]).argument("--check=races").argument("-O0").build();
    let source = crate_dir().join("c/xmp/races_async.c");
    let place = |mark: &str| marks::place(&source, mark);
    for (hosts, (way, operation, is_right)) in
        [1, 2].into_iter().flat_map(|hosts| WAYS.map(|way| (hosts, way)))
    {
        let outcome = run(&program, hosts, &[way]);
        if is_right {
            is_silent(&outcome, &[way]);
        } else {
            let begin = place(&format!("begin {operation}"));
            outcome.exited_with(1).stderr_line_with(&[&place(way), &begin, "nothing orders"]);
        }
        is_silent(&run(&program, hosts, &[way, "later"]), &[way, "later"]);
    }
}

/// The node itself may change it; another one has to wait for it like for any other read.
#[test]
fn what_an_async_directive_sends_is_read_by_the_statement_that_begins_it() {
    let program = Program::xmp_c(&["races_sent"]).argument("--check=races").argument("-O0").build();
    let place = |mark: &str| marks::place(&crate_dir().join("c/xmp/races_sent.c"), mark);
    for hosts in [1, 2] {
        let outcome = run(&program, hosts, &[]);
        outcome.exited_with(1).stderr_line_with(&[
            &place("begin"),
            &place("put"),
            "nothing orders",
        ]);
        // A synchronisation after the beginning orders the read, without the wait.
        is_silent(&run(&program, hosts, &["barrier"]), &["barrier"]);
    }
}
