//! The example programs on separate hosts, under the launcher of each MPI. A Rust program finds the plug-ins where
//! `XMP_PLUGIN_DIR` says, or by the `xmprun` in `PATH`; an installed library has them beside itself.

use serial_test::serial;
use std::time::Duration;
use xmp_tests::Run;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::toolchain::toolchain;

/// For programs that say much to the other host.
const LONG: Duration = Duration::from_secs(600);

/// Runs a program on hosts; it must end well and say this.
fn says(program: &str, arguments: &[&str], images: &[u32], words: &str) {
    let Some(network) = network(images.len()) else { return };
    let plugins = toolchain().plugins();
    for mpirun in mpis_with_plugin() {
        let run = Run::new(program).mpirun_on(&mpirun, &network, images).limit(LONG);
        let run = run.env("XMP_PLUGIN_DIR", &plugins).args(arguments);
        let text = run.finish().succeeded().stdout.clone();
        assert!(text.contains(words), "{text}");
    }
}

#[test]
#[serial]
fn a_program_finds_plugins_by_the_xmprun_in_its_path() {
    let bin = toolchain().prefix().join("bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin).chain(std::env::split_paths(&path)));
    let path = path.expect("no directory has a colon in its name");
    for mpirun in mpis_with_plugin() {
        let run = Run::new(env!("CARGO_BIN_EXE_hello")).mpirun(&mpirun).images(2);
        let text = run.env("PATH", &path).finish().succeeded().stdout.clone();
        assert!(text.contains("hello from image 2 of 2"), "{text}");
    }
}

#[test]
#[serial]
fn coarrays() {
    says(env!("CARGO_BIN_EXE_hello"), &[], &[1, 2], "hello from image 3 of 3");
    for form in ["tasks", "on-team", "steps"] {
        says(env!("CARGO_BIN_EXE_cg"), &["S", form], &[2, 2], "VERIFICATION SUCCESSFUL");
    }
    says(env!("CARGO_BIN_EXE_random_access"), &["10"], &[2, 2], "VERIFICATION SUCCESSFUL");
}

#[test]
#[serial]
fn global_view() {
    says(env!("CARGO_BIN_EXE_heat_global"), &["30", "40"], &[2, 2], "center 0.");
    says(env!("CARGO_BIN_EXE_himeno_global"), &["XS", "1"], &[1, 2], " 0 wrong points");
    says(env!("CARGO_BIN_EXE_transpose_global"), &["10", "31"], &[2, 2], " 0 wrong");
    says(env!("CARGO_BIN_EXE_ep_global"), &["S"], &[1, 2], "VERIFICATION SUCCESSFUL");
    says(env!("CARGO_BIN_EXE_mixed"), &["20"], &[2, 2], "tracers 3104");
}
