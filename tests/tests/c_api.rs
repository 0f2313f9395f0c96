//! The C header: C programs that check themselves, and programs in C and Fortran.

use serial_test::serial;
use xmp_tests::matrix::conforms_program;
use xmp_tests::{Program, Run};

#[test]
fn teams() {
    conforms_program(&Program::c("teams"), "teams");
}

#[test]
fn collectives() {
    conforms_program(&Program::c("collectives"), "collectives");
}

#[test]
fn memory() {
    conforms_program(&Program::c("memory"), "memory");
}

#[test]
fn atomics() {
    conforms_program(&Program::c("atomics"), "atomics");
}

#[test]
fn signals() {
    conforms_program(&Program::c("signals"), "signals");
}

#[test]
fn sections() {
    conforms_program(&Program::c("sections"), "sections");
}

#[test]
fn reductions() {
    conforms_program(&Program::c("reductions"), "reductions");
}

#[test]
fn requests() {
    conforms_program(&Program::c("requests"), "requests");
}

#[test]
fn global_view() {
    conforms_program(&Program::c("global"), "global");
}

#[test]
fn fortran_calls_c_in_its_teams() {
    let program = Program::fortran("control/calls_c").with_c("called_by_fortran");
    conforms_program(&program, "calls_c");
}

#[test]
fn rust_routines_read_the_coarrays_of_fortran() {
    let program = Program::fortran("control/calls_rust").with_rust("reads_coarrays");
    conforms_program(&program, "calls_rust");
}

#[test]
#[serial]
fn images_that_stop_are_reported_by_a_code() {
    let program = Program::c("ends").build();
    for way in ["stop", "return"] {
        for hosts in [1, 3] {
            let run = Run::new(&program).images(3).virtual_hosts(hosts).args([way]);
            run.finish().succeeded().silent();
        }
    }
    Run::new(&program).images(3).args(["error-stop"]).finish().exited_with(17);
}

#[test]
#[serial]
fn waits_that_no_image_can_end_any_more_are_reported_by_a_code() {
    let program = Program::c("failures").build();
    for way in ["fail", "stop"] {
        for hosts in [1, 2, 3] {
            Run::new(&program).images(3).virtual_hosts(hosts).args([way]).finish().succeeded();
        }
    }
}

#[test]
fn the_headers_are_c_and_cpp_without_warnings() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = directory.path().join("all.c");
    std::fs::write(
        &source,
        "#include <xmprt_global.h>\nint main(void) { return xmprt_this_image(XMPRT_CURRENT) - 1; }\n",
    )
    .expect("a source");
    for language in
        [["-std=c99", "-xc"], ["-std=c11", "-xc"], ["-std=c2x", "-xc"], ["-std=c++11", "-xc++"]]
    {
        let mut command = std::process::Command::new(xmp_tests::toolchain::toolchain().xmpcc());
        command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]);
        let output = command.args(language).arg(&source).output().expect("xmpcc runs");
        assert!(
            output.status.success(),
            "{language:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
