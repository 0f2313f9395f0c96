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

impl Cell {
    /// The classes of the cell and of the head of its column.
    fn classes(&self) -> [&'static str; 2] {
        match self {
            Cell::Text(_) => ["", ""],
            Cell::Source(_) => ["source", "source"],
            Cell::Number(..) | Cell::Share(0, ..) => ["n", "n"],
            Cell::Share(..) => ["n share", "n"],
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, is_minor: bool) -> fmt::Result {
        write!(f, "<td{}", attribute(self.classes()[0], is_minor))?;
        match self {
            Cell::Text(text) | Cell::Source(text) => write!(f, ">{}</td>", escaped(text)),
            Cell::Number(0, _) | Cell::Share(0, ..) => write!(f, " data-value=\"0\"></td>"),
            Cell::Number(value, shown) => {
                write!(f, " data-value=\"{value}\">{}</td>", escaped(shown))
            }
            Cell::Share(value, shown, share) => write!(
                f,
                " data-value=\"{value}\" style=\"--share-width:{share:.1}%\">{}</td>",
                escaped(shown)
            ),
        }
    }
}

/// The attribute with these classes, and that of a column that a narrow page leaves out.
fn attribute(classes: &str, is_minor: bool) -> String {
    let minor = if is_minor { "minor" } else { "" };
    let all: Vec<&str> = [classes, minor].into_iter().filter(|it| !it.is_empty()).collect();
    if all.is_empty() { String::new() } else { format!(" class=\"{}\"", all.join(" ")) }
}

/// A table. Where it is wider than the page it scrolls.
pub struct Table {
    /// The names of its columns.
    pub head: Vec<&'static str>,
    /// The numbers of those that a narrow page leaves out.
    pub minor: &'static [usize],
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<div class=\"wide\"><table>\n<thead><tr>")?;
        let is_minor = |column: usize| self.minor.contains(&column);
        for (column, name) in self.head.iter().enumerate() {
            let cell = self.rows.first().and_then(|row| row.get(column));
            let classes = cell.map_or("", |cell| cell.classes()[1]);
            let class = attribute(classes, is_minor(column));
            write!(f, "<th{class} scope=\"col\">{}</th>", escaped(name))?;
        }
        writeln!(f, "</tr></thead>\n<tbody>")?;
        for row in &self.rows {
            write!(f, "<tr>")?;
            let mut cells = row.iter().enumerate();
            cells.try_for_each(|(column, cell)| cell.write(f, is_minor(column)))?;
            writeln!(f, "</tr>")?;
        }
        write!(f, "</tbody>\n</table></div>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_less_interest_are_marked_for_narrow_pages() {
        let cells = vec![
            Cell::Text("a<b".into()),
            Cell::Number(3, "3 B".into()),
            Cell::Share(1, "1".into(), 5.0),
        ];
        let table = Table { head: vec!["x", "y", "z"], minor: &[1], rows: vec![cells] };
        let text = table.to_string();
        for part in [
            "<th scope=\"col\">x</th><th class=\"n minor\" scope=\"col\">y</th><th class=\"n\" scope=\"col\">z</th>",
            "<td>a&lt;b</td><td class=\"n minor\" data-value=\"3\">3 B</td><td class=\"n share\" data-value=\"1\"",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}
