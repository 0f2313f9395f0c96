//! Messages of the library say where in the program.

use std::time::Duration;
use xmp_tests::{Linking, Outcome, Program, Run};

const SOON: Duration = Duration::from_secs(300);

fn fault(program: Program, hosts: u32) -> Outcome {
    let outcome = Run::new(program.build()).images(3).virtual_hosts(hosts).finish();
    outcome.exited_with(1).within(SOON).stdout_is("");
    outcome
}

fn source_lines() -> Program {
    Program::fortran("faults/source_lines").argument("-O0")
}

#[test]
fn an_error_names_the_line_of_its_statement_and_of_the_calls_that_led_there() {
    for linking in [Linking::Shared, Linking::StaticXmp] {
        for hosts in [1, 2] {
            let outcome = fault(source_lines().linking(linking), hosts);
            let lines: Vec<&str> = outcome.stderr.lines().collect();
            let [first, second, third] = lines[..] else { panic!("{}", outcome.stderr) };
            assert!(first.contains("source_lines.f90:8: image 2: put: bytes "), "{first}");
            assert!(second.starts_with("  called from step at "), "{second}");
            assert!(second.ends_with("source_lines.f90:23"), "{second}");
            assert!(third.starts_with("  called from source_lines at "), "{third}");
            assert!(third.ends_with("source_lines.f90:18"), "{third}");
        }
    }
}

#[test]
fn without_debugging_information_the_procedure_is_named_and_how_to_get_the_line() {
    let outcome = fault(source_lines().argument("-g0"), 1);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert!(lines[0].starts_with("xmp: image 2: put: bytes "), "{}", outcome.stderr);
    assert!(lines[1].starts_with("  in halo::exchange ("), "{}", lines[1]);
    assert!(lines[1].ends_with("compile with -g to see the line)"), "{}", lines[1]);
    assert!(lines[2].starts_with("  called from step"), "{}", lines[2]);
}

#[test]
fn error_stop_names_its_image_and_line() {
    let program = Program::fortran("faults/error_stop").argument("-O0").build();
    for (how, code, text) in [("loud", 7, "ERROR STOP 7"), ("text", 1, "ERROR STOP too hot")] {
        let outcome = Run::new(&program).images(3).args([how]).finish();
        outcome.exited_with(code).within(SOON);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        assert_eq!(lines[0], text);
        assert!(lines[1].contains("error_stop.f90:"), "{}", outcome.stderr);
        assert!(lines[1].ends_with(": image 2: ERROR STOP"), "{}", outcome.stderr);
        assert_eq!(lines.len(), 2, "{}", outcome.stderr);
    }
    let outcome = Run::new(&program).images(3).args(["quiet"]).finish();
    outcome.exited_with(7).within(SOON).stderr_without("ERROR STOP");
}
