//! Races that the user does not want to see: a file with a line for each (`XMP_RACES_IGNORE`).

use super::place::file_and_line;
use crate::settings::Settings;
use std::path::Path;
use std::sync::OnceLock;

/// The lines of the file.
#[derive(Debug, Default)]
pub(super) struct Ignored(Vec<Line>);

#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// Of one of the two statements: `FILE` or `FILE:LINE`.
    Statement(String),
    /// Of the variable, without subscripts.
    Variable(String),
}

static IGNORED: OnceLock<Ignored> = OnceLock::new();

impl Ignored {
    /// Reads the file of the settings, if there is one.
    pub(super) fn of_settings(settings: &Settings) -> Result<(), String> {
        if let Some(path) = &settings.races_ignore {
            let _ = IGNORED.set(Ignored::read(path)?);
        }
        Ok(())
    }

    /// What was read.
    pub(super) fn get() -> &'static Ignored {
        IGNORED.get_or_init(Ignored::default)
    }

    fn read(path: &Path) -> Result<Ignored, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        Ignored::parse(&text).map_err(|line| {
            format!(
                "{}:{line}: expected `statement FILE`, `statement FILE:LINE`, `variable NAME` or a comment (#)",
                path.display()
            )
        })
    }

    /// The lines of a text; the error is the number of one that is wrong.
    fn parse(text: &str) -> Result<Ignored, usize> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let line = |(at, line): (usize, &str)| match line.split_once(char::is_whitespace) {
            Some(("statement", pattern)) => Ok(Line::Statement(pattern.trim().to_owned())),
            Some(("variable", pattern)) => Ok(Line::Variable(pattern.trim().to_owned())),
            _ => Err(at),
        };
        Ok(Ignored(lines.map(line).collect::<Result<_, _>>()?))
    }

    /// Whether a line names the race of two statements about an object.
    pub(super) fn names(&self, object: &str, places: &[String]) -> bool {
        let object = variable(object);
        self.0.iter().any(|line| line.names(object, places))
    }
}

/// The variable of a designator.
fn variable(object: &str) -> &str {
    let end = object.find(['(', '[', '%']).unwrap_or(object.len());
    &object[..end]
}

impl Line {
    fn names(&self, object: &str, places: &[String]) -> bool {
        match self {
            Line::Variable(pattern) => matches(pattern, object),
            Line::Statement(pattern) => places.iter().any(|place| {
                let file = file_and_line(place).map_or(&**place, |(file, _)| file);
                [&**place, file].into_iter().any(|text| {
                    // Names without directories are of files anywhere.
                    let last = text.rsplit_once('/').map_or(text, |(_, last)| last);
                    matches(pattern, text) || matches(pattern, last)
                })
            }),
        }
    }
}

/// Whether a text is that of a pattern, where `*` is any characters.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|tail| {
            let starts = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
            { starts }.any(|at| matches(rest, &tail[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_statements_variables_and_comments() {
        let Ignored(lines) =
            Ignored::parse("# known\n\nstatement a.f90:7\nvariable  work*\n").unwrap();
        assert_eq!(lines, [Line::Statement("a.f90:7".into()), Line::Variable("work*".into())]);
        for (text, line) in [("statement a\nrace b", 2), ("statement", 1), ("variable\n", 1)] {
            assert_eq!(Ignored::parse(text).unwrap_err(), line, "{text}");
        }
    }

    #[test]
    fn a_line_names_either_statement_or_the_variable() {
        let places = ["src/a.f90:7".to_owned(), "b.f90:12".to_owned()];
        let names = |line: Line| line.names("work", &places);
        for pattern in ["a.f90:7", "src/a.f90", "b.f90", "a.f90", "src/*", "*:12"] {
            assert!(names(Line::Statement(pattern.into())), "{pattern}");
        }
        for pattern in ["a.f90:8", "f90", "c.f90", "src"] {
            assert!(!names(Line::Statement(pattern.into())), "{pattern}");
        }
        assert!(names(Line::Variable("w*k".into())) && !names(Line::Variable("wor".into())));
    }

    #[test]
    fn the_variable_is_what_precedes_subscripts_image_and_component() {
        for object in ["x(3)[2]", "x[2]", "x%count", "x"] {
            assert_eq!(variable(object), "x", "{object}");
        }
    }
}
