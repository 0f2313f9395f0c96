//! Fortran source text as statements: continuation lines are joined, comments are removed, `;` separates.

use crate::directive::Form;
use crate::source_file::columns_len;
use std::ops::Range;

/// A statement.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// The text of the user without label, comments and continuation.
    pub text: String,
    /// The same in lower case, with `~` for each byte of a string: as long as `text`.
    pub code: String,
    /// The statement label.
    pub label: Option<String>,
    /// Its lines, from 0.
    pub lines: Range<usize>,
    /// Whether it has other text than the file.
    pub is_changed: bool,
    /// For each byte of `text`, its place in the file.
    places: Vec<usize>,
}

impl Statement {
    /// The place in the file of a part of the text.
    pub fn span(&self, part: Range<usize>) -> Range<usize> {
        let last = self.places.len().saturating_sub(1);
        let start = self.places[part.start.min(last)];
        let end = self.places[part.end.saturating_sub(1).clamp(part.start.min(last), last)] + 1;
        start..end
    }

    /// The place in the file of all of it.
    pub fn whole(&self) -> Range<usize> {
        self.span(0..self.text.len())
    }

    /// The statement with other texts in these places, which are in order. New text has the place of the text after it.
    #[must_use]
    pub fn changed(&self, changes: Vec<(Range<usize>, String)>) -> Self {
        let mut new = Self {
            lines: self.lines.clone(),
            label: self.label.clone(),
            is_changed: true,
            ..Self::default()
        };
        let mut at = 0;
        for (span, text) in changes {
            new.copy(self, at..span.start);
            let place = self.places[span.start.min(self.places.len() - 1)];
            new.places.extend(std::iter::repeat_n(place, text.len()));
            new.code += &text.to_ascii_lowercase();
            new.text += &text;
            at = span.end;
        }
        new.copy(self, at..self.text.len());
        new
    }

    fn copy(&mut self, of: &Self, part: Range<usize>) {
        self.text += &of.text[part.clone()];
        self.code += &of.code[part.clone()];
        self.places.extend(&of.places[part]);
    }
}

/// The form of a file with this name.
pub fn form_of(path: &std::path::Path) -> Form {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("f" | "F" | "for" | "FOR" | "ftn" | "FTN" | "f77" | "F77") => Form::Fixed,
        _ => Form::Free,
    }
}

/// Collects the characters of statements.
#[derive(Debug, Default)]
struct Collector {
    statements: Vec<Statement>,
    open: Statement,
    quote: Option<u8>,
}

impl Collector {
    /// Adds the byte at a place of the file.
    fn push(&mut self, byte: u8, at: usize, line: usize) {
        if self.quote.is_none() && byte == b';' {
            self.finish();
            return;
        }
        if self.open.text.is_empty() {
            if byte == b' ' || byte == b'\t' || byte == b'\r' {
                return;
            }
            self.open.lines.start = line;
        }
        self.open.lines.end = line + 1;
        self.open.places.push(at);
        let code = match self.quote {
            Some(quote) if byte == quote => {
                self.quote = None;
                byte
            }
            Some(_) => b'~',
            None => {
                if byte == b'\'' || byte == b'"' {
                    self.quote = Some(byte);
                }
                byte.to_ascii_lowercase()
            }
        };
        // Bytes of other characters occur in strings only, where the code has `~`.
        self.open.code.push(if code.is_ascii() { code as char } else { '~' });
        self.open.text.push(byte as char);
    }

    /// Ends the statement.
    fn finish(&mut self) {
        self.quote = None;
        let mut statement = std::mem::take(&mut self.open);
        let len = statement.code.trim_end().len();
        if len == 0 {
            return;
        }
        statement.code.truncate(len);
        statement.places.truncate(len);
        let bytes: Vec<u8> = statement.text.chars().take(len).map(|c| c as u32 as u8).collect();
        statement.text = String::from_utf8_lossy(&bytes).into_owned();
        self.statements.push(statement);
    }
}

/// The statements of a file in their order. In fixed form the first `columns` characters of a line count.
pub fn statements(source: &str, form: Form, columns: usize) -> Vec<Statement> {
    let mut statements = match form {
        Form::Free => free(source),
        Form::Fixed => fixed(source, columns),
    };
    for statement in &mut statements {
        take_label(statement);
    }
    statements
}

