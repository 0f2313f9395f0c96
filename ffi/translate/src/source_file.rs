//! The text of a source file.

/// A text without the byte order mark that editors of some systems put before it. Compilers skip one, but only at the start.
pub fn without_mark(text: String) -> String {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::without_mark;

    #[test]
    fn a_mark_at_the_start_is_no_text() {
        assert_eq!(without_mark("\u{feff}int a;".to_owned()), "int a;");
        assert_eq!(without_mark("int a;".to_owned()), "int a;");
    }
}
