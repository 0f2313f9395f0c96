//! A C source as the grammar of plain C can read it, byte for byte in the same places: comments and pragmas are blanks,
//! array sections `[a:n]` and the colon of a coarray reference `x[i]:[k]` are spelled in plain C.

use crate::directive::{Directive, pragmas};
use std::collections::BTreeSet;
use std::ops::Range;

/// The readable text and the hidden parts.
#[derive(Debug)]
pub struct Normal {
    /// As long as the source.
    pub text: String,
    /// The places of the colons of coarray references and declarations.
    pub cocolons: BTreeSet<usize>,
    /// The places of sections in brackets, which are included.
    pub sections: Vec<Range<usize>>,
}

/// Whether a C source has anything to translate: directives, coarrays or array sections.
pub fn has_directives(source: &str) -> bool {
    let normal = normal(source, &[]);
    !pragmas(source).is_empty() || !normal.cocolons.is_empty() || !normal.sections.is_empty()
}

/// Makes the readable text of a C source. Directives that are statements by themselves become empty ones.
pub fn normal(source: &str, directives: &[Directive]) -> Normal {
    let mut bytes = source.as_bytes().to_vec();
    for directive in directives {
        blank(&mut bytes[directive.span.clone()]);
        if directive.kind.is_statement() {
            bytes[directive.span.start] = b';';
        }
    }
    let mut reader = Reader { bytes, at: 0, has_complex: source.contains("complex.h>") };
    reader.hide_what_is_no_code();
    let mut bytes = reader.bytes;
    let (mut cocolons, mut sections) = (BTreeSet::new(), Vec::new());
    hide_brackets(&mut bytes, &mut cocolons, &mut sections);
    let text = String::from_utf8(bytes).expect("only ASCII is written, over whole characters");
    Normal { text, cocolons, sections }
}

/// Replaces a part by blanks that keep its line ends.
pub fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

struct Reader {
    bytes: Vec<u8>,
    at: usize,
    /// Whether the source includes <complex.h>.
    has_complex: bool,
}

impl Reader {
    /// Blanks comments and pragmas.
    fn hide_what_is_no_code(&mut self) {
        let mut line_begins = true;
        while self.at < self.bytes.len() {
            self.hide_complex();
            self.hide_attribute();
            let next = self.bytes.get(self.at + 1).copied();
            match (self.bytes[self.at], next) {
                (b'/', Some(b'*')) => self.hide_to(|rest| find(rest, b"*/").map(|len| len + 2)),
                (b'/', Some(b'/')) => self.hide_to(|rest| rest.iter().position(|b| *b == b'\n')),
                (quote @ (b'"' | b'\''), _) => self.skip_string(quote),
                (b'#', _) if line_begins => self.directive(),
                _ => self.at += 1,
            }
            let before = self.bytes.get(self.at.wrapping_sub(1)).copied();
            line_begins = match before {
                Some(b'\n') => true,
                Some(b' ' | b'\t') => line_begins,
                _ => false,
            };
        }
    }

    /// `_Complex`, with <complex.h> also `complex`, is beside a type, where the grammar does not know it.
    fn hide_complex(&mut self) {
        let rest = &self.bytes[self.at..];
        let begins = !self
            .at
            .checked_sub(1)
            .is_some_and(|at| is_word(self.bytes[at]) || self.bytes[at] == b'.');
        let words: &[&[u8]] =
            if self.has_complex { &[b"_Complex", b"complex"] } else { &[b"_Complex"] };
        let is_there = |word: &&&[u8]| {
            rest.starts_with(word) && !rest.get(word.len()).is_some_and(|byte| is_word(*byte))
        };
        if begins && let Some(word) = words.iter().find(is_there) {
            blank(&mut self.bytes[self.at..self.at + word.len()]);
        }
    }

