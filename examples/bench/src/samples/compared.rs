//! Which values count: those of one distance of the cores, where enough of each side are.

use super::{Cell, Place, Samples, Value};
use crate::distance::{RoundTrips, are_enough, common};
use std::mem;

impl Cell {
    /// Of each repetition the last attempt counts. Those before it are set aside.
    fn count_last_attempts(&mut self) {
        // What was set aside before comes first: of a repetition these are the attempts before the one that counts.
        let mut all = mem::take(&mut self.aside);
        all.append(&mut self.values);
        all.sort_by_key(|value| value.repetition);
        for attempts in all.chunk_by(|a, b| a.repetition == b.repetition) {
            if let Some((last, earlier)) = attempts.split_last() {
                self.values.push(*last);
                self.aside.extend(earlier);
            }
        }
    }

    /// The round trips of the values that are not set aside.
    fn round_trips(&self) -> Vec<RoundTrips> {
        self.values.iter().filter_map(|value| value.round_trips).collect()
    }
}

impl Samples {
    /// Sets the values aside that are not of the distance at which the sides of their row are compared. `judges` knows the
    /// places that were measured together, and whether the row is judged by the side; one that it is not judged by may keep
    /// no value. Where one that it is judged by would keep too few, the last attempts of all repetitions count, and the row
    /// is compared at several distances.
    pub fn compare_at_one_distance(&mut self, judges: impl Fn(&Place) -> Option<bool>) {
        let is_judged =
            |place: &Place, cell: &Cell| cell.trouble.is_none() && judges(place) == Some(true);
        let mut account = mem::take(&mut self.distances.account);
        let mut cells: Vec<(&Place, &mut Cell)> = self.cells.iter_mut().collect();
        cells.retain(|(place, _)| judges(place).is_some());
        for row in cells.chunk_by_mut(|(a, _), (b, _)| (a.images, &a.row) == (b.images, &b.row)) {
            row.iter_mut().for_each(|(_, cell)| cell.count_last_attempts());
            if row.iter().all(|(_, cell)| cell.values.is_empty()) {
                continue;
            }
            let [judged, shown] = [true, false].map(|wanted| {
                let of_these = row.iter().filter(|(place, cell)| is_judged(place, cell) == wanted);
                of_these.map(|(_, cell)| cell.round_trips()).collect::<Vec<_>>()
            });
            let distance = common(&judged, &shown);
            let counts = |value: &Value| {
                let is_there = |both| distance.is_some_and(|distance| distance.has(both));
                value.round_trips.is_none_or(is_there)
            };
            let is_mixed = row.iter().any(|(place, cell)| {
                let counting = cell.values.iter().filter(|value| counts(value)).count();
                is_judged(place, cell) && !are_enough(counting, cell.values.len())
            });
            for (_, cell) in row.iter_mut() {
                cell.is_mixed = is_mixed;
                if !is_mixed {
                    cell.aside.extend(cell.values.extract_if(.., |value| !counts(value)));
                }
                account.values += cell.values.len() + cell.aside.len();
                account.aside += cell.aside.len();
            }
            account.rows += 1;
            if is_mixed {
                let Place { images, row, .. } = row[0].0;
                account.mixed.push(format!("{row} ({images} images)"));
            } else if distance.is_some_and(|distance| self.distances.is_elsewhere(distance)) {
                account.elsewhere += 1;
            }
        }
        self.distances.account = account;
    }
}
