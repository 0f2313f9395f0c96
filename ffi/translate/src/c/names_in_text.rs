//! Names in texts that are read as tokens only.

use std::ops::Range;

/// The names in a part of a text.
pub fn words(text: &str, span: Range<usize>) -> Vec<(String, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text[span.clone()].char_indices().chain([(span.len(), ' ')]) {
        let is_word = c.is_ascii_alphanumeric() || c == '_';
        match (start, is_word) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let word = &text[span.start + from..span.start + at];
                if !word.starts_with(|c: char| c.is_ascii_digit()) {
                    words.push((word.to_owned(), span.start + from));
                }
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Whether a text has a word.
pub fn has_word(text: &str, word: &str) -> bool {
    words(text, 0..text.len()).iter().any(|(of, _)| of == word)
}
