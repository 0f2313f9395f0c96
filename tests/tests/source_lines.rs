//! Messages of the library say where in the program.

use std::time::Duration;
use xmp_tests::exceptions::left_out_with;
use xmp_tests::hosts::{mpis_with_plugin, network};
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
    if left_out_with(15.., "subscripts of coindexed objects", "accessors have them") {
        return;
    }
    for linking in [Linking::Shared, Linking::StaticXmp] {
        for hosts in [1, 2] {
            let outcome = fault(source_lines().linking(linking), hosts);
            let lines: Vec<&str> = outcome.stderr.lines().collect();
            let [first, second, third] = lines[..] else { panic!("{}", outcome.stderr) };
            let message = "source_lines.f90:8: image 2: put to u(1:11)[1]: subscript 11 of dimension 1 is \
                           not in 1:10";
            assert!(first.ends_with(message), "{first}");
            assert!(second.starts_with("  called from step at "), "{second}");
            assert!(second.ends_with("source_lines.f90:23"), "{second}");
            assert!(third.starts_with("  called from source_lines at "), "{third}");
            assert!(third.ends_with("source_lines.f90:18"), "{third}");
        }
    }
}

#[test]
fn without_debugging_information_the_procedure_is_named_and_how_to_get_the_line() {
    if left_out_with(15.., "subscripts of coindexed objects", "accessors have them") {
        return;
    }
    let outcome = fault(source_lines().argument("-g0"), 1);
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    // Bounds of static coarrays are in debugging information only.
    let first = "xmp: image 2: put to u[1]: bytes 0 to 87 are not within the coarray of 80 bytes";
    assert_eq!(lines[0], first);
    assert!(lines[1].starts_with("  in halo::exchange ("), "{}", lines[1]);
    assert!(lines[1].ends_with("compile with -g to see the line)"), "{}", lines[1]);
    assert!(lines[2].starts_with("  called from step"), "{}", lines[2]);
}

/// What image 2 reports for each access of the program `designators`, after the line.
const DESIGNATORS: [(&str, &str); 20] = [
    (
        "37: column",
        "put to u(1:200, 52)[1]: subscript 52 of dimension 2 is not in 0:51 (the same addresses are u(203:402, 51)[1])",
    ),
    (
        "39: before",
        "get from u(1:200, -1)[1]: subscript -1 of dimension 2 is not in 0:51 (the same addresses are u(-201:-2, 0)[1])",
    ),
    ("41: row", "put to u(5, 0:52)[1]: subscript 52 of dimension 2 is not in 0:51"),
    (
        "43: module",
        "get from grid(2, 5)[1]: subscript 5 of dimension 2 is not in -1:4 (the same addresses are grid(5, 4)[1])",
    ),
    ("45: section", "put to list(5:15)[1]: subscript 11 of dimension 1 is not in 1:10"),
    ("47: backwards", "get from list(2:-2:-2)[1]: subscript 0 of dimension 1 is not in 1:10"),
    ("49: vector", "put to list([1, 5, 12])[1]: subscript 12 of dimension 1 is not in 1:10"),
    ("51: characters", "put to names(4)[1]: subscript 4 of dimension 1 is not in 1:3"),
    ("53: component", "get from cells(7)[1]%x: subscript 7 of dimension 1 is not in 0:6"),
    ("55: element", "get from cells(7)[1]%marks(2): subscript 7 of dimension 1 is not in 0:6"),
    ("57: components", "get from cells(5:7)[1]%x: subscript 7 of dimension 1 is not in 0:6"),
    ("59: scalar", "put to number[4]: image index 4 is not in 1:3"),
    ("61: copy", "copy of list(2)[3] to list(11)[1]: subscript 11 of dimension 1 is not in 1:10"),
    (
        "63: copy-from",
        "copy of list(11)[3] to list(2)[1]: subscript 11 of dimension 1 is not in 1:10",
    ),
    ("93: dummy", "get from list(11)[1]: subscript 11 of dimension 1 is not in 1:10"),
    (
        "98: procedure",
        "put to u(11, 56)[3]: subscript 56 of dimension 2 is not in 0:51 (the same addresses are u(1021, 51)[3])",
    ),
    // MOVE_ALLOC does not report the variable that has the coarray now.
    (
        "76: moved",
        "put to a coarray (8)[1] (allocated at designators.f90:29): subscript 8 of dimension 1 is not in 1:7",
    ),
    ("85: local", "put to work(11)[1]: subscript 11 of dimension 1 is not in 1:10"),
    ("86: local-scalar", "put to other[11]: image index 11 is not in 1:3"),
    ("69: events", "event post to ready(2)[4]: image index 4 is not in 1:3"),
];

/// The first line that the access writes, without the directories of the source file.
fn designator(program: &std::path::Path, access: &str, hosts: u32) -> String {
    let outcome = Run::new(program).images(3).virtual_hosts(hosts).args([access]).finish();
    outcome.exited_with(1).within(SOON).stdout_is("");
    let line = outcome.stderr.lines().next().unwrap_or_default();
    let file = "designators.f90:";
    let short = |word: &str| {
        let bracket = if word.starts_with('(') { "(" } else { "" };
        word.find(file).map_or_else(|| word.into(), |at| format!("{bracket}{}", &word[at..]))
    };
    line.split(' ').map(short).collect::<Vec<String>>().join(" ")
}

