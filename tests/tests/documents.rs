//! The documents of the repository: every relative link leads to a file, and to a heading of it; and every source file
//! or folder that a document or a comment names is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use xmp_tests::toolchain::workspace;

/// The files below a directory, without what Cargo and Git keep there.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("an entry of the directory").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let kept_by_tools = name == "target" || name.starts_with("target-") || name == ".git";
        if path.is_dir() && !kept_by_tools {
            found.extend(files(&path));
        } else if path.is_file() {
            found.push(path);
        }
    }
    found
}

/// The files below a directory whose names end so.
fn files_of_kind(directory: &Path, kind: &str) -> Vec<PathBuf> {
    let of_kind = |path: &PathBuf| path.extension().is_some_and(|end| end == kind);
    files(directory).into_iter().filter(of_kind).collect()
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
    let documents = files_of_kind(workspace(), "md");
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

/// The source files and folders of the repository, as documents may name them.
struct Tree {
    paths: BTreeSet<String>,
}

impl Tree {
    fn read() -> Tree {
        let relative = files(workspace()).into_iter().map(|path| {
            let path = path.strip_prefix(workspace()).expect("a file below the workspace");
            path.to_string_lossy().into_owned()
        });
        let folders = |file: &str| -> Vec<String> {
            file.match_indices('/').map(|(end, _)| file[..=end].to_string()).collect()
        };
        Tree { paths: relative.flat_map(|file| [folders(&file), vec![file]].concat()).collect() }
    }

    /// Whether a file or folder of the tree has this name: its whole path, or the end of it.
    fn has(&self, name: &str) -> bool {
        let end = format!("/{}", name.trim_start_matches("../"));
        self.paths.iter().any(|path| *path == end[1..] || path.ends_with(&end))
    }

    /// The names between backticks in these lines that look like a Rust file of this repository, or begin with one of
    /// its folders, and that the tree has not. `NAME` stands for a name to be chosen.
    fn missing(&self, lines: &[&str]) -> Vec<String> {
        let spans = lines.iter().flat_map(|line| line.split('`').skip(1).step_by(2));
        let of_path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        let names = spans.filter(|span| {
            span.chars().all(of_path) && !span.contains("NAME") && !span.starts_with('/')
        });
        names
            .filter(|name| name.ends_with(".rs") || TOP.iter().any(|top| name.starts_with(top)))
            .filter(|name| {
                let name = name.trim_end_matches('/');
                !self.has(name) && !self.has(&format!("{name}/"))
            })
            .map(str::to_string)
            .collect()
    }
}

/// The folders at the top of the repository.
const TOP: [&str; 9] = [
    "collectives/",
    "coarray/",
    "docs/",
    "examples/",
    "ffi/",
    "packaging/",
    "teams/",
    "tests/",
    "xmp-core/",
];

#[test]
fn every_source_file_that_a_document_names_is_there() {
    let tree = Tree::read();
    let mut missing = Vec::new();
    for document in files_of_kind(workspace(), "md") {
        let text = fs::read_to_string(&document).expect("a document in UTF-8");
        let history = document.file_name().is_some_and(|name| name == "CHANGELOG.md");
        if !history {
            let names = tree.missing(&prose(&text));
            missing.extend(names.iter().map(|name| format!("{}: {name}", document.display())));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_source_file_that_a_comment_names_is_there() {
    let tree = Tree::read();
    let mut missing = Vec::new();
    for source in files_of_kind(workspace(), "rs") {
        let text = fs::read_to_string(&source).expect("a source in UTF-8");
        let comments: Vec<&str> =
            text.lines().filter(|line| line.trim_start().starts_with("//")).collect();
        let names = tree.missing(&comments);
        missing.extend(names.iter().map(|name| format!("{}: {name}", source.display())));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn names_of_missing_files_are_found() {
    let tree = Tree::read();
    let text =
        "`Cargo.toml` `src/lib.rs` `teams/src` `teams/nothing` `nothing.rs` `a + b.rs` `ffi/NAME`";
    assert_eq!(tree.missing(&[text]), ["teams/nothing", "nothing.rs"]);
}
