//! Writes lines of the user and statements of the translator, and marks the numbers of lines for the compiler.

use super::openmp::shared_by_default;
use crate::boundary;
use crate::directive::Form;

/// A statement of the translator, with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The label.
    pub label: Option<String>,
    /// The statement in one line.
    pub text: String,
    /// The place in the file that the compiler shall name, if it is not the place of the statement.
    pub at: Option<usize>,
}

impl<T: Into<String>> From<T> for Code {
    fn from(text: T) -> Self {
        Self { label: None, text: text.into(), at: None }
    }
}

/// The text that the writer replaces by the file and the number of the line that the compiler shall name: two
/// arguments.
pub const HERE: char = '\u{1}';

/// The statement that the interfaces of the run-time library replace.
const INTERFACES: &str = "\u{2}";

/// A statement that calls a function of the library, and ends the program after an error. Its name in messages is
/// `what`.
pub fn doing(what: &str, call: &str) -> Code {
    let what = what.replace('\'', "''");
    format!("if ({call} /= 0) call xmprt_fortran_fail('{what}', {HERE})").into()
}

/// The interfaces of the library's functions that the file calls.
pub fn interfaces() -> Code {
    INTERFACES.into()
}

/// For each line, its number and file as the compiler shall name them: a preprocessor may have left marks.
pub fn origins(path: &str, lines: &[&str]) -> Vec<(usize, String)> {
    let mut origins = Vec::with_capacity(lines.len());
    let (mut number, mut file) = (1, path.to_owned());
    for line in lines {
        origins.push((number, file.clone()));
        number += 1;
        if let Some((marked, name)) = mark(line) {
            number = marked;
            file = name;
        }
    }
    origins
}

/// The number and the file of a line like `# 12 "file"`, or flang's `#line "file" 12`.
fn mark(line: &str) -> Option<(usize, String)> {
    let (number, name) = match line.strip_prefix("#line \"") {
        Some(rest) => {
            let (name, number) = rest.split_once('"')?;
            (number, name)
        }
        None => {
            let (number, rest) = line.strip_prefix("# ")?.split_once(' ')?;
            (number, rest.strip_prefix('"')?.split('"').next()?)
        }
    };
    Some((number.trim().parse().ok()?, name.to_owned()))
}

/// The starts of the lines.
fn starts(lines: &[&str]) -> Vec<usize> {
    let ends = lines.iter().scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some(start)
    });
    ends.collect()
}

/// Writes lines, and marks where the compiler would count wrongly.
pub struct Writer<'a> {
    form: Form,
    /// The number of columns that count in fixed form.
    columns: usize,
    lines: &'a [&'a str],
    origins: &'a [(usize, String)],
    /// The starts of the lines.
    starts: Vec<usize>,
    /// The interfaces of the run-time library.
    interfaces: Vec<Code>,
    text: String,
    /// The place that the compiler takes for the place of the next line.
    next: Option<(usize, String)>,
}

impl<'a> Writer<'a> {
    /// Writes nothing yet. In fixed form the first `columns` characters count; `origins` are the origins of the lines.
    pub fn new(
        form: Form,
        columns: usize,
        lines: &'a [&'a str],
        origins: &'a [(usize, String)],
        interfaces: Vec<Code>,
    ) -> Self {
        let (text, next) = (String::new(), None);
        Self { form, columns, lines, origins, starts: starts(lines), interfaces, text, next }
    }

    /// The written text.
    pub fn text(self) -> String {
        self.text
    }

    fn at(&mut self, origin: &(usize, String)) {
        if self.next.as_ref() != Some(origin) {
            let file = origin.1.replace('\\', "\\\\").replace('"', "\\\"");
            self.text += &format!("# {} \"{file}\"\n", origin.0);
        }
    }

    /// Writes a line of the user.
    pub fn copy(&mut self, number: usize) {
        let (line, origins) = (self.lines[number], self.origins);
        if line.starts_with("# ") {
            self.next = mark(line);
        } else {
            self.at(&origins[number]);
            self.next = Some((origins[number].0 + 1, origins[number].1.clone()));
        }
        let lines = shared_by_default(line, self.form, self.columns);
        if let Some((number, _)) = &mut self.next {
            *number += lines.len() - 1;
        }
        for line in lines {
            self.text += &line;
            if !line.ends_with('\n') {
                self.text.push('\n');
            }
        }
    }

    /// Writes statements for a line of the user, which are indented as that is.
    pub fn all(&mut self, code: Option<&Vec<Code>>, number: usize) {
        let line = self.lines[number];
        let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
        let interfaces = std::mem::take(&mut self.interfaces);
        let expanded = code.into_iter().flatten().flat_map(|code| {
            let is_mark = code.text == INTERFACES;
            if is_mark { interfaces.as_slice() } else { std::slice::from_ref(code) }
        });
        for code in expanded {
            let place = code
                .at
                .map(|at| self.starts.partition_point(|start| *start <= at).saturating_sub(1));
            let origin = &self.origins[place.unwrap_or(number)];
            let here = format!("'{}', {}", origin.1.replace('\'', "''"), origin.0);
            let code = Code { text: code.text.replace(HERE, &here), ..code.clone() };
            let lines = match self.form {
                Form::Free => free(&code, indent),
                Form::Fixed => fixed(&code),
            };
            // The compiler takes a statement to be where its last line is.
            for line in lines {
                self.at(origin);
                self.text += &line;
                self.text.push('\n');
                self.next = Some((origin.0 + 1, origin.1.clone()));
            }
        }
        self.interfaces = interfaces;
    }
}

/// Pieces of a text, none longer than a width.
fn pieces(text: &str, width: usize) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while rest.len() > width {
        let (piece, after) = rest.split_at(boundary::floor(rest, width));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

fn free(code: &Code, indent: &str) -> Vec<String> {
    const WIDTH: usize = 100;
    let label = code.label.as_ref().map_or(String::new(), |label| format!("{label} "));
    let label = format!("{}{label}", &indent[..indent.len().min(20)]);
    let pieces = pieces(&code.text, WIDTH);
    let last = pieces.len() - 1;
    let line = |(nth, piece): (usize, &&str)| {
        let before = if nth == 0 { label.as_str() } else { "&" };
        let after = if nth == last { "" } else { "&" };
        format!("{before}{piece}{after}")
    };
    pieces.iter().enumerate().map(line).collect()
}

fn fixed(code: &Code) -> Vec<String> {
    const WIDTH: usize = 66;
    let label = code.label.as_deref().unwrap_or_default();
    let line = |(nth, piece): (usize, &str)| {
        if nth == 0 { format!("{label:<5} {piece}") } else { format!("     &{piece}") }
    };
    pieces(&code.text, WIDTH).into_iter().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_statements_are_continued() {
        let long = Code {
            label: Some("10".into()),
            ..Code::from("call f(".to_owned() + &"a".repeat(100) + ")")
        };
        let lines = fixed(&long);
        assert!(
            lines.iter().all(|line| line.len() <= 72) && lines[0].starts_with("10    call f(a"),
            "{lines:?}"
        );
        assert_eq!(free(&"x = 1".into(), "  "), ["  x = 1"]);
        let lines = free(&Code::from("a".repeat(101)), "");
        assert_eq!(lines, ["a".repeat(100) + "&", "&a".into()]);
    }
}