#[test]
fn variables_and_subscripts_are_those_of_the_source() {
    if left_out_with(15.., "subscripts of coindexed objects", "accessors have them") {
        return;
    }
    let program = Program::fortran("faults/designators").argument("-O0").build();
    for (number, (access, message)) in DESIGNATORS.iter().enumerate() {
        let (line, access) = access.split_once(": ").expect("line: access");
        let first = designator(&program, access, 1 + number as u32 % 2);
        let expected = format!("designators.f90:{line}: image 2: {message}");
        assert!(first.ends_with(&expected), "{access}: {first}");
    }
}

/// What image 2 reports for each statement of the program `names`, after the line; the dots stand for subscripts, which
/// gfortran 15 and later do not pass.
const NAMES: [(&str, &str); 8] = [
    ("28: put", "put to u...[4]"),
    ("30: get", "get from grid...[4]"),
    ("32: scalar", "put to number[4]"),
    ("48: dummy", "put to number[4]"),
    ("36: event", "event post to ready[4]"),
    ("38: lock", "lock of guard[4]"),
    ("40: atomic", "atomic_add of count[4]"),
    ("54: local", "put to work...[4]"),
];

#[test]
fn variables_are_named_with_every_version_of_the_compiler() {
    let program = Program::fortran("faults/names").argument("-O0").build();
    for (number, (statement, expected)) in NAMES.iter().enumerate() {
        let (line, statement) = statement.split_once(": ").expect("line: statement");
        let hosts = 1 + number as u32 % 2;
        let run = Run::new(&program).images(3).virtual_hosts(hosts).args([statement]);
        let outcome = run.finish();
        outcome.exited_with(1).within(SOON).stdout_is("");
        let first = outcome.stderr.lines().next().unwrap_or_default();
        let (place, message) = first.split_once(": ").expect("a place");
        assert!(place.ends_with(&format!("names.f90:{line}")), "{statement}: {first}");
        let message = message.strip_prefix("image 2: ").expect("the image");
        let message = message.strip_suffix(": image index 4 is not in 1:3").expect("the error");
        let (before, after) = expected.split_once("...").unwrap_or((expected, ""));
        let subscripts = message.strip_prefix(before).and_then(|it| it.strip_suffix(after));
        let is_right = |it: &str| it.is_empty() || it.starts_with('(') && it.ends_with(')');
        assert!(subscripts.is_some_and(is_right), "{statement}: {first}");
        let caller = outcome.stderr.lines().nth(1);
        let is_caller = |it: &str| it.starts_with("  called from names at ");
        let is_in_procedure = ["dummy", "local"].contains(&statement);
        assert_eq!(caller.is_some_and(is_caller), is_in_procedure, "{}", outcome.stderr);
    }
}

/// Checks that `images` are named together in one message of a run of `designators` in which all make the same mistake. An
/// image that comes late, on a busy machine, says nothing.
fn are_named_together(images: &str, what: &str, run: impl Fn() -> Run) {
    let message = "put to list(11)[1]: subscript 11 of dimension 1 is not in 1:10";
    let together = (0..50).any(|_| {
        let outcome = run().args(["all"]).limit(SOON).finish();
        outcome.exited_with(1);
        // Some launchers of MPI pass on to standard output what images write to standard error.
        let lines = outcome.stderr.lines().chain(outcome.stdout.lines());
        let found: Vec<&str> = lines.filter(|line| line.contains("designators.f90:")).collect();
        let [line] = found[..] else { panic!("{what}: {outcome:?}") };
        let (place, rest) = line.split_once(": ").expect("a place");
        assert!(place.ends_with("designators.f90:72"), "{what}: {line}");
        let (who, found) = rest.split_once(": ").expect("images");
        assert_eq!(found, message, "{what}: {line}");
        who == images
    });
    assert!(together, "{what}: {images} never reported together");
}

#[test]
fn what_all_images_report_alike_is_written_once() {
    if left_out_with(15.., "subscripts of coindexed objects", "accessors have them") {
        return;
    }
    let program = Program::fortran("faults/designators").argument("-O0").build();
    for (images, hosts) in [(3, 1), (4, 2)] {
        let run = || Run::new(&program).images(images).virtual_hosts(hosts);
        are_named_together(&format!("images 1-{images}"), "xmprun", run);
    }
    let network = network(2);
    for mpirun in mpis_with_plugin() {
        for (images, hosts) in [(2, 1), (4, 2), (4, 4)] {
            let run = || Run::new(&program).mpirun(&mpirun).images(images).virtual_hosts(hosts);
            are_named_together(&format!("images 1-{images}"), "virtual hosts", run);
        }
        if let Some(network) = &network {
            let run = || Run::new(&program).mpirun_on(&mpirun, network, &[2, 2]);
            are_named_together("images 1-4", "separate hosts", run);
        }
    }
}

