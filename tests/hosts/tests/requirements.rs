//! Requirements: a skip is reported, and fails where `XMP_REQUIRE` names what is lacking.

use std::env;
use std::process::{Command, Output};
use xmp_hosts::{Requirement, required, skipped};

/// Set for the process in which [`skips_for_lack_of_gdb`] skips.
const SKIPS: &str = "TEST_REQUIREMENTS_SKIPS";

#[test]
fn every_name_in_xmp_require_is_known() {
    required(env::var_os("XMP_REQUIRE")).unwrap_or_else(|message| panic!("{message}"));
}

#[test]
fn names_are_sorted_and_each_names_its_requirement() {
    assert!(Requirement::ALL.map(Requirement::name).is_sorted());
    for requirement in Requirement::ALL {
        assert_eq!(required(Some(requirement.name().into())), Ok(vec![requirement]));
    }
    let several = required(Some(" mpi, gdb,,".into()));
    assert_eq!(several, Ok(vec![Requirement::Mpich, Requirement::OpenMpi, Requirement::Gdb]));
    assert_eq!(required(None), Ok(Vec::new()));
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
    let message = required(Some("gdb,gbd".into())).expect_err("an error");
    let first = "XMP_REQUIRE names \"gbd\", which is none of mpi, aarch64, bridge, ";
    assert!(message.starts_with(first), "{message}");
}

/// Skips in the process that [`output_of_a_skip`] starts.
#[test]
fn skips_for_lack_of_gdb() {
    if env::var_os(SKIPS).is_some() {
        skipped(Requirement::Gdb, "gdb is not installed");
    }
}

/// Runs [`skips_for_lack_of_gdb`] with this value of `XMP_REQUIRE`.
fn output_of_a_skip(required: &str) -> Output {
    let command = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "skips_for_lack_of_gdb"])
        .envs([(SKIPS, "1"), ("XMP_REQUIRE", required)])
        .output();
    command.expect("it can be executed")
}

#[test]
fn a_skip_is_reported_though_the_test_passes() {
    let output = output_of_a_skip("valgrind");
    let text = String::from_utf8_lossy(&output.stderr);
    let report = "*** SKIPPED, skips_for_lack_of_gdb: gdb is not installed [gdb] ***";
    assert!(output.status.success() && text.contains(report), "{text}");
}

#[test]
fn a_skip_for_lack_of_what_is_required_is_a_failure() {
    for required in ["gdb", "mpi,gdb", "unknown"] {
        let output = output_of_a_skip(required);
        assert_eq!(output.status.code(), Some(101), "{required}: {output:?}");
    }
}
