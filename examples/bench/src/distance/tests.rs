//! No core is asked and no time passes: [`Played`] says what the probes find and how late it is.

use super::*;
use std::cell::Cell;
use std::time::Duration;

/// Finds these round trips one after the other, then the last one again and again. It is a second later each time that
/// someone asks.
struct Played {
    round_trips: Vec<f64>,
    seconds: Cell<u64>,
}

impl Probe for Played {
    fn round_trip(&mut self) -> Option<f64> {
        if self.round_trips.len() > 1 {
            Some(self.round_trips.remove(0))
        } else {
            self.round_trips.first().copied()
        }
    }

    fn now(&self) -> Duration {
        self.seconds.update(|seconds| seconds + 1);
        Duration::from_secs(self.seconds.get())
    }
}

fn played(round_trips: &[f64]) -> Played {
    Played { round_trips: round_trips.to_vec(), seconds: Cell::new(0) }
}

/// Where there are so many seconds for repeating.
fn with_time(seconds: u64) -> Distances {
    let mut distances = Distances::default();
    distances.taken(Duration::from_secs(4 * seconds));
    distances
}

/// Takes a turn, whose attempts' outcomes are their numbers.
fn taken(probe: &mut Played, distances: &mut Distances) -> Vec<(u32, Option<(f64, f64)>)> {
    let mut number = 0;
    let turn = || {
        number += 1;
        number
    };
    let attempts = attempt(probe, distances, || false, turn);
    let ends = |both: RoundTrips| (both.before, both.after);
    attempts.into_iter().map(|(number, both)| (number, both.map(ends))).collect()
}

/// A side's values, of which the distance did not change meanwhile.
fn side(round_trips: &[f64]) -> Vec<RoundTrips> {
    round_trips.iter().map(|&before| RoundTrips { before, after: before }).collect()
}

/// How many values of each side count.
fn counting(sides: &[Vec<RoundTrips>]) -> Vec<usize> {
    let distance = common(sides, &[]).unwrap();
    sides.iter().map(|side| side.iter().filter(|both| distance.has(**both)).count()).collect()
}

#[test]
fn the_sides_of_a_row_are_compared_at_one_distance() {
    assert_eq!(common(&[], &[]), None);
    assert_eq!(common(&[vec![], vec![]], &[]), None);
    // The distance never changes: all values count.
    assert_eq!(counting(&[side(&[100.0, 150.0]), side(&[120.0])]), [2, 1]);
    // The nearer one of two that are worth the same, whatever one side has more.
    assert_eq!(counting(&[side(&[520.0, 110.0]), side(&[111.0, 530.0])]), [1, 1]);
    assert!(common(&[side(&[520.0, 110.0])], &[]).unwrap().has(side(&[112.0])[0]));
    assert_eq!(counting(&[side(&[110.0, 112.0, 114.0, 520.0]), side(&[110.0, 520.0])]), [3, 1]);
    // The side with the fewest values decides.
    let sides = [side(&[110.0, 111.0, 112.0, 520.0, 521.0]), side(&[110.0, 530.0, 531.0])];
    assert_eq!(counting(&sides), [2, 2]);
    // So does the number of sides.
    assert_eq!(counting(&[side(&[110.0, 111.0, 520.0]), side(&[500.0])]), [1, 1]);
    // A side without any value there has none that counts.
    assert_eq!(counting(&[side(&[110.0, 111.0]), side(&[500.0])]), [2, 0]);
}

#[test]
fn sides_that_are_only_shown_decide_where_those_that_are_judged_do_not() {
    let near_and_far = || vec![side(&[110.0, 520.0])];
    let far = [(); 3].map(|()| side(&[520.0, 521.0]));
    let has_near = |judged: &[Vec<RoundTrips>], shown: &[Vec<RoundTrips>]| {
        common(judged, shown).unwrap().has(side(&[110.0])[0])
    };
    assert!(has_near(&[side(&[110.0, 111.0, 520.0])], &far));
    assert!(!has_near(&near_and_far(), &far));
    assert!(has_near(&near_and_far(), &[side(&[111.0])]));
    assert!(!has_near(&[], &far));
}

#[test]
fn two_values_and_half_of_all_are_enough_to_compare_a_side() {
    let least = |all| (0..=all).find(|counting| are_enough(*counting, all)).unwrap();
    assert_eq!([0, 1, 2, 3, 4, 5, 9].map(least), [0, 1, 2, 2, 2, 3, 5]);
}

#[test]
fn a_value_during_which_the_distance_changed_does_not_count() {
    let changed = RoundTrips { before: 110.0, after: 520.0 };
    assert_eq!(counting(&[vec![changed, changed, side(&[520.0])[0]], side(&[520.0])]), [1, 1]);
}

#[test]
fn where_the_distance_never_changes_nothing_is_repeated() {
    let mut distances = Distances::default();
    let mut probe = played(&[100.0, 140.0, 120.0]);
    for _ in 0..4 {
        assert_eq!(taken(&mut probe, &mut distances).len(), 1);
    }
    let text = distances.to_string();
    assert_eq!(text, "A cache line took 100 to 140 ns there and back between two cores.");
}

#[test]
fn a_turn_is_repeated_if_the_distance_changed_meanwhile() {
    let mut distances = with_time(1000);
    let mut probe = played(&[111.0, 520.0, 112.0, 113.0]);
    let attempts = taken(&mut probe, &mut distances);
    assert_eq!(attempts, [(1, Some((111.0, 520.0))), (2, Some((112.0, 113.0)))]);
    assert!(distances.to_string().contains("different distances: 1 turn was repeated, 0 of"));
    // Three attempts at most.
    let mut probe = played(&[110.0, 520.0, 110.0, 520.0, 110.0, 520.0, 110.0]);
    assert_eq!(taken(&mut probe, &mut distances).len(), 3);
    assert!(distances.to_string().contains("3 turns were repeated"));
    // A second for repeating, then none is left.
    let mut distances = with_time(1);
    let mut turn = || taken(&mut played(&[110.0, 520.0, 110.0, 520.0]), &mut distances).len();
    assert_eq!([turn(), turn()], [2, 1]);
    // The run is to end.
    let mut probe = played(&[110.0, 520.0]);
    assert_eq!(attempt(&mut probe, &mut with_time(1000), || true, || ()).len(), 1);
}

#[test]
fn on_one_core_nothing_is_measured_and_each_turn_counts() {
    let mut distances = Distances::default();
    let mut probe = played(&[]);
    assert_eq!(taken(&mut probe, &mut distances), [(1, None)]);
    assert_eq!(distances.to_string(), "");
}