/// Moves a label at the start of the text to its field.
fn take_label(statement: &mut Statement) {
    let digits = statement.code.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return;
    }
    let blanks = statement.code[digits..].bytes().take_while(|b| *b == b' ' || *b == b'\t').count();
    statement.label = Some(statement.code[..digits].to_owned());
    let cut = digits + blanks;
    statement.text.drain(..cut);
    statement.code.drain(..cut);
    statement.places.drain(..cut);
}

/// Whether a line of code has text: no comment, no line of a preprocessor, not empty.
fn is_code(line: &str) -> bool {
    let text = line.trim_start();
    !(text.is_empty() || text.starts_with('!') || line.starts_with('#'))
}

fn free(source: &str) -> Vec<Statement> {
    let mut to = Collector::default();
    let (mut at, mut continues) = (0, false);
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        if !is_code(line) {
            continue;
        }
        let text = line.trim_end();
        let mut from = text.len() - text.trim_start().len();
        if continues && text[from..].starts_with('&') {
            from += 1;
        } else if !continues {
            to.finish();
        } else if to.quote.is_none() {
            to.push(b' ', start + from, number);
        }
        continues = false;
        for (offset, byte) in text.bytes().enumerate().skip(from) {
            if to.quote.is_none() && byte == b'!' {
                break;
            }
            if byte == b'&' {
                let rest = text[offset + 1..].trim_start();
                if rest.is_empty() || to.quote.is_none() && rest.starts_with('!') {
                    continues = true;
                    break;
                }
            }
            to.push(byte, start + offset, number);
        }
    }
    to.finish();
    to.statements
}

/// The number of characters that count in a line of fixed form, unless the command sets it.
pub const COLUMNS: usize = 72;

fn fixed(source: &str, columns: usize) -> Vec<Statement> {
    let mut to = Collector::default();
    let mut at = 0;
    for (number, line) in source.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let text = line.trim_end_matches(['\n', '\r']);
        if !is_code(text) || text.starts_with(['c', 'C', '*', 'd', 'D']) {
            continue;
        }
        // A tab ends the label field.
        let tab = text.bytes().take(5).position(|b| b == b'\t');
        let mark = tab.map_or(5, |tab| tab + 1);
        let sign = text.as_bytes().get(mark).copied().unwrap_or(b' ');
        let continues = match tab {
            Some(_) => sign.is_ascii_digit() && sign != b'0',
            None => sign != b' ' && sign != b'0',
        };
        let end = if tab.is_some() { text.len() } else { columns_len(text, columns) };
        let mut from = mark + usize::from(tab.is_none() || continues);
        if !continues {
            to.finish();
            from = 0;
        }
        for (offset, byte) in text.bytes().enumerate().take(end).skip(from) {
            if offset == mark && !continues && tab.is_none() {
                continue;
            }
            if to.quote.is_none() && byte == b'!' {
                break;
            }
            to.push(byte, start + offset, number);
        }
    }
    to.finish();
    to.statements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(source: &str, form: Form) -> Vec<(Option<String>, String)> {
        let of = statements(source, form, COLUMNS).into_iter();
        of.map(|statement| (statement.label, statement.code)).collect()
    }

    #[test]
    fn free_form_is_joined_and_split() {
        let source = "X = 1; print *, 'a;!b' ! c\n10 call f(a, & ! d\n\n! e\n  & b)\n# 3 \"x\"\ns = 'ab&\n   &Cd'\n";
        let found = codes(source, Form::Free);
        let code = |text: &str| (None, text.to_owned());
        assert_eq!(
            found,
            [
                code("x = 1"),
                code("print *, '~~~~'"),
                (Some("10".into()), "call f(a,  b)".into()),
                code("s = '~~~~'"),
            ]
        );
        let all = statements(source, Form::Free, COLUMNS);
        assert_eq!(all[2].lines, 1..5);
        let b = all[2].code.find('b').unwrap();
        assert_eq!(&source[all[2].span(b..b + 1)], "b");
        assert_eq!(all[3].text, "s = 'abCd'");
    }

    #[test]
    fn fixed_form_is_joined() {
        let source = "c comment\n   10 do i = 1,\n     &  N ! end\n      x='é'\n\ty = 2\n";
        let found = codes(source, Form::Fixed);
        assert_eq!(found[0], (Some("10".into()), "do i = 1,  n".into()));
        assert_eq!(found[2].1, "y = 2");
        assert_eq!(statements(source, Form::Fixed, COLUMNS)[1].text, "x='é'");
    }
}
