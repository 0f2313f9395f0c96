//! Tables: as Markdown for files, and for a terminal.

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{ContentArrangement, Table as Layout};

/// The most columns of a line on a terminal.
pub const TERMINAL_WIDTH: u16 = 100;

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

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As Markdown, columns padded to their widest cell.
    pub fn markdown(&self) -> String {
        let escaped = |row: &Vec<String>| -> Vec<String> {
            row.iter().map(|cell| cell.replace('|', "\\|")).collect()
        };
        let mut layout = Layout::new();
        layout.load_style(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
        layout.set_header(escaped(&self.head)).add_rows(self.rows.iter().map(escaped));
        format!("{layout}\n")
    }

    /// For a terminal: at most [`TERMINAL_WIDTH`] columns wide, long cells on several lines.
    pub fn terminal(&self) -> String {
        let mut layout = Layout::new();
        layout.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        layout.set_width(TERMINAL_WIDTH);
        layout.set_header(self.head.clone()).add_rows(self.rows.iter().cloned());
        format!("{}\n", layout.trim_fmt())
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

/// A text in lines of at most [`TERMINAL_WIDTH`] characters, but for words that are longer.
pub fn wrapped(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        lines.push(String::new());
        for word in line.split_whitespace() {
            let last = lines.last_mut().expect("a line was begun");
            let width = last.chars().count() + 1 + word.chars().count();
            if last.is_empty() {
                last.push_str(word);
            } else if width <= usize::from(TERMINAL_WIDTH) {
                last.push(' ');
                last.push_str(word);
            } else {
                lines.push(format!("  {word}"));
            }
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(["a", "long head"]);
        table.push(vec!["wide cell".into(), "b|c".into()]);
        assert_eq!(
            table.markdown(),
            "| a         | long head |\n|-----------|-----------|\n| wide cell | b\\|c      |\n"
        );
    }

    #[test]
    fn no_line_on_a_terminal_has_more_than_100_columns() {
        let mut table = Table::new(["row", "what there is to say", "verdict"]);
        let long = "a cell that says far more than fits into one line of a terminal ".repeat(4);
        table.push(vec![long.clone(), long.clone(), "met".into()]);
        table.push(vec!["x".repeat(150), "y".repeat(150), "MISSED".into()]);
        let text = table.terminal();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert_eq!(text.matches("fits").count(), 8);
        assert_eq!(text.matches('x').count(), 150);
        assert!(text.contains("MISSED"));
        assert!(wrapped(&long).lines().all(|line| line.chars().count() <= 100));
        assert_eq!(wrapped(&long).split_whitespace().count(), long.split_whitespace().count());
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
