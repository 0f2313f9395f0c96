//! The shares of races that are found and of reports that are right (recall and precision): pairs of accesses, memory of each image, and
//! statements in between that order them or do not, after the cases of RMARaceBench. `XMP_TEST_PAIRS=all` tries all of them.

use std::env;
use std::path::PathBuf;
use std::time::Duration;
use xmp_tests::{Program, Run};

const SOON: Duration = Duration::from_secs(300);

/// Accesses to memory of the image itself, and of any image.
const LOCAL: [&str; 2] = ["load", "store"];
const COINDEXED: [&str; 4] = ["get", "put", "reference", "define"];

/// What is executed in between, and whether it orders the two accesses.
const BETWEEN: [(&str, bool); 19] = [
    ("nothing", false),
    ("sync_all", true),
    ("sync_images", true),
    ("with_stat", true),
    ("through_3", true),
    ("through_3_back", false),
    ("event", true),
    ("event_back", false),
    ("event_query", false),
    ("flag_memory", true),
    ("flag", false),
    ("memory", false),
    ("same_team", true),
    ("other_team", false),
    ("collective", false),
    ("allocation", true),
    ("critical", true),
    ("lock", true),
    ("two_locks", false),
];

/// Two accesses, and the image with the memory.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: &'static str,
    second: &'static str,
    owner: usize,
}

impl Pair {
    /// Whether the two are a race where nothing orders them.
    fn conflicts(self) -> bool {
        let accesses = [self.first, self.second];
        let writes = |access: &&str| ["store", "put", "define"].contains(access);
        let is_atomic = |access: &&str| ["reference", "define"].contains(access);
        accesses.iter().any(writes) && !accesses.iter().all(is_atomic)
    }
}

fn pairs() -> Vec<Pair> {
    let of = |image, owner| {
        let local = if image == owner { &LOCAL[..] } else { &[] };
        local.iter().chain(&COINDEXED)
    };
    let pairs = (1..=3).flat_map(|owner| {
        of(1, owner)
            .flat_map(move |first| of(2, owner).map(move |second| Pair { first, second, owner }))
    });
    pairs.collect()
}

/// A case: whether it is a race, and whether one is reported.
fn try_case(
    program: &PathBuf,
    hosts: u32,
    pair: Pair,
    between: &str,
    orders: bool,
) -> (bool, bool) {
    let Pair { first, second, owner } = pair;
    let run = Run::new(program).images(3).virtual_hosts(hosts).launcher_option("--check=races");
    let outcome = run.args([first, second, &owner.to_string(), between]).finish();
    outcome.within(SOON).stdout_is("done\n");
    let is_race = !orders && pair.conflicts();
    let is_reported = outcome.stderr.contains("nothing orders the two statements");
    if is_race != is_reported {
        eprintln!("{between}, {pair:?}: expected {is_race}\n{}", outcome.stderr);
    }
    (is_race, is_reported)
}

#[test]
fn all_races_of_pairs_are_found_and_no_other_ones() {
    let program =
        Program::fortran("races/pairs").with("turns").argument("--check=races").argument("-O0");
    let program = program.build();
    let all = env::var("XMP_TEST_PAIRS").is_ok_and(|value| value == "all");
    let pairs = pairs();
    for hosts in [1, 3] {
        try_all(&program, hosts, &pairs, all);
    }
}

/// Tries all cases on this many hosts, or some of them.
fn try_all(program: &PathBuf, hosts: u32, pairs: &[Pair], all: bool) {
    let (mut races, mut reports, mut both) = (0, 0, 0);
    for (number, (between, orders)) in BETWEEN.into_iter().enumerate() {
        // Of those with something in between some, others each time.
        let is_chosen = |at: usize| all || number == 0 || at % 11 == number % 11;
        for (_, &pair) in pairs.iter().enumerate().filter(|(at, _)| is_chosen(*at)) {
            let (is_race, is_reported) = try_case(program, hosts, pair, between, orders);
            races += usize::from(is_race);
            reports += usize::from(is_reported);
            both += usize::from(is_race && is_reported);
        }
    }
    assert!(races > 20, "{races} races are too few to tell");
    assert_eq!(
        (both, both),
        (races, reports),
        "races that are reported, of all races and of all reports"
    );
}