#[test]
fn a_stack_overflow_names_its_line_and_the_limit() {
    for linking in [Linking::Shared, Linking::StaticXmp] {
        let program = Program::fortran("faults/stack").argument("-O0").argument("-fstack-arrays");
        let program = program.linking(linking).build();
        // After a statement that synchronises, and before the first one.
        for when in ["", "first"] {
            let program = program.to_str().expect("a path");
            let limited = ["-c", "ulimit -s 8192; exec \"$0\" $1", program, when];
            let outcome = Run::new("/bin/sh").images(2).args(limited).finish();
            outcome.exited_with(128 + libc::SIGSEGV).within(SOON);
            let lines: Vec<&str> = outcome.stderr.lines().collect();
            let message = "stack.f90:17: image 2: stack overflow: the limit is 8192 KiB; `ulimit -s unlimited` removes it, \
                           large arrays that are allocatable need no stack";
            assert!(lines[0].ends_with(message), "{when} {}", outcome.stderr);
            assert!(lines[1].starts_with("  called from stack at "), "{}", outcome.stderr);
            assert!(lines[1].ends_with("stack.f90:10"), "{}", outcome.stderr);
            assert!(lines[2].ends_with("was killed by signal 11 (SIGSEGV)"), "{}", outcome.stderr);
        }
    }
}

#[test]
fn stack_overflows_of_several_images_have_the_lines_of_each_together() {
    let program =
        Program::fortran("faults/stack").argument("-O0").argument("-fstack-arrays").build();
    let program = program.to_str().expect("a path");
    let limited = ["-c", "ulimit -s 8192; exec \"$0\" all", program];
    for _ in 0..5 {
        let outcome = Run::new("/bin/sh").images(8).args(limited).finish();
        outcome.exited_with(128 + libc::SIGSEGV).within(SOON);
        let lines: Vec<&str> = outcome.stderr.lines().collect();
        let mut overflows = 0;
        for (at, line) in lines.iter().enumerate() {
            if line.contains(": stack overflow: ") {
                overflows += 1;
                let next = lines.get(at + 1).unwrap_or(&"");
                assert!(next.starts_with("  called from stack at "), "{}", outcome.stderr);
            }
        }
        assert!(overflows > 1, "{}", outcome.stderr);
    }
}

#[test]
fn a_stack_overflow_of_a_thread_names_the_setting_of_openmp() {
    let constructs = ["parallel", "static", "dynamic", "guided", "runtime", "sections"];
    for linking in [Linking::Shared, Linking::StaticXmp] {
        let program = Program::fortran("faults/thread_stack").argument("-O0").argument("-fopenmp");
        let program = program.linking(linking).build();
        for construct in constructs {
            let run = |depth| {
                let run = Run::new(&program).images(2).args([construct, depth]);
                run.env("OMP_STACKSIZE", "512K").env("OMP_SCHEDULE", "dynamic").finish()
            };
            run("10").succeeded().silent();
            let outcome = run("10000");
            outcome.exited_with(128 + libc::SIGSEGV).within(SOON);
            let first = outcome.stderr.lines().next().unwrap_or_default();
            let message = ": image 2: stack overflow in a thread of OpenMP: its stack has 512 KiB; OMP_STACKSIZE=64M sets the \
                           size, large arrays that are allocatable need no stack";
            assert!(first.contains("thread_stack.f90:"), "{construct}: {}", outcome.stderr);
            assert!(first.ends_with(message), "{construct}: {}", outcome.stderr);
        }
    }
}

#[test]
fn other_faults_are_left_to_the_compiler() {
    let program = Program::fortran("faults/stack").argument("-O0").build();
    let outcome = Run::new(program).images(1).args(["null"]).finish();
    outcome.exited_with(128 + libc::SIGSEGV).within(SOON).stderr_without("stack overflow");
    outcome.stderr_line_with(&["Program received signal SIGSEGV"]);
    outcome.stderr_line_with(&["stack.f90:11"]);
}

#[test]
fn variables_have_their_names_without_debugging_information() {
    if left_out_with(15.., "subscripts of coindexed objects", "accessors have them") {
        return;
    }
    let program =
        Program::fortran("faults/designators").argument("-g0").linking(Linking::StaticXmp);
    let program = program.build();
    for (access, message) in [
        ("column", "put to u[1]: bytes 84040 to 85639 are not within the coarray of 84032 bytes"),
        ("section", "put to list(5:15)[1]: subscript 11 of dimension 1 is not in 1:10"),
        ("module", "get from grid(2, 5)[1]: subscript 5 of dimension 2 is not in -1:4 "),
        ("scalar", "put to number[4]: image index 4 is not in 1:3"),
    ] {
        let first = designator(&program, access, 1);
        assert!(first.starts_with(&format!("xmp: image 2: {message}")), "{access}: {first}");
    }
    let stripped = Program::fortran("faults/designators").argument("-s").build();
    let first = designator(&stripped, "scalar", 1);
    assert_eq!(first, "xmp: image 2: put: image index 4 is not in 1:3");
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
