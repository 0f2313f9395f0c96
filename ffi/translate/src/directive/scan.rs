//! Reading a directive from left to right: words, punctuation, and expressions up to a delimiter.

use super::terms::{Span, Text};
use crate::diagnostics::Diagnostic;

/// The result of a step of reading.
pub type ScanResult<T> = Result<T, Diagnostic>;

/// The text of a directive and how far it has been read.
#[derive(Clone, Debug)]
pub struct Scanner<'a> {
    /// One line: comments and continuations are blanks.
    text: &'a str,
    at: usize,
    /// The start of `text` in the file.
    base: usize,
    /// Whether letters of both cases are the same (Fortran).
    folds_case: bool,
    /// Notes about parts of the text without effect.
    notes: Vec<Diagnostic>,
}

impl<'a> Scanner<'a> {
    /// Reads `text`, which begins at `base` of the file.
    pub fn new(text: &'a str, base: usize, folds_case: bool) -> Self {
        Self { text, at: 0, base, folds_case, notes: Vec::new() }
    }

    /// Whether letters in lower and upper case are the same, as in Fortran.
    pub fn folds_case(&self) -> bool {
        self.folds_case
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// The next character that is no blank.
    pub fn peek(&mut self) -> Option<char> {
        self.skip_blanks();
        self.rest().chars().next()
    }

    /// Whether everything has been read.
    pub fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// The place of the next token, one character wide.
    pub fn here(&mut self) -> Span {
        self.skip_blanks();
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        self.base + self.at..self.base + self.at + width
    }

    /// The end of the text that has been read, in the file.
    pub fn end(&self) -> usize {
        self.base + self.text[..self.at].trim_end().len()
    }

    /// Reads some punctuation if it comes next.
    pub fn accept(&mut self, punctuation: &str) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(punctuation);
        if found {
            self.at += punctuation.len();
        }
        found
    }

    /// Reads punctuation that has to come next.
    pub fn expect(&mut self, punctuation: &str, purpose: &str) -> ScanResult<()> {
        if self.accept(punctuation) {
            Ok(())
        } else {
            Err(self.missing(&format!("`{punctuation}` {purpose}")))
        }
    }

    /// A message that something else was expected here.
    pub fn missing(&mut self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            None => "the directive ends here".to_owned(),
            Some(_) => format!("found `{}`", self.next_piece()),
        };
        let mut here = self.here();
        if here.is_empty() {
            here = self.end()..self.end() + 1;
        }
        Diagnostic::new(here, format!("expected {wanted}")).label(found)
    }

    /// The next token: a word, or one character.
    fn next_piece(&self) -> &'a str {
        let rest = self.rest();
        let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let first = rest.chars().next().map_or(0, char::len_utf8);
        &rest[..word.max(first)]
    }

    fn taken(&mut self, len: usize) -> Text {
        let start = self.at;
        self.at += len;
        Text {
            text: self.text[start..self.at].to_owned(),
            span: self.base + start..self.base + self.at,
        }
    }

    /// Reads a name if one comes next.
    pub fn word(&mut self) -> Option<Text> {
        let begins = self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let len = if begins { self.next_piece().len() } else { return None };
        let mut text = self.taken(len);
        if self.folds_case {
            text.text.make_ascii_lowercase();
        }
        Some(text)
    }

    /// Reads the word that begins a clause if one comes next. Omni's own clause `profile` is noted and passed over.
    pub fn clause(&mut self) -> Option<Text> {
        loop {
            let word = self.word()?;
            if word.text != "profile" {
                return Some(word);
            }
            let note = Diagnostic::note(word.span, "Omni's clause `profile` has no effect");
            self.note(note.help("`XMP_TRACE` records everything without a clause"));
        }
    }

    /// Adds a note about the text that has been read.
    pub fn note(&mut self, note: Diagnostic) {
        self.notes.push(note);
    }

    /// The notes about the text that has been read.
    pub fn into_notes(self) -> Vec<Diagnostic> {
        self.notes
    }

    /// Reads a name that has to come next.
    pub fn name(&mut self, what: &str) -> ScanResult<Text> {
        self.word().ok_or_else(|| self.missing(what))
    }

    /// Reads this word if it comes next.
    pub fn accept_word(&mut self, word: &str) -> Option<Text> {
        let before = self.at;
        match self.word() {
            Some(text) if text.text == word => Some(text),
            _ => {
                self.at = before;
                None
            }
        }
    }

    /// Reads a name with members, as in `b.a` or `b%a`.
    pub fn name_with_members(&mut self, what: &str) -> ScanResult<Text> {
        let mut name = self.name(what)?;
        while let Some(mark) = self.rest().chars().next().filter(|c| *c == '.' || *c == '%') {
            self.at += 1;
            let member = self.name("the name of a member")?;
            name.text.push(mark);
            name.text.push_str(&member.text);
            name.span.end = member.span.end;
        }
        Ok(name)
    }

    /// Reads an expression: everything up to one of the delimiters outside of parentheses, brackets and strings.
    pub fn expression(&mut self, delimiters: &[char], what: &str) -> ScanResult<Text> {
        self.skip_blanks();
        let mut depth = 0_usize;
        let mut quote = None;
        let mut len = self.rest().len();
        for (at, c) in self.rest().char_indices() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, c) if depth == 0 && delimiters.contains(&c) => {
                    len = at;
                    break;
                }
                (None, '(' | '[' | '{') => depth += 1,
                (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
                (None, ')' | ']' | '}') => {
                    len = at;
                    break;
                }
                _ => {}
            }
        }
        let trimmed = self.rest()[..len].trim_end().len();
        if trimmed == 0 {
            return Err(self.missing(what));
        }
        Ok(self.taken(trimmed))
    }

    /// Reads a list separated by commas; `one` reads an item.
    pub fn list<T>(
        &mut self,
        mut one: impl FnMut(&mut Self) -> ScanResult<T>,
    ) -> ScanResult<Vec<T>> {
        let mut items = vec![one(self)?];
        while self.accept(",") {
            items.push(one(self)?);
        }
        Ok(items)
    }
}

/// `$` joins a structure and its member, and is a letter for many compilers.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}
