//! `--check=races` where images are on several hosts: what is known of the order of accesses goes with the messages between them.

use serial_test::serial;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::marks;
use xmp_tests::program::fortran_source;
use xmp_tests::{Outcome, Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// Programs with pairs of accesses, and their images on two hosts.
const PROGRAMS: [(&str, [u32; 2]); 2] = [("faults/races", [2, 1]), ("races/local", [1, 1])];

/// Kinds that are tried between hosts, where each run takes long: one for each way in which an image learns of another one.
const BETWEEN_HOSTS: [&str; 14] = [
    "put_put",
    "get_put",
    "event_query",
    "lock",
    "critical",
    "strides",
    "team",
    "atomic",
    "sync_memory",
    "collective",
    "between_images",
    "write_put",
    "loop",
    "nested",
];

/// Kinds that the compiler executes in line by `memset` and `memcpy`, which a plug-in of gcc sees.
const IN_LINE: [&str; 2] = ["whole", "character"];

fn built(name: &str) -> PathBuf {
    Program::fortran(name).with("turns").argument("--check=races").argument("-O0").build()
}

/// The kinds of pairs of a program, with the places of both statements.
fn kinds(name: &str) -> Vec<(String, [String; 2])> {
    let source = fortran_source(name);
    let text = fs::read_to_string(&source).expect("the program's source");
    let file = source.file_name().expect("a name").to_string_lossy().into_owned();
    let place = |mark: &str| Some(format!("{file}:{}", marks::line_of(&text, mark)?));
    let firsts = text.lines().filter_map(|line| line.split_once("! first ")).map(|(_, kind)| kind);
    let kinds = firsts.filter(|kind| !IN_LINE.contains(kind)).filter_map(|kind| {
        let places = [place(&format!("first {kind}"))?, place(&format!("second {kind}"))?];
        Some((kind.to_owned(), places))
    });
    kinds.collect()
}

/// Whether a race is reported.
fn is_reported(outcome: &Outcome) -> bool {
    outcome.stderr.contains("nothing orders the two statements")
}

/// Each pair is reported at both statements where nothing orders it, and not where something does.
fn check(name: &str, is_chosen: impl Fn(&str) -> bool, run: impl Fn(&[&str]) -> Run) {
    let kinds = kinds(name).into_iter().filter(|(kind, _)| is_chosen(kind));
    let mut tried = 0;
    for (kind, [first, second]) in kinds {
        tried += 1;
        let outcome = run(&[&kind, "racy"]).finish();
        outcome.within(SOON).stdout_is("done\n");
        assert!(is_reported(&outcome), "{kind}:\n{}", outcome.stderr);
        outcome.stderr_line_with(&[&first, &second, "nothing orders the two statements"]);
        outcome.stderr_line_with(&["xmp: 1 race"]);
        assert_ne!(outcome.status.code(), Some(0), "{kind}");
        let outcome = run(&[&kind, "ordered"]).finish();
        outcome.succeeded().within(SOON).stdout_is("done\n");
        assert!(!is_reported(&outcome), "{kind}:\n{}", outcome.stderr);
    }
    assert!(tried > 2, "{tried} kinds");
}

#[test]
fn races_between_virtual_hosts_are_found() {
    for (name, images) in PROGRAMS {
        let (program, images) = (built(name), images.iter().sum());
        check(
            name,
            |_| true,
            |arguments| {
                let run = Run::new(&program).images(images).virtual_hosts(images);
                run.launcher_option("--check=races").args(arguments.iter().copied())
            },
        );
    }
}

#[test]
#[serial]
fn races_between_hosts_are_found_under_both_mpis() {
    let Some(network) = network(2) else { return };
    for mpirun in mpis_with_plugin() {
        for (name, images) in PROGRAMS {
            let program = built(name);
            let is_chosen = |kind: &str| BETWEEN_HOSTS.contains(&kind);
            check(name, is_chosen, |arguments| {
                let run = Run::new(&program).mpirun_on(&mpirun, &network, &images);
                run.env("XMP_CHECK", "races").args(arguments.iter().copied())
            });
        }
    }
}

#[test]
#[serial]
fn races_between_hosts_are_found_under_xmprun() {
    let Some(network) = network(2) else { return };
    for (name, images) in PROGRAMS {
        let program = built(name);
        let is_chosen = |kind: &str| BETWEEN_HOSTS.contains(&kind);
        check(name, is_chosen, |arguments| {
            let run = Run::new(&program).xmprun_on(&network, &images);
            run.launcher_option("--check=races").args(arguments.iter().copied())
        });
    }
}

/// The last image of the first host reports it, where images end by themselves; under MPI the first one that ends.
#[test]
#[serial]
fn the_number_of_races_of_a_job_on_several_hosts_that_ends_in_error_is_reported() {
    let Some(network) = network(2) else { return };
    let program = built("races/alike");
    let check = |run: Run| {
        let outcome = run.args(["error"]).finish();
        outcome.exited_with(1).within(SOON);
        let number = outcome.stderr.lines().filter(|line| line.ends_with("xmp: 1 race"));
        assert_eq!(number.count(), 1, "{}", outcome.stderr);
    };
    // Image 2 ends the job, on the first host and on the other one.
    for images in [[2, 1], [1, 1]] {
        let run = Run::new(&program).xmprun_on(&network, &images);
        check(run.launcher_option("--check=races"));
    }
    for mpirun in mpis_with_plugin() {
        let run = Run::new(&program).mpirun_on(&mpirun, &network, &[2, 1]);
        check(run.env("XMP_CHECK", "races"));
    }
}
