//! Random programs: all operations, blocking or not, on sets that overlap, under random settings, and with images that
//! end on the way.

mod operations;
mod program;
mod setup;

use program::End;
use setup::Setup;

/// Runs a number of programs of this kind; `seed` tells them from those of other tests.
fn run(seed: u64, programs: u64, make: impl Fn(u64) -> Setup) {
    for number in 0..programs {
        make(seed * 1000 + number).run();
    }
}

#[test]
fn results_are_right() {
    run(1, 40, |seed| Setup::random(seed, End::Regular));
}

/// Settings that make operations of a few bytes go by messages, and hosts without collective areas.
#[test]
fn results_are_right_where_hosts_have_no_areas() {
    run(2, 12, |seed| Setup::random(seed, End::Regular).without_areas());
}

/// Messages are the only way between hosts.
#[test]
fn results_are_right_on_separate_hosts() {
    run(7, 10, |seed| Setup::random(seed, End::Regular).on_separate_hosts());
    run(8, 6, |seed| Setup::random(seed, End::Stops).on_separate_hosts());
}

#[test]
fn an_image_that_stops_disturbs_no_set_without_it() {
    run(3, 40, |seed| Setup::random(seed, End::Stops));
}

#[test]
fn an_image_that_fails_within_an_operation_disturbs_no_set_without_it() {
    run(4, 40, |seed| Setup::random(seed, End::Fails));
}

#[test]
fn an_image_that_ends_disturbs_no_set_without_it_where_hosts_have_no_areas() {
    run(5, 8, |seed| Setup::random(seed, End::Stops).without_areas());
    run(6, 8, |seed| Setup::random(seed, End::Fails).without_areas());
}