    /// GNU's attributes occur in more places than the grammar knows. They belong to the object that is declared there.
    fn hide_attribute(&mut self) {
        let begins = !self.at.checked_sub(1).is_some_and(|at| is_word(self.bytes[at]));
        let rest = &self.bytes[self.at..];
        let words: [&[u8]; 3] = [b"__attribute__", b"__attribute", b"__extension__"];
        let word = words.iter().find(|word| rest.starts_with(word)).filter(|_| begins);
        let Some(word) = word.map(|word| word.len()) else { return };
        let mut len = word;
        if !rest.starts_with(b"__ext") {
            let open =
                word + rest[word..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if rest.get(open) != Some(&b'(') {
                return;
            }
            let mut depth = 0;
            len = open;
            while let Some(byte) = rest.get(len) {
                match byte {
                    b'(' => depth += 1,
                    b')' => depth -= 1,
                    _ => {}
                }
                len += 1;
                if depth == 0 {
                    break;
                }
            }
        } else if rest.get(word).is_some_and(|byte| is_word(*byte)) {
            return;
        }
        blank(&mut self.bytes[self.at..self.at + len]);
    }

    fn hide_to(&mut self, end: impl Fn(&[u8]) -> Option<usize>) {
        let rest = &mut self.bytes[self.at..];
        let len = end(rest).unwrap_or(rest.len());
        blank(&mut rest[..len]);
        self.at += len;
    }

    fn skip_string(&mut self, quote: u8) {
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote || byte == b'\n' {
                break;
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    /// A line of the preprocessor: pragmas become blanks.
    fn directive(&mut self) {
        let start = self.at;
        let mut end = start;
        while end < self.bytes.len() && (self.bytes[end] != b'\n' || self.bytes[end - 1] == b'\\') {
            end += 1;
        }
        let line = String::from_utf8_lossy(&self.bytes[start + 1..end]).into_owned();
        let words = line.trim_start();
        if words.starts_with("pragma") || words.starts_with("line ") {
            blank(&mut self.bytes[start..end]);
        }
        self.at = end;
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}

/// Spells sections and coarray references in plain C.
fn hide_brackets(
    bytes: &mut [u8],
    cocolons: &mut BTreeSet<usize>,
    sections: &mut Vec<Range<usize>>,
) {
    /// An open bracket: where, whether it is `[`, the colons in it, and open `?`.
    type Open = (usize, bool, Vec<usize>, usize);
    let mut open: Vec<Open> = Vec::new();
    let (mut at, mut last) = (0, b' ');
    let mut line_begins = true;
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'"' | b'\'' => at = after_string(bytes, at) - 1,
            b'#' if line_begins => {
                while at + 1 < bytes.len() && (bytes[at + 1] != b'\n' || bytes[at] == b'\\') {
                    at += 1;
                }
            }
            b'[' | b'(' | b'{' => open.push((at, byte == b'[', Vec::new(), 0)),
            b']' | b')' | b'}' => {
                if let Some((start, true, colons, _)) = open.pop()
                    && !colons.is_empty()
                {
                    spell_section(bytes, start..at + 1, &colons);
                    sections.push(start..at + 1);
                }
            }
            b'?' => {
                if let Some((.., questions)) = open.last_mut() {
                    *questions += 1;
                }
            }
            b':' => match open.last_mut() {
                Some((_, true, _, questions)) if *questions > 0 => *questions -= 1,
                Some((_, true, colons, _)) => colons.push(at),
                _ if next_is_bracket(bytes, at) && (last == b']' || is_word(last)) => {
                    bytes[at] = b' ';
                    cocolons.insert(at);
                }
                _ => {}
            },
            _ => {}
        }
        line_begins = byte == b'\n' || line_begins && byte.is_ascii_whitespace();
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
        at += 1;
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn after_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != bytes[start] && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

fn next_is_bracket(bytes: &[u8], colon: usize) -> bool {
    bytes[colon + 1..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[')
}

/// `[a:n]` becomes `[a+n]`, `[:]` becomes `[0]`; a colon with nothing on one side becomes a blank.
fn spell_section(bytes: &mut [u8], span: Range<usize>, colons: &[usize]) {
    let is_blank = |bytes: &[u8], part: Range<usize>| bytes[part].trim_ascii().is_empty();
    let mut from = span.start + 1;
    let mut anything = false;
    for (nth, &colon) in colons.iter().enumerate() {
        let next = colons.get(nth + 1).copied().unwrap_or(span.end - 1);
        anything |= !is_blank(bytes, from..colon);
        bytes[colon] = if anything && !is_blank(bytes, colon + 1..next) { b'+' } else { b' ' };
        from = colon + 1;
    }
    anything |= !is_blank(bytes, from..span.end - 1);
    if !anything {
        bytes[colons[0]] = b'0';
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_coarrays_become_plain_c() {
        let source =
            "a[0:n] = b[:][i?1:2] + c[1:n:2]; // [:]\nint x[4]:[*]; y:[k] = \"[:]\"; l: z[:n][m:];";
        let normal = normal(source, &[]);
        assert_eq!(
            normal.text,
            "a[0+n] = b[0][i?1:2] + c[1+n+2];       \nint x[4] [*]; y [k] = \"[:]\"; l: z[ n][m ];"
        );
        assert_eq!((normal.sections.len(), normal.cocolons.len()), (5, 2));
    }

    #[test]
    fn attributes_are_hidden() {
        let source =
            "int a[3] __attribute__ ((aligned(8), section(\"x\"))), q; __extension__ int b;";
        let text = normal(source, &[]).text;
        assert_eq!(text.len(), source.len());
        assert_eq!(text.split_whitespace().collect::<String>(), "inta[3],q;intb;");
    }

    #[test]
    fn directives_and_comments_are_hidden() {
        let source = "#define A(i) a[i:1] /* x */\n#pragma omp for\n/* int\nb; */ c;\n";
        let normal = normal(source, &[]);
        assert_eq!(normal.text.len(), source.len());
        assert_eq!(normal.text.matches('\n').count(), source.matches('\n').count());
        assert!(normal.text.contains("#define A(i) a[i:1]"), "{}", normal.text);
        assert_eq!(normal.text.trim_end().rsplit('\n').next().unwrap().trim(), "c;");
    }
}
