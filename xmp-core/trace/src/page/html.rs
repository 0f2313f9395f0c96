//! Tables in HTML, whose columns a click sorts.

use std::fmt::{self, Display};

/// Text as it is written between tags and in attributes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A cell: what it shows, and for a number what it is sorted by.
pub struct Cell {
    shown: String,
    value: Option<u64>,
}

impl Cell {
    /// A cell that is sorted as text.
    pub fn text(shown: &str) -> Cell {
        Cell { shown: shown.to_string(), value: None }
    }

    /// A cell that is sorted by its value.
    pub fn number(value: u64, shown: String) -> Cell {
        Cell { shown, value: Some(value) }
    }
}

/// A table.
pub struct Table {
    /// The names of its columns.
    pub head: &'static [&'static str],
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<table>\n<thead><tr>")?;
        self.head.iter().try_for_each(|name| write!(f, "<th>{}</th>", escaped(name)))?;
        writeln!(f, "</tr></thead>\n<tbody>")?;
        for row in &self.rows {
            write!(f, "<tr>")?;
            for Cell { shown, value } in row {
                match value {
                    Some(value) => {
                        write!(f, "<td class=\"n\" data-value=\"{value}\">{}</td>", escaped(shown))?
                    }
                    None => write!(f, "<td>{}</td>", escaped(shown))?,
                }
            }
            writeln!(f, "</tr>")?;
        }
        write!(f, "</tbody>\n</table>")
    }
}
