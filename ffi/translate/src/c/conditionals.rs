//! `#if` and its like: the branches that the preprocessor leaves out are not translated.

use super::normal::{blank, normal};
use std::collections::BTreeSet;
use std::ops::Range;

/// The effect of a line of the preprocessor on branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// `#if`, `#ifdef`, `#ifndef`
    Opens,
    /// `#elif` and its like, `#else`
    Next,
    /// `#endif`
    Closes,
}

/// A line that begins or ends a branch; with its line end.
#[derive(Debug)]
struct Mark {
    line: Range<usize>,
    turn: Turn,
}

/// The source without the branches that the preprocessor leaves out: they are blanks, and so are the lines around them.
/// `preprocess` runs the preprocessor on a text.
///
/// # Errors
/// Those of the preprocessor.
pub fn active(
    source: &str,
    path: &str,
    preprocess: &dyn Fn(&str) -> Result<String, String>,
) -> Result<String, String> {
    let marks = marks(&normal(source, &[]).text);
    if marks.is_empty() {
        return Ok(source.to_owned());
    }
    let entered = entered(&preprocess(&probe(source, path, &marks))?);
    let mut bytes = source.as_bytes().to_vec();
    for (nth, mark) in marks.iter().enumerate() {
        blank(&mut bytes[mark.line.clone()]);
        // Behind `#endif`, the branch around it goes on, which was asked at its own start.
        if mark.turn != Turn::Closes && !entered.contains(&nth) {
            blank(&mut bytes[mark.line.end..end_of_branch(&marks, nth)]);
        }
    }
    Ok(String::from_utf8(bytes).expect("whole lines are replaced"))
}

/// The end of the branch that the mark with this number begins.
fn end_of_branch(marks: &[Mark], nth: usize) -> usize {
    let mut depth = 0;
    for mark in &marks[nth + 1..] {
        match mark.turn {
            Turn::Opens => depth += 1,
            Turn::Closes if depth > 0 => depth -= 1,
            Turn::Next if depth > 0 => {}
            Turn::Next | Turn::Closes => return mark.line.start,
        }
    }
    marks.last().map_or(0, |mark| mark.line.end)
}

/// The lines of `#if` and its like in a text without comments.
fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let mut end = at;
        loop {
            let len = text[end..].find('\n').map_or(text.len() - end, |len| len + 1);
            end += len;
            let goes_on = text[at..end].trim_end_matches(['\n', '\r']).ends_with('\\');
            if !goes_on || end == text.len() {
                break;
            }
        }
        let word = text[at..end].trim_start().strip_prefix('#').map(str::trim_start);
        let len = word
            .map_or(0, |word| word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len()));
        let turn = match word.map(|word| &word[..len]) {
            Some("if" | "ifdef" | "ifndef") => Some(Turn::Opens),
            Some("elif" | "elifdef" | "elifndef" | "else") => Some(Turn::Next),
            Some("endif") => Some(Turn::Closes),
            _ => None,
        };
        marks.extend(turn.map(|turn| Mark { line: at..end, turn }));
        at = end;
    }
    marks
}

/// Begins the line by which the preprocessor says that it has entered a branch.
const ENTERED: &str = "#pragma xmpt_entered ";

/// The source with such a line at the start of each branch; lines keep their numbers.
fn probe(source: &str, path: &str, marks: &[Mark]) -> String {
    let mut text = format!("#line 1 \"{path}\"\n");
    let (mut at, mut number, mut file) = (0, 1, format!("\"{path}\""));
    for (nth, mark) in marks.iter().enumerate() {
        for line in source[at..mark.line.end].split_inclusive('\n') {
            text += line;
            number += 1;
            let told = line.strip_prefix("#line ").and_then(|rest| rest.trim_end().split_once(' '));
            if let Some((next, of)) = told
                && let Ok(next) = next.parse::<usize>()
            {
                (number, file) = (next, of.to_owned());
            }
        }
        at = mark.line.end;
        if mark.turn != Turn::Closes {
            text += &format!("{ENTERED}{nth}\n#line {number} {file}\n");
        }
    }
    text + &source[at..]
}

/// The branches that the preprocessor has entered.
fn entered(preprocessed: &str) -> BTreeSet<usize> {
    let numbers = preprocessed.lines().filter_map(|line| line.trim().strip_prefix(ENTERED));
    numbers.filter_map(|number| number.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enters the branches with these numbers.
    fn left(source: &str, numbers: &[usize]) -> String {
        let all: String = numbers.iter().map(|number| format!("{ENTERED}{number}\n")).collect();
        active(source, "a.c", &|_| Ok(all.clone())).unwrap()
    }

    #[test]
    fn branches_that_are_left_out_become_blanks() {
        let source =
            "#if A\none\n#if B\ntwo\n#endif\n/*\n#else\n*/\n#else // no\nthree\n#endif\nfour\n";
        let words = |numbers: &[usize]| -> Vec<String> {
            let text = left(source, numbers);
            assert_eq!(text.len(), source.len());
            assert_eq!(text.matches('\n').count(), source.matches('\n').count());
            text.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(words(&[0, 1]), ["one", "two", "/*", "#else", "*/", "four"]);
        assert_eq!(words(&[0]), ["one", "/*", "#else", "*/", "four"]);
        assert_eq!(words(&[3]), ["three", "four"]);
    }

    #[test]
    fn the_preprocessor_sees_the_lines_of_the_user() {
        let source = "a\n#if A \\\n  || B\n#line 7 \"b.h\"\nb\n#endif\n";
        let marks = marks(source);
        assert_eq!(
            probe(source, "a.c", &marks),
            "#line 1 \"a.c\"\na\n#if A \\\n  || B\n#pragma xmpt_entered 0\n#line 4 \"a.c\"\n#line 7 \"b.h\"\nb\n#endif\n"
        );
    }
}
