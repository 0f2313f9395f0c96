//! Correct programs have no races: random programs, more of them at the same time than the machine has cores.
//!
//! `XMP_TEST_CASES=10000` runs more cases than a test run has time for, `XMP_TEST_CASES=120..121` a certain one.

use std::path::PathBuf;
use std::time::Duration;
use xmp_tests::{Program, Run, cases, together};

/// Cases of a test run.
const CASES: u64 = 40;
/// Jobs that run at the same time.
const TOGETHER: usize = 6;
/// A job ends within this time, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);

/// Runs a case: a random program of some images on some hosts.
fn has_no_race(programs: &[PathBuf], case: u64) {
    let random = (case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let pick = |shift: u32, of: &[u32]| of[(random >> shift) as usize % of.len()];
    let images = pick(7, &[2, 3, 4, 5, 6, 8]);
    let hosts = pick(17, &[1, 1, 1, 2, 3]).min(images);
    let program = &programs[pick(27, &[0, 1]) as usize];
    let steps = pick(37, &[50, 150, 400]);
    let run =
        Run::new(program).images(images).virtual_hosts(hosts).launcher_option("--check=races");
    let run = run.args([1 + 7919 * case, steps.into()].map(|number| number.to_string()));
    let outcome = run.limit(SOON).finish();
    assert!(
        outcome.stderr.is_empty(),
        "case {case}, {images} images on {hosts} hosts: {outcome:?}"
    );
    outcome.succeeded().stdout_is("");
}

#[test]
fn random_programs_whose_accesses_are_ordered_have_no_races() {
    let build = |optimisation| {
        Program::fortran("races/random").argument("--check=races").argument(optimisation).build()
    };
    let programs = ["-O0", "-O2"].map(build);
    together(cases(CASES), TOGETHER, |case| has_no_race(&programs, case));
}
