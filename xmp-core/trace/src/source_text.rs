//! Lines of source text, by the statements that a report names. A file that cannot be read has none.

use crate::places::Position;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Most bytes of a file that is read, and most characters of a line that is shown.
const FILE: u64 = 16 << 20;
const LINE: usize = 120;

/// The line of each statement.
pub fn source_lines(places: &[Position]) -> Vec<Option<String>> {
    let mut files: HashMap<&str, Option<String>> = HashMap::new();
    let mut source = |place| -> Option<String> {
        let (file, number) = file_and_line(place)?;
        let text = files.entry(file).or_insert_with(|| text_of(Path::new(file))).as_ref()?;
        let line = text.lines().nth(number.checked_sub(1)?)?.trim();
        (!line.is_empty()).then(|| line.chars().take(LINE).collect())
    };
    places.iter().map(|place| source(&place.text)).collect()
}

/// The parts of `file:line`.
pub fn file_and_line(place: &str) -> Option<(&str, usize)> {
    let (file, line) = place.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// The text of a file; bytes that are no UTF-8 are replaced.
fn text_of(file: &Path) -> Option<String> {
    // A pipe would make the report wait.
    let is_readable = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= FILE);
    let bytes = is_readable.then(|| fs::read(file).ok())??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_has_its_line_and_a_missing_file_none() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.f90");
        fs::write(&file, "program a\n  sync all\n\nend\n").unwrap();
        let place = |text: String| Position { text, procedure: None };
        let at = |line: u32| place(format!("{}:{line}", file.display()));
        let places =
            [at(2), at(3), at(9), place("/nonexistent/a.f90:1".into()), place("solve".into())];
        assert_eq!(source_lines(&places), [Some("sync all".into()), None, None, None, None]);
    }
}
