//! The Fortran and C example programs, compiled and run as the documents say; each checks its own result.

use std::path::Path;
use std::process::Command;
use xmp_tests::exceptions::left_out;
use xmp_tests::program::fortran_example;
use xmp_tests::toolchain::{toolchain, workspace};
use xmp_tests::{Outcome, Program, Run};

/// Runs an example as this many images; it must succeed.
fn run(program: &Program, images: u32, arguments: &[&str]) -> Outcome {
    let outcome = Run::new(program.build()).images(images).args(arguments).finish();
    outcome.succeeded();
    outcome
}

/// Runs CG, class S, as 1 to 16 images, some of them on two hosts; it must find the eigenvalue.
fn cg_verifies(program: &Program, form: &[&str]) {
    for (images, hosts) in [(1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (8, 2)] {
        let run = Run::new(program.build()).images(images).virtual_hosts(hosts);
        let outcome = run.args(["S"]).args(form).finish();
        outcome.succeeded();
        assert!(outcome.stdout.contains("VERIFICATION SUCCESSFUL"), "{}", outcome.stdout);
    }
}

#[test]
fn hello() {
    let text = run(&Program::example("hello", None), 3, &[]).stdout;
    assert!(text.contains("hello from image 2 of 3"), "{text}");
}

#[test]
fn programs_that_print_pass_or_fail() {
    for (name, arguments) in [
        ("heat2d", &[] as &[&str]),
        ("himeno", &["XS"]),
        ("pi_critical_lock", &[]),
        ("event_pipeline", &[]),
    ] {
        if left_out(&fortran_example(name)) {
            continue;
        }
        let program = Program::example(name, None);
        for images in [1, 4] {
            let text = run(&program, images, arguments).stdout;
            assert!(text.contains("PASS"), "{name}: {text}");
        }
    }
}

#[test]
fn npb_cg() {
    if left_out(&fortran_example("npb_cg")) {
        return;
    }
    let program = Program::example("npb_cg", Some("npb_cg"));
    cg_verifies(&program, &[]);
    let refused = |images, class: &str| {
        Run::new(program.build()).images(images).args([class]).finish().exited_with(1).clone()
    };
    refused(3, "S").stderr_line_with(&["npb_cg", "not a power of two"]);
    refused(2, "Z").stderr_line_with(&["npb_cg", "class \"Z\" is not one of S, W, A, B"]);
}

#[test]
fn npb_cg_teams() {
    if left_out(&fortran_example("npb_cg_teams")) {
        return;
    }
    let program = Program::example("npb_cg_teams", Some("npb_cg"));
    for form in ["steps", "sums"] {
        cg_verifies(&program, &[form]);
    }
    let refused = Run::new(program.build()).images(2).args(["S", "rows"]).finish();
    let words = ["npb_cg_teams", "form \"rows\" is not one of steps, sums"];
    refused.exited_with(1).stderr_line_with(&words);
}

#[test]
fn power_iteration() {
    let program = Program::c_example("power_iteration");
    for images in [1, 4, 9] {
        let text = run(&program, images, &[]).stdout;
        assert!(text.contains("PASS"), "{text}");
    }
    let refused = Run::new(program.build()).images(3).finish();
    refused.exited_with(2).stderr_line_with(&["3 images are no square grid"]);
}

#[test]
fn xmp_heat() {
    let program = Program::xmp_example("heat", &["-Wl,--no-as-needed", "-lm"]);
    for images in [1, 3, 4] {
        let text = run(&program, images, &[]).stdout;
        assert!(text.contains("PASS"), "{text}");
    }
}

#[test]
fn xmp_programs_that_print_pass_or_fail() {
    for name in ["ep", "cg", "mixed"] {
        let program = Program::xmp_example(name, &["-Wl,--no-as-needed", "-lm"]);
        for images in [1, 2, 3, 4, 8] {
            let text = run(&program, images, &[]).stdout;
            assert!(text.contains("PASS"), "{name}: {text}");
        }
        Run::new(program.build()).images(4).virtual_hosts(2).finish().succeeded();
    }
}

#[test]
fn xmp_programs_without_their_directives_are_serial_programs() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["heat", "ep", "cg"] {
        let program = directory.path().join(name);
        let source = workspace().join("examples/xmp").join(name).with_extension("c");
        let mut command = Command::new("cc");
        command
            .args(["-O2", "-Wno-unknown-pragmas"])
            .arg(source)
            .arg("-o")
            .arg(&program)
            .arg("-lm");
        assert!(command.status().expect("a C compiler").success(), "{name}");
        let output = Command::new(&program).output().expect("it runs");
        assert!(output.status.success(), "{name}: {output:?}");
    }
}

