use super::*;

fn place(peer: &'static str) -> Place {
    Place { images: 2, row: RowKey::new("put", 8), peer }
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
fn a_side_that_has_found_its_result_wrong_says_nothing_about_the_others() {
    let mut samples = Samples::default();
    samples.trouble(place("peer"), Trouble::Wrong);
    for (peer, value) in [("peer", 0.0), ("ours", 7.0), ("limit", 7.0)] {
        samples.add(place(peer), Value::new(0, 1.0));
        samples.check(&place(peer), value);
    }
    assert_eq!(samples.troubles().count(), 1);
    assert!(samples.summary(2, &RowKey::new("put", 8), "ours").is_some());
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
