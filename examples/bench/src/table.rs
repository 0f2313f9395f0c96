//! A table that reads well as text and is Markdown too.

use std::fmt::Write;

/// Rows of cells under a head.
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(head: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row of as many cells as the head has.
    pub fn push(&mut self, row: Vec<String>) {
        assert_eq!(row.len(), self.head.len(), "a row has as many cells as the head");
        self.rows.push(row);
    }

    /// The table, columns padded to their widest cell.
    pub fn render(&self) -> String {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let widths: Vec<usize> = (0..self.head.len())
            .map(|column| lines().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for (number, row) in lines().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(text, "| {cell:<width$} ");
            }
            text.push_str("|\n");
            if number == 0 {
                for width in &widths {
                    let _ = write!(text, "|{:-<1$}", "", width + 2);
                }
                text.push_str("|\n");
            }
        }
        text
    }
}

/// A time or ratio with three digits that count.
pub fn short(value: f64) -> String {
    let decimals = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.1 => 3,
        v if v >= 0.01 => 4,
        _ => 6,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["a", "long head"]);
        table.push(vec!["wide cell".into(), "b".into()]);
        assert_eq!(
            table.render(),
            "| a         | long head |\n|-----------|-----------|\n| wide cell | b         |\n"
        );
    }

    #[test]
    fn numbers_keep_three_digits() {
        let values = [12345.6, 104.2, 10.26, 1.234, 0.1234, 0.01234, 0.000349];
        assert_eq!(
            values.map(short),
            ["12346", "104", "10.3", "1.23", "0.123", "0.0123", "0.000349"]
        );
    }
}
