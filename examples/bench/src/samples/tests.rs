use super::*;

const PEERS: [&str; 3] = ["ours", "peer", "limit"];

fn place(peer: &'static str) -> Place {
    Place { images: 2, row: RowKey::new("put", 8), peer }
}

/// A row that these sides have values in, of repetitions by distances; the limit does not judge it.
fn compared(sides: &[(&'static str, &[f64])]) -> Samples {
    let mut samples = Samples::default();
    for (peer, distances) in sides {
        for (repetition, &before) in (0..).zip(*distances) {
            samples.distances.probed(before);
            let round_trips = Some(RoundTrips { before, after: before });
            samples.add(place(peer), Value { round_trips, ..Value::new(repetition, before) });
        }
    }
    compare(&mut samples);
    samples
}

fn compare(samples: &mut Samples) {
    samples.compare_at_one_distance(|place| Some(place.peer != "limit"));
}

/// How many values of each side count.
fn counting(samples: &Samples) -> [usize; 3] {
    PEERS.map(|peer| samples.cells.get(&place(peer)).map_or(0, |cell| cell.values.len()))
}

fn is_mixed(samples: &Samples) -> bool {
    let cells: Vec<bool> = samples.iter().map(|(_, cell)| cell.is_mixed).collect();
    assert!(cells.iter().all(|is_mixed| *is_mixed == cells[0]));
    cells[0]
}

#[test]
fn sides_that_compute_something_else_have_no_figure() {
    let mut samples = Samples::default();
    for (peer, value) in [("ours", 1e3), ("peer", 1e3 + 1e-8), ("limit", 1e3)] {
        samples.add(place(peer), Value::new(0, 1.0));
        samples.check(&place(peer), value);
    }
    assert_eq!(samples.troubles().count(), 0);
    // The next repetition.
    samples.check(&place("peer"), 1001.0);
    let troubles: Vec<_> = samples.troubles().collect();
    let of = |place: &Place| troubles.iter().find(|(other, _)| *other == place).unwrap().1;
    assert_eq!(troubles.len(), 2);
    assert_eq!(of(&place("ours")).to_string(), "computed 1e3, and peer 1.001e3");
    assert_eq!(of(&place("peer")).to_string(), "computed 1.001e3, and ours 1e3");
    assert_eq!(of(&place("peer")).word(), "WRONG");
    assert!(samples.summary(2, &RowKey::new("put", 8), "ours").is_none());
    // Another number of images computes something else.
    samples.check(&Place { images: 3, ..place("ours") }, 7.0);
    assert_eq!(samples.troubles().count(), 2);
}

#[test]
fn the_parts_of_a_cell_are_the_medians_over_its_repetitions() {
    let mut cell = Cell::default();
    assert_eq!(cell.parts(), None);
    for (repetition, median, percentile_95) in [(0, 1.0, 9.0), (1, 3.0, 4.0), (2, 2.0, 5.0)] {
        let parts = Some(Parts { median, percentile_95 });
        cell.values.push(Value::of(repetition, Time { microseconds: 1.0, parts }));
    }
    assert_eq!(cell.parts(), Some(Parts { median: 2.0, percentile_95: 5.0 }));
    cell.trouble = Some(Trouble::Wrong);
    assert_eq!(cell.parts(), None);
}

#[test]
fn where_sides_have_no_distance_in_common_all_values_count_and_the_row_is_mixed() {
    let ours: &[f64] = &[110.0, 111.0, 112.0, 520.0];
    let samples = compared(&[("ours", ours), ("peer", &[520.0; 4]), ("limit", &[110.0; 4])]);
    assert_eq!((is_mixed(&samples), counting(&samples)), (true, [4, 4, 4]));
    let samples = compared(&[("ours", &[110.0; 4]), ("peer", &[520.0; 4])]);
    assert_eq!((is_mixed(&samples), counting(&samples)), (true, [4, 4, 0]));
    let text = samples.distances.to_string();
    assert!(
        text.ends_with("1 row compares sides at several distances: put:8 (2 images)."),
        "{text}"
    );
}

#[test]
fn few_values_of_one_distance_judge_no_row() {
    let samples =
        compared(&[("ours", &[110.0; 5]), ("peer", &[110.0, 110.0, 520.0, 520.0, 520.0])]);
    assert_eq!((is_mixed(&samples), counting(&samples)), (true, [5, 5, 0]));
    let samples =
        compared(&[("ours", &[110.0; 5]), ("peer", &[110.0, 110.0, 110.0, 520.0, 520.0])]);
    assert_eq!((is_mixed(&samples), counting(&samples)), (false, [5, 3, 0]));
    // One repetition is all of it.
    let samples = compared(&[("ours", &[110.0]), ("peer", &[111.0])]);
    assert_eq!((is_mixed(&samples), counting(&samples)), (false, [1, 1, 0]));
}

#[test]
fn a_side_that_is_only_shown_makes_no_row_mixed() {
    let samples = compared(&[("ours", &[110.0; 3]), ("peer", &[110.0; 3]), ("limit", &[520.0; 3])]);
    assert_eq!((is_mixed(&samples), counting(&samples)), (false, [3, 3, 0]));
    assert_eq!(samples.cells[&place("limit")].aside.len(), 3);
}

#[test]
fn a_side_in_trouble_makes_no_row_mixed() {
    let mut samples = compared(&[("ours", &[110.0; 3]), ("peer", &[520.0; 3])]);
    samples.trouble(place("peer"), Trouble::TimedOut);
    compare(&mut samples);
    assert_eq!((is_mixed(&samples), counting(&samples)), (false, [3, 0, 0]));
}

#[test]
fn in_a_mixed_row_the_last_attempt_of_each_repetition_counts() {
    let mut samples = compared(&[("ours", &[110.0; 2]), ("peer", &[520.0; 2])]);
    let changed = Some(RoundTrips { before: 110.0, after: 520.0 });
    for attempt in [1.0, 2.0, 3.0] {
        samples.add(place("ours"), Value { round_trips: changed, ..Value::new(2, attempt) });
    }
    for _ in 0..2 {
        compare(&mut samples);
        let cell = &samples.cells[&place("ours")];
        assert_eq!((is_mixed(&samples), counting(&samples)), (true, [3, 2, 0]));
        assert_eq!(cell.values[2].microseconds, 3.0);
        let aside: Vec<f64> = cell.aside.iter().map(|value| value.microseconds).collect();
        assert_eq!(aside, [1.0, 2.0]);
    }
}

#[test]
fn a_row_whose_distance_changed_in_every_turn_is_mixed() {
    let mut samples = Samples::default();
    let round_trips = Some(RoundTrips { before: 110.0, after: 520.0 });
    samples.add(place("ours"), Value { round_trips, ..Value::new(0, 1.0) });
    compare(&mut samples);
    assert_eq!((is_mixed(&samples), counting(&samples)), (true, [1, 0, 0]));
}

#[test]
fn rows_that_were_measured_at_other_times_are_left_alone() {
    let mut samples = compared(&[("ours", &[110.0; 3]), ("peer", &[520.0; 3])]);
    let account = samples.distances.account.clone();
    samples.compare_at_one_distance(|_| None);
    assert_eq!(samples.distances.account, account);
    assert!(is_mixed(&samples));
}
