//! Loops under `--check=races`: the plug-in of gcc enters before a loop what the loop accesses. A race with each element that it
//! accesses is found at its statement, and none with elements beside them.

use std::fs;
use std::time::Duration;
use xmp_tests::program::fortran_source;
use xmp_tests::{Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// A loop of the program, elements that it accesses, and elements that it does not access.
const LOOPS: [(&str, &[usize], &[usize]); 10] = [
    ("up", &[10, 57, 90], &[9, 91]),
    ("down", &[10, 57, 90], &[9, 91]),
    ("odd", &[1, 51, 99], &[2, 98, 100]),
    ("section", &[10, 50, 90], &[9, 11, 89, 98]),
    ("backwards", &[10, 50, 90], &[2, 11, 89, 91]),
    ("one", &[50], &[49, 51]),
    ("none", &[], &[9, 10]),
    ("some", &[3, 48, 90], &[1, 4, 91, 93]),
    ("until", &[1, 39], &[40, 41]),
    ("matrix", &[12, 19, 82, 89], &[11, 20, 81, 90]),
];

#[test]
fn a_loop_races_with_each_element_that_it_accesses_and_with_no_other_one() {
    let source = fs::read_to_string(fortran_source("races/whole_loops")).expect("the source");
    let line = |what: &str| {
        let mark = format!("! {}", if what == "backwards" { "section" } else { what });
        source.lines().position(|line| line.ends_with(&mark)).map(|line| line + 1)
    };
    for optimisation in ["-O0", "-O1", "-O3"] {
        let program = Program::fortran("races/whole_loops").argument("--check=races");
        let program = program.argument(optimisation).build();
        for (what, touched, others) in LOOPS {
            let elements = touched.iter().map(|it| (it, true));
            for (element, is_race) in elements.chain(others.iter().map(|it| (it, false))) {
                let run = Run::new(&program).images(2).launcher_option("--check=races");
                let outcome = run.args([what, &element.to_string()]).finish();
                outcome.within(SOON).stdout_is("done\n");
                let reported = outcome.stderr.contains("nothing orders the two statements");
                let case = format!("{what} at {element}, {optimisation}:\n{}", outcome.stderr);
                assert_eq!(reported, is_race, "{case}");
                if !is_race {
                    continue;
                }
                assert!(outcome.stderr.contains(&format!("x({element})")), "{case}");
                // The optimiser moves the access of `one` out of the loop, to the line of the loop.
                if what != "one" {
                    let place = format!("whole_loops.f90:{}", line(what).expect("a line"));
                    assert!(outcome.stderr.contains(&place), "{place}: {case}");
                }
            }
        }
    }
}
