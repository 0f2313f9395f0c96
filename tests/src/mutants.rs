//! Programs without one of their image control statements: each statement of a source is removed in turn.

use std::fs;
use std::path::Path;

/// An image control statement that can be left out alone; the end of a construct goes with its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Its lines, from 0.
    lines: Vec<usize>,
    /// Its text, without comment. Of several with the same text: `TEXT #2`.
    pub text: String,
}

/// A source in Fortran.
#[derive(Clone, Debug)]
pub struct Source {
    lines: Vec<String>,
}

impl Source {
    /// The source in this file, with those that it includes.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn of(path: &Path) -> Source {
        Source { lines: lines(path) }
    }

    /// The statement in a line, from 1, without comment.
    pub fn statement(&self, line: usize) -> &str {
        self.lines.get(line.wrapping_sub(1)).map_or("", |line| statement(line))
    }

    /// All that can be removed: statements that wait for other images, and constructs that exclude them. Without a
    /// statement that only notifies others, these wait for ever.
    pub fn removals(&self) -> Vec<Removal> {
        let mut removals: Vec<Removal> = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let text = statement(line);
            let lines = match end_of(text) {
                Some(end) => {
                    let rest =
                        self.lines[at..].iter().position(|line| statement(line).starts_with(end));
                    rest.map(|rest| vec![at, at + rest])
                }
                None => waits(text).then(|| vec![at]),
            };
            let Some(lines) = lines else { continue };
            let alike = removals.iter().filter(|it| base(&it.text) == text).count();
            let number = if alike > 0 { format!(" #{}", alike + 1) } else { String::new() };
            removals.push(Removal { lines, text: format!("{text}{number}") });
        }
        removals
    }

    /// The source without a statement; all others keep their lines. The variable of `stat=` is defined as by the statement.
    pub fn without(&self, removal: &Removal) -> String {
        let mut lines = self.lines.clone();
        for &at in &removal.lines {
            lines[at] = in_place_of(statement(&self.lines[at]));
        }
        lines.join("\n") + "\n"
    }
}

/// The lines of a file, with those of the files that it includes.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut all = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("include '").and_then(|rest| rest.strip_suffix('\'')) {
            Some(name) => all.extend(lines(&path.with_file_name(name))),
            None => all.push(line.to_owned()),
        }
    }
    all
}

/// The text of a removal without its number.
fn base(text: &str) -> &str {
    text.split_once(" #").map_or(text, |(text, _)| text)
}

/// A line without comment.
fn statement(line: &str) -> &str {
    line.split('!').next().unwrap_or_default().trim()
}

/// What is in the place of a statement: what it does besides image control.
fn in_place_of(statement: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let status =
        statement.split_once(" stat=").and_then(|(_, rest)| rest.split(|c| !is_word(c)).next());
    status.map_or_else(|| "continue".into(), |status| format!("{status} = 0"))
}

/// Whether a statement waits for other images, and may be left out.
fn waits(statement: &str) -> bool {
    ["sync all", "sync images", "sync team", "sync memory", "event wait"].iter().any(|start| {
        let is_conditional = statement.starts_with("if (");
        statement.starts_with(start) || is_conditional && statement.contains(&format!(") {start}"))
    }) && !statement.ends_with('&')
}

/// The end of a construct that begins with this statement.
fn end_of(statement: &str) -> Option<&'static str> {
    match statement {
        "critical" => Some("end critical"),
        _ if statement.starts_with("lock (") => Some("unlock ("),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { lines: text.lines().map(str::to_owned).collect() }
    }

    #[test]
    fn statements_that_order_are_found_with_the_ends_of_their_constructs() {
        let source = source(
            "sync all ! first\nx = 1\n  critical\nx = 2\nend critical\nevent post (e[2])\nsync all\nif (a(1)) sync images (i)\n",
        );
        let removals = source.removals();
        let texts: Vec<&str> = removals.iter().map(|it| &*it.text).collect();
        assert_eq!(texts, ["sync all", "critical", "sync all #2", "if (a(1)) sync images (i)"]);
        let without = source.without(&removals[1]);
        let lines: Vec<&str> = without.lines().collect();
        assert_eq!(lines[2..5], ["continue", "x = 2", "continue"]);
        assert_eq!((lines.len(), source.statement(1)), (8, "sync all"));
    }

    /// A program that asks for the status ended there, before the accesses that the lock was for.
    #[test]
    fn a_statement_with_a_status_leaves_the_status_behind() {
        let source = source("lock (a(3)[1], stat=status)\nx = 1\nunlock (a(3)[1])\n");
        let removals = source.removals();
        assert_eq!(source.without(&removals[0]), "status = 0\nx = 1\ncontinue\n");
    }
}
