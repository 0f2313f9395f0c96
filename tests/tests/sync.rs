//! Waiting: as the settings say, without using up processors, and on time.

use serial_test::serial;
use std::thread;
use std::time::Duration;
use xmp_tests::{Program, Run};

#[test]
#[serial]
fn every_way_of_waiting_works() {
    let programs = [
        "sync/sync_all",
        "sync/sync_images_star",
        "events/ping_pong",
        "collectives/mixed",
        "locks/lock_counter",
    ];
    for program in programs {
        let program = Program::fortran(program).build();
        // Sleep at once; yield only; spin for a while.
        for (spin, yields) in [("0", "0"), ("0", "1000000"), ("50", "0")] {
            Run::new(&program)
                .images(4)
                .env("XMP_SPIN", spin)
                .env("XMP_YIELDS", yields)
                .finish()
                .succeeded()
                .silent();
        }
    }
}

#[test]
#[serial]
fn images_that_wait_use_no_processor() {
    let program = Program::fortran("control/signals").with("victim").build();
    let mut job = Run::new(&program).images(4).args(["sync-all"]).start();
    let ready = job.lines_after("ready ", 4);
    // Image 1 sleeps, the others wait for it.
    let waiting: Vec<i32> = ready
        .iter()
        .filter(|line| !line.starts_with("1 "))
        .map(|line| line.split(' ').nth(1).expect("a process").parse().expect("a number"))
        .collect();
    // At first the images may be on their way to the wait. Then no interval may have more than a few ticks of 10 ms, also
    // on a busy machine, where an interval of images that spin has fewer than elsewhere, but many.
    let mut used = Vec::new();
    while used.len() < 20 && !last_are_quiet(&used) {
        let before: u64 = waiting.iter().map(|pid| processor_time(*pid)).sum();
        thread::sleep(Duration::from_millis(1500));
        let after: u64 = waiting.iter().map(|pid| processor_time(*pid)).sum();
        used.push(after - before);
    }
    assert!(last_are_quiet(&used), "processor time while waiting: {used:?}");
}

/// Whether each of the last three intervals has at most 5 ticks.
fn last_are_quiet(ticks: &[u64]) -> bool {
    ticks.len() >= 3 && ticks.iter().rev().take(3).all(|ticks| *ticks <= 5)
}

/// Processor time of a process so far, in ticks of the clock (10 ms).
fn processor_time(pid: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process lives");
    // Fields 14 and 15, counted after the name, which may contain anything.
    let fields = stat.rsplit_once(')').expect("the name has a bracket").1.split_whitespace();
    fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
}
