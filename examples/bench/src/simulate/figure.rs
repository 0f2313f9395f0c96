//! Figures as numbers: curves over an axis, written as a table and as lines of a CSV file.

use crate::table::{Table, short};
use std::fmt::Write;

/// The head of the CSV file.
pub const HEAD: &str = "figure,curve,x,value,unit\n";
/// The unit of values that are times.
pub const TIME: &str = "microseconds";

/// One curve.
pub struct Curve {
    /// What it is called.
    pub label: String,
    /// Its values.
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve of this name.
    pub fn new(label: &str, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.to_owned(), points }
    }
}

/// One figure.
pub struct Figure {
    /// Name in files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What its horizontal axis shows.
    pub across: &'static str,
    /// The unit of its values.
    pub unit: &'static str,
    /// Its curves.
    pub curves: Vec<Curve>,
}

impl Figure {
    /// Adds the table of the figure to a text, a column for each curve.
    pub fn tabulate(&self, text: &mut String) {
        let mut xs: Vec<f64> =
            self.curves.iter().flat_map(|curve| &curve.points).map(|&(x, _)| x).collect();
        xs.sort_by(f64::total_cmp);
        xs.dedup();
        let labels = self.curves.iter().map(|curve| curve.label.clone());
        let mut table = Table::new([self.across.to_owned()].into_iter().chain(labels));
        for x in xs {
            let mut cells = vec![x.to_string()];
            cells.extend(self.curves.iter().map(|curve| {
                let found = curve.points.iter().find(|point| point.0 == x);
                found.map_or_else(|| "-".to_owned(), |&(_, y)| short(y))
            }));
            table.push(cells);
        }
        let _ = write!(text, "\n## {} ({})\n\n{}", self.title, self.unit, table.markdown());
    }

    /// Adds a line for each value.
    pub fn list(&self, csv: &mut String) {
        let Self { name, unit, .. } = self;
        for Curve { label, points } in &self.curves {
            for (x, y) in points {
                let _ = writeln!(csv, "{name},{label},{x},{y:e},{unit}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_every_value_of_every_curve() {
        let curves = vec![
            Curve::new("a", vec![(8.0, 1.5), (64.0, 2.5)]),
            Curve::new("b", vec![(64.0, 3.5)]),
        ];
        let (name, title) = ("f".to_owned(), "Figure".to_owned());
        let figure = Figure { name, title, across: "bytes", unit: TIME, curves };
        let (mut text, mut csv) = (String::new(), HEAD.to_owned());
        figure.tabulate(&mut text);
        figure.list(&mut csv);
        assert!(text.contains("| 8     | 1.50 | -    |\n| 64    | 2.50 | 3.50 |"), "{text}");
        assert!(csv.ends_with("f,a,64,2.5e0,microseconds\nf,b,64,3.5e0,microseconds\n"), "{csv}");
    }
}