#[test]
fn xmp_programs_in_fortran() {
    for name in ["heat", "ep", "cg", "mixed"] {
        let program = Program::xmp_fortran_example(&format!("{name}.f90"), &["-O2".into()]);
        for images in [1, 2, 3, 4, 8] {
            let text = run(&program, images, &[]).stdout;
            assert!(text.contains("PASS"), "{name}: {text}");
        }
        Run::new(program.build()).images(4).virtual_hosts(2).finish().succeeded();
    }
}

#[test]
fn xmp_programs_in_fortran_without_their_directives_are_serial_programs() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["heat", "ep", "cg"] {
        let program = directory.path().join(name);
        let source = workspace().join("examples/xmp").join(name).with_extension("f90");
        let mut command = Command::new(toolchain().fortran());
        // The module of CG goes there, too.
        command.arg("-O2").arg(source).arg("-o").arg(&program).current_dir(directory.path());
        assert!(command.status().expect("a Fortran compiler").success(), "{name}");
        let output = Command::new(&program).output().expect("it runs");
        assert!(output.status.success(), "{name}: {output:?}");
    }
}

/// What the Himeno benchmark prints after `gosa`.
fn gosa(grid: [u32; 2]) -> f64 {
    let sizes = ["-DSIZE_I=34", "-DSIZE_J=33", "-DSIZE_K=32"].map(str::to_owned);
    let nodes = [format!("-DNODES_I={}", grid[0]), format!("-DNODES_J={}", grid[1])];
    let options: Vec<&str> = sizes.iter().chain(&nodes).map(String::as_str).collect();
    let text = run(&Program::xmp_example("himeno", &options), grid[0] * grid[1], &[]).stdout;
    let value = text.split("gosa ").nth(1).and_then(|rest| rest.split(',').next());
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no gosa: {text}"))
}

#[test]
fn xmp_himeno() {
    let serial = gosa([1, 1]);
    for grid in [[2, 1], [1, 3], [2, 2], [4, 2]] {
        let difference = (gosa(grid) / serial - 1.0).abs();
        assert!(difference < 1e-6, "{grid:?}: {difference}");
    }
}

/// What the Himeno benchmark in Fortran prints after `gosa`.
fn gosa_in_fortran(nodes_j: u32, images: u32) -> f64 {
    let options = ["-DSIZE_I=32", "-DSIZE_J=33", "-DSIZE_K=34", &format!("-DNODES_J={nodes_j}")]
        .map(str::to_owned);
    let text = run(&Program::xmp_fortran_example("himeno.F90", &options), images, &[]).stdout;
    let value = text.split("gosa ").nth(1).and_then(|rest| rest.split(',').next());
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no gosa: {text}"))
}

#[test]
fn xmp_himeno_in_fortran() {
    let serial = gosa_in_fortran(1, 1);
    for (nodes_j, images) in [(1, 2), (1, 3), (2, 4), (4, 8)] {
        let difference = (gosa_in_fortran(nodes_j, images) / serial - 1.0).abs();
        assert!(difference < 1e-6, "{nodes_j} of {images}: {difference}");
    }
}

#[test]
fn x_run_compiles_and_runs_himeno_in_xmp() {
    let benchmark = |command: &str| {
        let scratch = tempfile::tempdir().expect("a directory");
        let script =
            format!("set -eu; say() {{ :; }}; . .ci/benchmarks.sh; PATH=$1/bin:$PATH; {command}");
        let prefix = toolchain().prefix();
        let arguments = ["-c", &script, "benchmark"].map(Path::new);
        let output = Command::new("bash")
            .args(arguments.into_iter().chain([prefix, scratch.path()]))
            .current_dir(workspace())
            .output()
            .expect("bash");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // The machine of the test has any number of cores: each grid is as large as fits.
    let grids = "for cores in 1 2 3 4 7 8 64 1000; do grid_of $cores; done";
    assert_eq!(benchmark(grids), "1 1\n2 1\n2 1\n2 2\n2 2\n4 2\n8 8\n8 8\n");
    let text = benchmark("nproc() { echo 5; }; run_xmp_himeno \"$2\"");
    assert!(text.contains("on 2 x 2 nodes: gosa "), "{text}");
}

#[test]
fn x_run_refuses_unknown_benchmarks() {
    for arguments in [&["run", "nonsense"] as &[&str], &["run", "cg", "xmp"]] {
        let output = Command::new(workspace().join("x")).args(arguments).output().expect("./x");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text.contains("cg") && text.contains("xmp"), "{arguments:?}: {text}");
    }
}
