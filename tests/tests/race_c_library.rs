//! `--check=races`: functions of the C library by the names that headers and compilers give to them.

use std::fs;
use std::time::Duration;
use xmp_tests::marks;
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// `sscanf` is `__isoc23_sscanf` in programs that were compiled with glibc 2.38, and `snprintf` is `__snprintf_chk` with
/// `-D_FORTIFY_SOURCE=2`.
#[test]
fn functions_of_c_are_seen_by_the_names_that_headers_and_compilers_give_to_them() {
    let source = crate_dir().join("c/races_names.c");
    let text = fs::read_to_string(&source).expect("the source");
    let program = Program::c("races_names").argument("--check=races").build();
    let second = marks::place(&source, "second");
    let marked = text.split("/* first ").skip(1);
    let functions: Vec<&str> = marked.filter_map(|rest| Some(rest.split_once(" */")?.0)).collect();
    assert!(functions.len() > 70, "{functions:?}");
    for function in functions {
        let run = |mode: &str| {
            let run = Run::new(&program).images(2).launcher_option("--check=races");
            let outcome = run.args([function, mode]).finish();
            outcome.within(SOON);
            outcome
        };
        let first = marks::place(&source, &format!("first {function}"));
        run("racy").exited_with(1).stderr_line_with(&[&first, &second, "nothing orders"]);
        let outcome = run("beside");
        outcome.succeeded();
        assert_eq!(outcome.stderr, "", "{function}");
    }
}
