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

/// A cell.
pub enum Cell {
    /// It is sorted as text.
    Text(String),
    /// Source text, which is sorted as text.
    Source(String),
    /// A number with what it shows. Nothing is shown of 0.
    Number(u64, String),
    /// The same with its share of a whole in percent, which is drawn behind it.
    Share(u64, String, f64),
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Text(text) => write!(f, "<td>{}</td>", escaped(text)),
            Cell::Source(text) => write!(f, "<td class=\"source\">{}</td>", escaped(text)),
            Cell::Number(0, _) | Cell::Share(0, ..) => {
                write!(f, "<td class=\"n\" data-value=\"0\"></td>")
            }
            Cell::Number(value, shown) => {
                write!(f, "<td class=\"n\" data-value=\"{value}\">{}</td>", escaped(shown))
            }
            Cell::Share(value, shown, share) => write!(
                f,
                "<td class=\"n share\" data-value=\"{value}\" style=\"--share-width:{share:.1}%\">{}</td>",
                escaped(shown)
            ),
        }
    }
}

/// A table. Where it is wider than the page it scrolls.
pub struct Table {
    /// The names of its columns.
    pub head: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<div class=\"wide\"><table>\n<thead><tr>")?;
        let class = |column: usize| match self.rows.first().and_then(|row| row.get(column)) {
            Some(Cell::Number(..) | Cell::Share(..)) => " class=\"n\"",
            Some(Cell::Source(_)) => " class=\"source\"",
            _ => "",
        };
        for (column, name) in self.head.iter().enumerate() {
            let class = class(column);
            write!(f, "<th{class} scope=\"col\">{}</th>", escaped(name))?;
        }
        writeln!(f, "</tr></thead>\n<tbody>")?;
        for row in &self.rows {
            write!(f, "<tr>")?;
            row.iter().try_for_each(|cell| write!(f, "{cell}"))?;
            writeln!(f, "</tr>")?;
        }
        write!(f, "</tbody>\n</table></div>")
    }
}
