//! Random programs of image control statements and collectives, all with `stat=`, in which images stop or fail: those
//! that are left come to the end of the program, with statuses that Fortran 2018 allows, and with right results where the
//! status is 0.
//!
//! A seed says everything but how the images are scheduled. `XMP_TEST_CASES=5000` runs more cases than a test
//! run has time for, `XMP_TEST_CASES=1200..1201` a certain one.

mod case;
mod coarrays;
mod dice;
mod locks;
mod operation;
mod program;
mod run;

use case::Case;
use std::ops::Range;

/// Cases of a test run.
const CASES: u64 = 100;

fn cases() -> Range<u64> {
    let Ok(cases) = std::env::var("XMP_TEST_CASES") else { return 0..CASES };
    let number =
        |text: &str| text.parse().expect("XMP_TEST_CASES is a number, or two with .. between");
    match cases.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => 0..number(&cases),
    }
}

#[test]
fn those_that_are_left_come_to_the_end() {
    for seed in cases() {
        Case::new(seed).run();
    }
}
