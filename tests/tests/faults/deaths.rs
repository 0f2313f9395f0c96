//! Images that are killed.

use super::SOON;
use serial_test::serial;
use std::path::{Path, PathBuf};
use xmp_tests::{Program, Run};

fn killed() -> PathBuf {
    Program::fortran("faults/killed").with("victim").build()
}

/// Image 2 of 4 is killed at this point, in a program that does not ask for `stat=`: the job ends.
fn death_ends_the_job(point: &str, hosts: u32) {
    let run = Run::new(killed()).images(4).virtual_hosts(hosts);
    let outcome = run.args([point, "plain"]).finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON).stdout_is("");
    outcome.stderr_line_with(&["image 2", "signal 9"]);
}

/// Image 2 of 4 is killed at this point, in a program that asks for `stat=`: the others go on.
fn stat_reports_the_death(point: &str, hosts: u32) {
    let run = Run::new(killed()).images(4).virtual_hosts(hosts);
    let outcome = run.args([point, "stat"]).finish();
    outcome.exited_with(128 + libc::SIGKILL).within(SOON);
    outcome.stdout_lines(&["went on: 1", "went on: 3", "went on: 4"]);
}

/// A test for each point, and kind of program, at which image 2 is killed.
macro_rules! killed {
    ($($point:ident $name:literal $($check:ident)?;)*) => {
        mod killed {
            $(mod $point {
                use serial_test::serial;

                #[test]
                #[serial]
                fn ends_a_program_that_does_not_ask() {
                    super::super::death_ends_the_job($name, 1);
                    super::super::death_ends_the_job($name, 2);
                }

                $(#[test]
                #[serial]
                fn stat_reports_the_end() {
                    super::super::$check($name, 1);
                    super::super::$check($name, 2);
                })?
            })*
        }
    };
}

killed! {
    in_compute "compute" stat_reports_the_death;
    in_sync_all "sync-all" stat_reports_the_death;
    in_sync_images "sync-images" stat_reports_the_death;
    in_event_wait "event-wait" stat_reports_the_death;
    in_lock_wait "lock-wait" stat_reports_the_death;
    with_a_lock "lock-held" stat_reports_the_death;
    // CRITICAL has stat= only since gfortran 16.
    in_critical "critical";
    in_put_loop "put-loop" stat_reports_the_death;
    in_get_loop "get-loop" stat_reports_the_death;
    in_co_sum "co-sum" stat_reports_the_death;
    in_large_co_sum "co-sum-large" stat_reports_the_death;
    in_co_broadcast "co-broadcast" stat_reports_the_death;
    in_allocate "allocate" stat_reports_the_death;
}

#[test]
#[serial]
fn those_that_are_left_synchronise() {
    for (program, steps) in [("faults/survivors", 3000), ("faults/survivors_allocate", 600)] {
        let program = Program::fortran(program).with("victim").build();
        // Steps that are made by all or by none, and others; one host, and several.
        for (step, hosts) in
            [("central", 1), ("flat", 1), ("dissemination", 1), ("central", 2), ("flat", 3)]
        {
            go_on_without_two(&program, step, hosts, steps);
        }
    }
}

/// Images 2 and 3 of 6 fail, and the others do not.
fn go_on_without_two(program: &Path, step: &str, hosts: u32, steps: u32) {
    // What a collective area does not do takes longer.
    let steps = if hosts > 1 || step == "dissemination" { steps / 10 } else { steps };
    let run = Run::new(program).images(6).virtual_hosts(hosts).args([steps.to_string()]);
    let outcome = run.env("XMP_COLL", format!("barrier:{step}")).finish();
    outcome.exited_with(128 + libc::SIGKILL).within(4 * SOON);
    outcome.stdout_lines(&["went on: 1", "went on: 4", "went on: 5", "went on: 6"]);
}

#[test]
#[serial]
fn the_death_of_an_image_reaches_many_waiters() {
    for point in ["sync-all", "co-sum", "co-broadcast"] {
        let run = Run::new(killed()).images(16).args([point, "plain"]);
        run.finish().exited_with(128 + libc::SIGKILL).within(SOON);
    }
}
