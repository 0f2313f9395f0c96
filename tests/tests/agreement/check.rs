//! Faults that `XMP_CHECK=1` finds, and those of them that are found without it.

use std::time::Duration;
use xmp_tests::{Outcome, Program, Run};

/// Four images, the third of which calls something else, on each number of hosts.
fn disagree(operation: &str) -> Vec<Outcome> {
    // Without optimisation, which joins the calls of two branches to one on one line.
    let program = Program::fortran("faults/disagreement").argument("-O0").build();
    let run = Run::new(program).images(4).env("XMP_CHECK", "1").args([operation]);
    [1, 2].map(|hosts| run.clone().virtual_hosts(hosts).finish()).into()
}

/// It ends the job with these words in the one message.
fn ends_with_message(operation: &str, words: &[&str]) {
    for outcome in disagree(operation) {
        outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
        outcome.stderr_line_with(words);
        assert_eq!(outcome.stderr.lines().count(), 1, "one message:\n{}", outcome.stderr);
    }
}

#[test]
fn sums_of_different_sizes() {
    let words = [
        "co_sum: image 1 gives 10 elements (",
        "disagreement.f90:18), image 3 gives 12 (",
        ".f90:16)",
    ];
    ends_with_message("sizes", &words);
}

#[test]
fn sums_of_different_types() {
    let words = [
        "co_sum: image 1 wants the sum of real(8) (",
        "disagreement.f90:42), image 3 the sum of integer(4) (",
        "disagreement.f90:40)",
    ];
    ends_with_message("types", &words);
}

#[test]
fn different_collective_subroutines() {
    let words =
        ["image 1 executes co_max (", "disagreement.f90:48), image 3 co_broadcast (", ".f90:46)"];
    ends_with_message("collectives", &words);
}

/// Without the check: image 3 is at another statement.
#[test]
fn form_team_beside_another_statement_leads_to_the_check() {
    let program = Program::fortran("faults/disagreement").build();
    let outcome = Run::new(program).images(4).args(["form-team"]).finish();
    outcome.exited_with(1).within(Duration::from_secs(120)).stdout_is("");
    outcome.stderr_line_with(&[
        "image 3 executes another statement than image 1: XMP_CHECK=1 names both",
    ]);
}

#[test]
fn images_that_ask_for_stat_go_on() {
    for operation in ["sizes-stat", "operations-stat"] {
        for outcome in disagree(operation) {
            outcome.succeeded();
            assert_eq!(outcome.stdout, "status 7000\n".repeat(4));
        }
    }
}

#[test]
fn some_form_teams_and_others_synchronise() {
    ends_with_message(
        "form-team",
        &["image 1 executes form team (", "disagreement.f90:36), image 3 sync all (", ".f90:34)"],
    );
}

#[test]
fn images_that_agree_do_not_notice() {
    for outcome in disagree("nothing") {
        outcome.succeeded();
        assert_eq!(outcome.stdout, "good\n".repeat(4));
    }
}

/// A few numbers on one host are compared always.
#[test]
fn small_sums_of_different_types_are_found_without_the_check() {
    let program = Program::fortran("faults/disagreement").argument("-O0").build();
    let outcome = Run::new(program).images(4).args(["small-types"]).finish();
    outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
    outcome.stderr_line_with(&["co_sum: image", "the sum of real(8)", "the sum of integer(4)"]);
}

/// `XMP_CHECK=races` switches no other check off.
#[test]
fn a_look_for_races_finds_small_sums_of_different_types_too() {
    let program = Program::fortran("faults/disagreement").argument("-O0").build();
    let outcome =
        Run::new(program).images(4).env("XMP_CHECK", "races").args(["small-types"]).finish();
    outcome.exited_with(1).within(Duration::from_secs(300)).stdout_is("");
    outcome.stderr_line_with(&["co_sum: image", "the sum of real(8)", "the sum of integer(4)"]);
}
