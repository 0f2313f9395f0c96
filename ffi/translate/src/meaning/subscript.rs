//! Subscripts of directives such as `i+1`.

use crate::directive::{Brackets, Reference, Subscript};

/// Splits `i`, `i+k` and `i-k` into the index and the number that is added.
pub fn index_and_offset(text: &str) -> Option<(&str, String)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let rest = rest.trim();
    match rest.chars().next() {
        None => Some((name, "0".to_owned())),
        Some('+') => Some((name, format!("({})", rest[1..].trim()))),
        // All that follows counts: `i-1+2` adds `-1+2`.
        Some('-') => Some((name, format!("({rest})"))),
        Some(_) => None,
    }
}

/// The subscripts of a reference, the fastest dimension first.
pub fn fastest_first(reference: &Reference) -> Vec<&Subscript> {
    let mut subscripts: Vec<&Subscript> = reference.subscripts.iter().collect();
    if reference.brackets == Some(Brackets::Square) {
        subscripts.reverse();
    }
    subscripts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_with_offsets() {
        assert_eq!(index_and_offset(" i "), Some(("i", "0".into())));
        assert_eq!(index_and_offset("i+N-1"), Some(("i", "(N-1)".into())));
        assert_eq!(index_and_offset("i - 1+2"), Some(("i", "(- 1+2)".into())));
        assert_eq!(index_and_offset("2*i"), None);
        assert_eq!(index_and_offset("i*2"), None);
    }
}
