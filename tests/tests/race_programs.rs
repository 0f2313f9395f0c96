//! `--check=races` of programs with threads of OpenMP and with directives of XcalableMP.

use std::fs;
use std::time::Duration;
use xmp_tests::exceptions::left_out_with;
use xmp_tests::program::fortran_source;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Program, Run};

const SOON: Duration = Duration::from_secs(300);

#[test]
fn loads_and_stores_of_all_threads_of_an_image_are_seen() {
    if left_out_with(15.., "races of reads and writes", "accessors access memory themselves") {
        return;
    }
    let name = "races/threads";
    let program = Program::fortran(name).with("turns").argument("--check=races");
    let program = program.argument("-fopenmp").argument("-O0").build();
    let run = |mode: &str| {
        Run::new(&program).images(2).launcher_option("--check=races").args([mode]).finish()
    };
    let text = fs::read_to_string(fortran_source(name)).expect("the program's source");
    let place = |mark: &str| {
        let line = text.lines().position(|line| line.ends_with(&format!("! {mark}")));
        format!("threads.f90:{}", line.expect("a marked line") + 1)
    };
    let outcome = run("racy");
    outcome.exited_with(1).within(SOON).stdout_is("done\n");
    outcome.stderr_line_with(&[&place("first"), &place("second"), "x(777)"]);
    outcome.stderr_line_with(&["xmp: 1 race"]);
    run("ordered").succeeded().within(SOON).stdout_is("done\n");
}

#[test]
fn puts_to_coarrays_of_xcalablemp_are_seen_and_directives_order_them() {
    let source = crate_dir().join("c/xmp/races.c");
    let program = Program::xmp_c(&["races"]).argument("--check=races").argument("-O0").build();
    let run = |how: &str| {
        Run::new(&program).images(2).launcher_option("--check=races").args([how]).finish()
    };
    let text = fs::read_to_string(source).expect("the program's source");
    let place = |mark: &str| {
        let line = text.lines().position(|line| line.ends_with(&format!("/* {mark} */")));
        format!("races.c:{}", line.expect("a marked line") + 1)
    };
    let outcome = run("");
    outcome.exited_with(1).within(SOON).stdout_is("done\n");
    outcome.stderr_line_with(&[&place("first"), &place("second"), "nothing orders"]);
    outcome.stderr_line_with(&["xmp: 1 race"]);
    for how in ["sync", "images", "post"] {
        let outcome = run(how);
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{how}");
    }
}

#[test]
fn accesses_of_directives_to_distributed_arrays_are_seen() {
    let source = crate_dir().join("c/xmp/races_global.c");
    let program = Program::xmp_c(&["races_global"]).argument("--check=races").argument("-O0");
    let program = program.build();
    let text = fs::read_to_string(source).expect("the program's source");
    let place = |mark: &str| {
        let line = text.lines().position(|line| line.ends_with(&format!("/* {mark} */")));
        format!("races_global.c:{}", line.expect("a marked line") + 1)
    };
    for way in ["in", "out"] {
        let run = |how: &str| {
            let run = Run::new(&program).images(2).launcher_option("--check=races");
            run.args([way, how]).finish()
        };
        let outcome = run("");
        outcome.exited_with(1).within(SOON).stdout_is("done\n");
        let [first, second] = ["first", "second"].map(|mark| place(&format!("{mark} {way}")));
        outcome.stderr_line_with(&[&first, &second, "nothing orders"]);
        let outcome = run("barrier");
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert_eq!(outcome.stderr, "", "{way}");
    }
}
