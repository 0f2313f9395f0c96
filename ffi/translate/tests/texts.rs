//! Each message is written once: what both languages have to say is in `meaning`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The texts of a folder's sources that have several words.
fn texts(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            texts(&path, found);
            continue;
        }
        let source = fs::read_to_string(&path).expect("a source");
        let code = source.split("#[cfg(test)]").next().expect("a first part");
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace("\\\n", "")
            .replace("\\\"", "'")
            .replace("'\"'", "");
        found.extend(code.split('"').skip(1).step_by(2).filter(|text| is_message(text)).map(shape));
    }
}

fn is_message(text: &str) -> bool {
    text.split_whitespace().count() > 3 && text.chars().any(|c| c.is_ascii_lowercase())
}

/// A text with the values that are written into it left out.
fn shape(text: &str) -> String {
    let mut parts = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    let first = text.split('{').next().unwrap_or_default().to_owned();
    parts.next();
    parts.fold(first, |all, part| all + "{}" + part)
}

#[test]
fn no_message_is_written_for_both_languages() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let of = |folder: &str| {
        let mut found = BTreeSet::new();
        texts(&sources.join(folder), &mut found);
        assert!(found.len() > 20, "the messages of {folder} were not found");
        found
    };
    let all = ["c", "fortran", "meaning"].map(of);
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let twice: Vec<&String> = all[one].intersection(&all[other]).collect();
        assert!(twice.is_empty(), "{twice:#?}");
    }
}
