//! Wrong programs, and images that die: each has a clear error or the standard's `stat`, and nothing hangs.

mod arguments;
mod deaths;
mod subscripts;

use std::time::Duration;
use xmp_tests::{Outcome, Program, Run};

/// A job ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);

/// Why the library cannot find out what these versions of gfortran access.
const ACCESSORS: &str = "procedures of the compiler's own access the variable, and check nothing";

/// Image 2 of 4 does it, on each number of hosts.
fn faulty(program: &str, arguments: &[&str]) -> Vec<Outcome> {
    let program = Program::fortran(program).build();
    [1, 2]
        .map(|hosts| Run::new(&program).images(4).virtual_hosts(hosts).args(arguments).finish())
        .into()
}

/// It ends the job with status 1 and this in the message of image 2.
fn ends_with_message(program: &str, arguments: &[&str], words: &[&str]) {
    for outcome in faulty(program, arguments) {
        outcome.exited_with(1).within(SOON).stdout_is("");
        outcome.stderr_line_with(&[&["image 2: "], words].concat());
        let messages = outcome.stderr.lines().filter(|line| !line.starts_with("  ")).count();
        assert_eq!(messages, 1, "one message:\n{}", outcome.stderr);
    }
}

/// It goes on with a `stat` that is none of success and the standard's four.
fn has_stat(program: &str, arguments: &[&str]) -> Vec<Outcome> {
    let outcomes = faulty(program, arguments);
    for outcome in &outcomes {
        outcome.exited_with(99).within(SOON);
        let status: i32 = outcome
            .stdout
            .strip_prefix("status ")
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|number| number.parse().ok())
            .unwrap_or_else(|| panic!("no status in {}", outcome.stdout));
        assert!(status > 0 && ![1, 2, 6000, 6001].contains(&status), "status {status}");
    }
    outcomes
}
