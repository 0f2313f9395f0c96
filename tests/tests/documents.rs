//! The documents of the repository: every relative link leads to a file, and to a heading of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use xmp_tests::toolchain::workspace;

/// The Markdown files below a directory, without what Cargo and Git keep there.
fn documents(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("an entry of the directory").path();
        let kept_by_tools = path.file_name().is_some_and(|name| name == "target" || name == ".git");
        if path.is_dir() && !kept_by_tools {
            found.extend(documents(&path));
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found
}

/// The lines of a document outside of fenced blocks.
fn prose(text: &str) -> Vec<&str> {
    let mut fenced = false;
    text.lines()
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            !fenced && !fence
        })
        .collect()
}

/// The targets of the links in a line. Code between backticks has none.
fn targets(line: &str) -> Vec<String> {
    let outside: String = line.split('`').step_by(2).collect();
    let rests = outside.split("](").skip(1);
    rests.filter_map(|rest| rest.split_once(')')).map(|(to, _)| to.to_string()).collect()
}

/// The anchors of the headings of a document, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).into_iter().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.trim())
    });
    headings
        .map(|heading| {
            let kept = heading
                .to_lowercase()
                .chars()
                .map(|c| if c == ' ' { '-' } else { c })
                .collect::<String>();
            kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
        })
        .collect()
}

/// What is wrong with a link of this document.
fn fault(document: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(f, a)| (f, Some(a)));
    let path = if file.is_empty() {
        document.to_path_buf()
    } else {
        document.parent().expect("a directory").join(file)
    };
    if !path.exists() {
        return Some(format!("{}: {target}: no such file", document.display()));
    }
    let anchor = anchor?;
    let text = fs::read_to_string(&path).ok()?;
    let there = anchors(&text).contains(anchor);
    (!there).then(|| format!("{}: {target}: no such heading", document.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let documents = documents(workspace());
    assert!(documents.contains(&workspace().join("README.md")));
    let mut faults = Vec::new();
    for document in &documents {
        let text = fs::read_to_string(document).expect("a document in UTF-8");
        let links = prose(&text).into_iter().flat_map(targets);
        faults.extend(links.filter_map(|target| fault(document, &target)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn links_are_outside_of_code() {
    assert_eq!(targets("[a](b.md), [c](d.md#e), `x[i](2:3)`"), ["b.md", "d.md#e"]);
}

#[test]
fn broken_links_are_found() {
    let readme = workspace().join("README.md");
    assert_eq!(fault(&readme, "docs/ARCHITECTURE.md#2-words"), None);
    assert_eq!(fault(&readme, "https://example.org/nothing"), None);
    let words = |target| fault(&readme, target).unwrap_or_default();
    assert!(words("docs/NOTHING.md").ends_with("no such file"));
    assert!(words("docs/ARCHITECTURE.md#nothing").ends_with("no such heading"));
}

#[test]
fn every_file_that_the_architecture_names_is_there() {
    const TOP: [&str; 8] =
        ["collectives/", "coarray/", "docs/", "examples/", "ffi/", "teams/", "tests/", "xmp-core/"];
    let path = workspace().join("docs/ARCHITECTURE.md");
    let text = fs::read_to_string(path).expect("the architecture");
    let named: Vec<&str> = prose(&text)
        .into_iter()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|span| TOP.iter().any(|top| span.starts_with(top)) && !span.contains("NAME"))
        .collect();
    assert!(named.len() > 40, "{named:?}");
    let missing: Vec<&&str> =
        named.iter().filter(|name| !workspace().join(name).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
