//! Races as editors and services read them: SARIF 2.1.0 (OASIS).

use super::place::file_and_line;
use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io, process};

/// The object of a race, as a text in one line without its first brace: the end of the job puts the number of its occurrences there.
/// Each side is a text and a place, as `file:line`, if it is known.
pub(super) fn result(mine: (&str, Option<String>), other: (&str, Option<String>)) -> String {
    let ((text, mine), (does, other)) = (mine, other);
    let location = |place: Option<String>| place.as_deref().and_then(location);
    let mine = location(mine).unwrap_or_default();
    let related = location(other).map_or_else(String::new, |location| {
        let rest = location.trim_start_matches('{');
        format!("{{\"id\":1,\"message\":{{\"text\":{}}},{rest}", quoted(does))
    });
    format!(
        "\"ruleId\":\"race\",\"level\":\"error\",\"message\":{{\"text\":{}}},\"locations\":[{mine}],\"relatedLocations\":[{related}]}}",
        quoted(text)
    )
}

/// A place as an object.
fn location(place: &str) -> Option<String> {
    let (file, line) = file_and_line(place)?;
    Some(format!(
        "{{\"physicalLocation\":{{\"artifactLocation\":{{\"uri\":{}}},\"region\":{{\"startLine\":{line}}}}}}}",
        quoted(&uri(file))
    ))
}

/// The URI of a file: relative to the current directory, or absolute.
fn uri(file: &str) -> String {
    let mut uri = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => _ = write!(uri, "%{byte:02X}"),
        }
    }
    uri
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => _ = write!(json, "\\u{:04x}", u32::from(character)),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

/// The file of these results, each with the number of its occurrences.
pub(super) fn file<'a>(results: impl Iterator<Item = (u64, &'a str)>) -> String {
    let results: Vec<String> = results
        .map(|(count, rest)| format!("      {{\"occurrenceCount\":{},{rest}", count.max(1)))
        .collect();
    format!(
        r#"{{
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "version": "2.1.0",
  "runs": [{{
    "tool": {{"driver": {{"name": "XMP-RT", "version": "{}", "rules": [
      {{"id": "race", "shortDescription": {{"text": "Accesses of two images to the same memory, one of which writes, that nothing orders"}}}}
    ]}}}},
    "columnKind": "unicodeCodePoints",
    "results": [
{}
    ]
  }}]
}}
"#,
        env!("CARGO_PKG_VERSION"),
        results.join(",\n")
    )
}

/// Writes the file as a whole: readers, and other images that write it, never see a part.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    if !is_replaced(path) {
        return fs::write(path, text);
    }
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}", process::id()));
    fs::write(&new, text).and_then(|()| fs::rename(&new, path)).inspect_err(|_| {
        // The error that is reported is the first one.
        let _ = fs::remove_file(&new);
    })
}

/// Removes the file of an earlier job.
pub(super) fn remove_old(path: &Path) -> io::Result<()> {
    if is_replaced(path) && path.exists() { fs::remove_file(path) } else { Ok(()) }
}

/// Whether there may be another file in its place: not for devices, pipes and links.
fn is_replaced(path: &Path) -> bool {
    fs::symlink_metadata(path).map_or(true, |found| found.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_names_of_files_are_escaped() {
        assert_eq!(quoted("a\"b\\c\td"), r#""a\"b\\c\u0009d""#);
        assert_eq!(uri("src/my file.f90"), "src/my%20file.f90");
        assert_eq!(uri("/home/ä/a.f90"), "file:///home/%C3%A4/a.f90");
    }

    #[test]
    fn a_result_has_its_occurrences() {
        let text = file([(3, "\"ruleId\":\"race\"}")].into_iter());
        assert!(text.contains("{\"occurrenceCount\":3,\"ruleId\":\"race\"}\n"), "{text}");
    }
}
