//! Tokens of C, as the preprocessor sees them.

use crate::directive::after_pragma;
use std::ops::Range;

/// Operators of several characters, the longer ones first.
const OPERATORS: [&str; 22] = [
    "...", "<<=", ">>=", "##", "++", "--", "&&", "||", "<<", ">>", "<=", ">=", "==", "!=", "->",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=",
];

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// Whether a blank or a comment is before it.
    pub spaced: bool,
}

impl Token {
    /// Whether it is a name or a keyword.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }
}

/// A token of a source.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The token.
    pub token: Token,
    /// Its place.
    pub at: Range<usize>,
    /// Whether it belongs to a directive of XcalableMP.
    pub in_directive: bool,
}

/// The tokens of a text without lines of the preprocessor.
pub fn tokens(text: &str) -> Vec<Token> {
    placed(text).into_iter().map(|placed| placed.token).collect()
}

/// The tokens of a source. Lines of the preprocessor are left out, but for directives of XcalableMP.
pub fn placed(source: &str) -> Vec<Placed> {
    let mut all = Vec::new();
    let (mut at, mut spaced, mut line_begins, mut directive) = (0, false, true, 0..0);
    while let Some(c) = source[at..].chars().next() {
        let rest = &source[at..];
        if line_begins && c == '#' {
            let end = at + logical_line(rest);
            match after_pragma(&source[at..end]) {
                Some(after) => {
                    directive = at..end;
                    at += after;
                }
                None => at = end,
            }
            (line_begins, spaced) = (false, true);
            continue;
        }
        let len = match c {
            _ if rest.starts_with("\\\n") => 2,
            '\n' => 1,
            _ if c.is_whitespace() => c.len_utf8(),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |len| len + 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ => {
                let len = length(rest);
                let token = Token { text: rest[..len].to_owned(), spaced };
                let in_directive = directive.contains(&at);
                all.push(Placed { token, at: at..at + len, in_directive });
                (at, spaced, line_begins) = (at + len, false, false);
                continue;
            }
        };
        line_begins = c == '\n' || line_begins;
        spaced = true;
        at += len;
    }
    all
}

/// The length of a line, with the lines that continue it.
pub fn logical_line(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            return end - usize::from(line.ends_with('\n'));
        }
    }
    end
}

/// The length of the token that a text begins with.
fn length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    match first {
        '"' | '\'' => {
            let mut escaped = false;
            for (at, c) in chars {
                match c {
                    // A line that goes on: `\` and the end of the line.
                    '\r' if escaped => {}
                    '\n' if !escaped => return at,
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    _ if c == first => return at + 1,
                    _ => {}
                }
            }
            text.len()
        }
        // Numbers of the preprocessor: `1.5e-3f`.
        _ if first.is_ascii_digit() => {
            let mut last = first;
            for (at, c) in chars {
                let signs = matches!(last, 'e' | 'E' | 'p' | 'P') && matches!(c, '+' | '-');
                if !is_word(c) && c != '.' && !signs {
                    return at;
                }
                last = c;
            }
            text.len()
        }
        _ if is_word(first) => text.find(|c| !is_word(c)).unwrap_or(text.len()),
        _ => OPERATORS
            .iter()
            .find(|operator| text.starts_with(**operator))
            .map_or(first.len_utf8(), |operator| operator.len()),
    }
}

/// The number of tokens in the parenthesis that a list of tokens begins with.
pub fn invocation_len(tokens: &[Token]) -> usize {
    let mut depth = 0;
    for (nth, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return nth + 1;
        }
    }
    tokens.len()
}

/// Tokens as a text on one line.
pub fn spelled(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut before = None;
    for token in tokens {
        let joins = |c: char| c.is_alphanumeric() || c == '_';
        let sticks = text.ends_with(joins) && token.text.starts_with(joins);
        // `a - -b` is no decrement, and `a / *b` no comment.
        let doubles = text.chars().last().zip(token.text.chars().next());
        let doubles = doubles.is_some_and(|(last, next)| {
            last == next && "+-&|<>=#/".contains(last) || (last, next) == ('/', '*')
        });
        // `0xE - 1` is no number.
        let exponent = before.is_some_and(|of: &Token| {
            of.text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
                && of.text.ends_with(['e', 'E', 'p', 'P'])
                && token.text.starts_with(['+', '-'])
        });
        before = Some(token);
        let parts = token.spaced || sticks || doubles || exponent;
        if !text.is_empty() && !text.ends_with(' ') && parts {
            text.push(' ');
        }
        text += &token.text;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_beside_one_another_stay_what_they_are() {
        let text = |source: &str| {
            let mut all = tokens(source);
            all.iter_mut().for_each(|token| token.spaced = false);
            spelled(&all)
        };
        assert_eq!(text("a / *b / / c - -d 0xE - 1 1e3-2"), "a/ *b/ /c- -d 0xE -1 1e3-2");
        let continued = "\"one \\\nEACH(2)\" two \"three \\\r\nfour\"";
        let all: Vec<String> = tokens(continued).into_iter().map(|token| token.text).collect();
        assert_eq!(all, ["\"one \\\nEACH(2)\"", "two", "\"three \\\r\nfour\""]);
    }

    #[test]
    fn tokens_of_code_and_directives() {
        let source = "#define A(x) x\nint a = 1.5e-3f /* \" */ - -b; // c\n#pragma omp for\n#pragma xmp loop \\\n on t[i]\n\"a\\\"b\" '\"'";
        let all = placed(source);
        let texts: Vec<&str> = all.iter().map(|placed| placed.token.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "int",
                "a",
                "=",
                "1.5e-3f",
                "-",
                "-",
                "b",
                ";",
                "loop",
                "on",
                "t",
                "[",
                "i",
                "]",
                "\"a\\\"b\"",
                "'\"'"
            ]
        );
        let directive = all.iter().filter(|placed| placed.in_directive).count();
        assert_eq!(directive, 6);
        let tokens: Vec<Token> = all.into_iter().take(8).map(|placed| placed.token).collect();
        assert_eq!(spelled(&tokens), "int a = 1.5e-3f - - b;".replace("- - b", "- -b"));
    }
}
