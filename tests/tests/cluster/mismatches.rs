//! Hosts that do not fit together: programs, versions and settings that differ are refused by name.

use crate::{SOON, at_places};
use serial_test::serial;
use xmp_hosts::Flavour;
use xmp_tests::Program;
use xmp_tests::toolchain::toolchain;

#[test]
#[serial]
fn the_smallest_segment_is_that_of_all_hosts() {
    let program = Program::fortran("hosts/segments").build();
    at_places(&[2, 2], |place| {
        for host in ["alpha", "beta"] {
            let line = format!(
                "[ $(hostname) = {host} ] && export XMP_SEGMENT_SIZE=64M; exec {}",
                program.display()
            );
            place.run("/bin/sh").args(["-c", &line]).finish().succeeded().stdout_is("");
        }
    });
}

#[test]
#[serial]
fn hosts_with_different_programs_are_refused_by_name() {
    let one = Program::fortran("sync/sync_all").build();
    let other = Program::fortran("sync/sync_all").argument("-O1").build();
    at_places(&[1, 1], |place| {
        let line =
            format!("[ $(hostname) = beta ] && exec {}; exec {}", other.display(), one.display());
        let outcome = place.run("/bin/sh").args(["-c", &line]).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        let words = ["the program is not the same", "image 1 on alpha", "image 2 on beta"];
        outcome.within(SOON).stderr_line_with(&words);
    });
}

/// A copy of the library and its plug-ins in which another version is where theirs does.
#[test]
#[serial]
fn hosts_with_different_versions_are_refused_by_name() {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let other =
        VERSION.rsplit_once('.').map(|(first, _)| format!("{first}.x")).expect("it has dots");
    assert_eq!(other.len(), VERSION.len(), "it fits in its place");
    let place = tempfile::tempdir().expect("temporary files are possible");
    let mut files = vec![toolchain().prefix().join("lib/libxmprt.so.0")];
    files
        .extend(Flavour::ALL.iter().flat_map(|flavour| flavour.plugins_in(&toolchain().plugins())));
    for file in files {
        let mut bytes = std::fs::read(&file).expect("it can be read");
        let versions: Vec<usize> = bytes
            .windows(VERSION.len())
            .enumerate()
            .filter_map(|(at, its)| (its == VERSION.as_bytes()).then_some(at))
            .collect();
        for at in versions {
            bytes[at..at + VERSION.len()].copy_from_slice(other.as_bytes());
        }
        let name = file.file_name().expect("a file has a name");
        std::fs::write(place.path().join(name), bytes).expect("it can be written");
    }
    let program = Program::fortran("sync/sync_all").build();
    at_places(&[1, 1], |at| {
        let directory = place.path().display();
        let line = format!(
            "[ $(hostname) = beta ] && export LD_LIBRARY_PATH={directory} XMP_PLUGIN_DIR={directory}; exec {}",
            program.display()
        );
        let outcome = at.run("/bin/sh").args(["-c", &line]).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        let words = ["the version of XMP is not the same", VERSION, &other, "image 2 on beta"];
        outcome.within(SOON).stderr_line_with(&words);
    });
}

#[test]
#[serial]
fn settings_that_differ_are_refused_by_name() {
    let program = Program::fortran("sync/sync_all").build();
    at_places(&[1, 1], |place| {
        let line =
            format!("[ $(hostname) = beta ] && export XMP_CHECK=1; exec {}", program.display());
        let outcome = place.run("/bin/sh").args(["-c", &line]).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.within(SOON).stderr_line_with(&["XMP_CHECK", "not the same", "beta"]);
    });
}
