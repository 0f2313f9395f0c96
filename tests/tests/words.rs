//! The glossary: a word that it retires does not come back, in names, comments, documents or messages.

use std::fs;
use std::path::{Path, PathBuf};
use xmp_tests::toolchain::workspace;

/// Files in which retired words may stand: the glossary, and the history of what was called how.
const HISTORY: [&str; 2] = ["docs/GLOSSARY.md", "CHANGELOG.md"];

/// A retired word, and the texts on whose lines it may stand.
struct Retired {
    word: String,
    allowed: Vec<String>,
}

/// The second table of the glossary.
fn retired(glossary: &str) -> Vec<Retired> {
    let (_, table) = glossary.split_once("## Retired words").expect("a table of retired words");
    let rows = table.lines().filter(|line| line.starts_with('|')).skip(2);
    rows.flat_map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let allowed: Vec<String> =
            cells[2].split('`').skip(1).step_by(2).map(str::to_string).collect();
        cells[0]
            .split(", ")
            .map(move |word| Retired { word: word.to_string(), allowed: allowed.clone() })
            .collect::<Vec<_>>()
    })
    .collect()
}

/// The words of a line in lower case: names are split at underscores and at changes of case.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in line.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && before.is_lowercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("one at least").extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The retired words of a text, by line.
fn found(text: &str, retired: &[Retired]) -> Vec<(usize, String)> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.contains("://"));
    lines
        .flat_map(|(line, number)| {
            let words = words(line);
            let bad = retired.iter().filter(move |old| {
                words.contains(&old.word) && !old.allowed.iter().any(|text| line.contains(text))
            });
            bad.map(|old| (number, old.word.clone())).collect::<Vec<_>>()
        })
        .collect()
}

/// The sources and documents below a directory, without what Cargo and Git keep there.
fn sources(directory: &Path, into: &mut Vec<PathBuf>) {
    const ENDINGS: [&str; 7] = ["rs", "md", "h", "c", "sh", "toml", "py"];
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("an entry of the directory").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !path.is_symlink() && name != "target" && name != ".git" {
            sources(&path, into);
        } else if path.extension().is_some_and(|end| ENDINGS.iter().any(|&known| end == known)) {
            into.push(path);
        }
    }
}

#[test]
fn retired_words_do_not_come_back() {
    let root = workspace();
    let glossary = fs::read_to_string(root.join("docs/GLOSSARY.md")).expect("the glossary");
    let retired = retired(&glossary);
    assert!(retired.len() > 10, "{} retired words", retired.len());
    let mut files = Vec::new();
    sources(root, &mut files);
    assert!(files.len() > 500, "{} files", files.len());
    let mut complaints = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).expect("below the root").display().to_string();
        if HISTORY.contains(&name.as_str()) || name == "tests/tests/words.rs" {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        let bad = found(&text, &retired);
        complaints.extend(bad.into_iter().map(|(line, word)| format!("{name}:{line}: {word}")));
    }
    assert!(complaints.is_empty(), "see docs/GLOSSARY.md:\n{}", complaints.join("\n"));
}

#[test]
fn words_are_found_in_names_of_every_style() {
    let retired = retired(
        "## Retired words\n\n| a | b | c |\n|---|---|---|\n| board, mates | area | `--bind-to board` |\n",
    );
    let text =
        "let board_len = 1;\nstruct MyBoard;\n// the board\nkeyboard\n--bind-to board\nclassmates";
    let lines: Vec<usize> = found(text, &retired).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [1, 2, 3]);
    assert_eq!(retired[1].word, "mates");
}
