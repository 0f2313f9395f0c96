//! The text of a source file, in whatever encoding it is: a byte that is no part of UTF-8 is a character for private use here, and
//! becomes that byte again where the text is written. Comments and strings of other encodings stay as they are.

use std::path::Path;

/// The first character for bytes that are no UTF-8: the character of byte 0.
const BYTES: u32 = 0xF700;

/// The character of a byte.
fn stand_in(byte: u8) -> char {
    char::from_u32(BYTES + u32::from(byte)).expect("it is one for private use")
}

/// The byte of a character.
fn byte_of(c: char) -> Option<u8> {
    let byte = u32::from(c).checked_sub(BYTES).and_then(|byte| u8::try_from(byte).ok());
    byte.filter(|byte| !byte.is_ascii())
}

/// The text of a file.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path) -> std::io::Result<String> {
    std::fs::read(path).map(|bytes| decoded(&bytes))
}

/// Bytes of a file as a text, without the byte order mark that editors of some systems put before it: compilers skip one, but only at
/// the start.
pub fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if byte_of(c).is_some() {
                let mut buffer = [0; 4];
                text.extend(c.encode_utf8(&mut buffer).bytes().map(stand_in));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| stand_in(*byte)));
    }
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

/// A text as bytes for a file.
pub fn encoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// A text for messages: as long as it was.
pub fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if byte_of(c).is_some() { char::REPLACEMENT_CHARACTER } else { c })
        .collect()
}

/// The length of the first columns of a line: each byte of the file is a column.
pub fn columns_len(line: &str, columns: usize) -> usize {
    let mut rest = columns;
    for (at, c) in line.char_indices() {
        let width = if byte_of(c).is_some() { 1 } else { c.len_utf8() };
        if width > rest {
            return at;
        }
        rest -= width;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_any_encoding_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        for bytes in [&all[..], b"\xe9t\xe9", "\u{f7e9}\u{e9}".as_bytes(), b"\x95\x5c", b""] {
            assert_eq!(encoded(&decoded(bytes)), bytes);
        }
        assert_eq!(decoded("\u{feff}int a;".as_bytes()), "int a;");
        let line = decoded(b"a\xe9\xe9b");
        assert_eq!((columns_len(&line, 3), columns_len(&line, 9)), (line.len() - 1, line.len()));
        assert_eq!(columns_len("a\u{e9}", 2), 1);
        assert_eq!(shown(&line).len(), line.len());
    }
}
