//! `!$xmp` in Fortran: lines that begin with it, in free and in fixed form.

use super::{DirectiveResults, read};
use crate::source_file::columns_len;

/// The form of a Fortran source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Continued by `&`.
    Free,
    /// Continued by a character in column 6.
    Fixed,
}

/// A line of a directive: where its text begins and ends.
#[derive(Debug)]
struct Part {
    start: usize,
    end: usize,
    continues: bool,
}

/// The directives of a Fortran file. Names become lower case. In fixed form a number of a card may follow the first
/// `columns` characters.
pub fn sentinels(source: &str, form: Form, columns: usize) -> DirectiveResults {
    let mut found = Vec::new();
    let mut parts: Vec<(usize, Part)> = Vec::new();
    let mut at = 0;
    let mut open = false;
    for line in source.split_inclusive('\n') {
        let text = if form == Form::Fixed { without_number(line, columns) } else { line };
        if let Some(part) = part(text, at, form) {
            let continued = match form {
                Form::Free => open,
                Form::Fixed => part.continues && !parts.is_empty(),
            };
            if !continued {
                finish(source, &mut parts, &mut found);
            }
            open = form == Form::Free && part.continues;
            let sentinel = at + line.len() - line.trim_start().len();
            parts.push((sentinel, part));
        }
        at += line.len();
    }
    finish(source, &mut parts, &mut found);
    found
}

/// Reads a directive whose lines have been collected.
fn finish(source: &str, parts: &mut Vec<(usize, Part)>, found: &mut DirectiveResults) {
    let (Some((sentinel, first)), Some((_, last))) = (parts.first(), parts.last()) else { return };
    let (sentinel, base, end) = (*sentinel, first.start, last.end);
    let mut text = vec![b' '; end - base];
    for (_, part) in parts.drain(..) {
        let bytes = &source.as_bytes()[part.start..part.end];
        text[part.start - base..part.end - base].copy_from_slice(bytes);
    }
    let text = String::from_utf8(text).expect("parts are whole lines");
    let last = base + text.trim_end().len();
    found.push(read(&text, base, sentinel..last, true));
}

/// A line without the number of its card, in the eight columns after the ones that count. A directive may be longer.
fn without_number(line: &str, columns: usize) -> &str {
    let (text, number) = line.split_at(columns_len(line, columns));
    let (width, number) = (number.trim_end().len(), number.trim());
    let is_number = (1..=8).contains(&width)
        && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && number.bytes().any(|byte| byte.is_ascii_digit());
    let is_apart = text.ends_with(' ') || number.len() < width || width == 8;
    if is_number && is_apart { text } else { line }
}

/// The contents of a line that begins with the sentinel; `at` is the start of the line.
fn part(line: &str, at: usize, form: Form) -> Option<Part> {
    let blanks = line.len() - line.trim_start().len();
    if form == Form::Fixed && blanks > 0 {
        return None;
    }
    let rest = &line[blanks..];
    let head = rest.get(..5)?;
    let is_sentinel = head[1..].eq_ignore_ascii_case("$xmp")
        && (head.starts_with('!') || form == Form::Fixed && head.starts_with(['c', 'C', '*']));
    if !is_sentinel {
        return None;
    }
    let mut start = blanks + 5;
    let text = &line[start..];
    let text = text.split('!').next().unwrap_or(text).trim_end();
    let (mut len, continues) = match form {
        Form::Fixed => {
            (text.len(), text.chars().next().is_some_and(|mark| mark != ' ' && mark != '0'))
        }
        Form::Free => match text.strip_suffix('&') {
            Some(text) => (text.len(), true),
            None => (text.len(), false),
        },
    };
    // The mark of a continuation, before the text.
    let first = text.len() - text.trim_start().len();
    let marked = match form {
        Form::Fixed => (continues || text.starts_with('0')).then_some(1),
        Form::Free => text[first..].starts_with('&').then_some(first + 1),
    };
    if let Some(skip) = marked {
        start += skip;
        len = len.saturating_sub(skip);
    } else if form == Form::Free
        && text[..len].chars().next().is_some_and(|c| c.is_alphanumeric() || c == '_')
    {
        // `!$xmpx` is a comment.
        return None;
    }
    Some(Part { start: at + start, end: at + start + len, continues })
}
