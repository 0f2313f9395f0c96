//! The cost of recording: nothing where nothing is recorded, and few instructions otherwise.

use std::time::Duration;
use xmp_hosts::installed;
use xmp_tests::toolchain::{output_of, toolchain};
use xmp_tests::{Program, Run};

/// Recording is a library of its own: `libxmprt.so` knows nothing of it, and so has no instruction for it.
#[test]
fn programs_that_are_not_traced_load_nothing_of_it() {
    let library = toolchain().prefix().join("lib/libxmprt.so");
    let dynamic = output_of("readelf", ["-d".as_ref(), library.as_os_str()]);
    assert!(!dynamic.contains("xmprt_trace"), "{dynamic}");
    let symbols = output_of("nm", ["-C".as_ref(), library.as_os_str()]);
    assert!(symbols.contains("_gfortran_caf_send"));
    let recording = symbols.lines().find(|line| line.contains("xmp_trace::"));
    assert_eq!(recording, None);
    let outcome = Run::new("/bin/sh").images(1).args(["-c", "echo \"[$LD_PRELOAD]\""]).finish();
    outcome.succeeded().stdout_is("[]\n");
}

/// Instructions that one more put of 8 bytes executes, recorded or not.
fn instructions_of_a_put(is_recorded: bool) -> u64 {
    let directory = tempfile::tempdir().expect("a directory");
    let program = Program::fortran("control/puts").build();
    let instructions = |count: u64| {
        let output = format!("--callgrind-out-file={}", directory.path().join("out").display());
        let run = Run::new("valgrind").limit(Duration::from_secs(600));
        let run = run
            .args(["--tool=callgrind", &output])
            .args([program.as_os_str()])
            .args([count.to_string()]);
        let run = run.env("XMP_NUM_IMAGES", "1").env("XMP_SEGMENT_SIZE", "64M");
        let run = if is_recorded {
            run.env("LD_PRELOAD", toolchain().plugins().join("libxmprt_trace.so"))
                .env("XMP_TRACE", directory.path().join("trace.json"))
        } else {
            run
        };
        let outcome = run.finish();
        let refs = outcome.stderr.lines().find_map(|line| line.split_once("I   refs:"));
        let (_, number) = refs.unwrap_or_else(|| panic!("no count in {outcome:?}"));
        number.trim().replace(',', "").parse::<u64>().expect("a number")
    };
    let [few, many] = [5_000, 25_000].map(instructions);
    (many - few) / 20_000
}

#[test]
fn recording_an_operation_takes_few_instructions() {
    if !installed(&["valgrind"]) {
        return;
    }
    let [without, with] = [false, true].map(instructions_of_a_put);
    // Less than 450 are measured without optimisation across crates.
    assert!(without > 0 && with - without < 600, "{without}, recorded {with}");
}
