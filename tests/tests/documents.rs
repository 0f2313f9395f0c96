//! The documents of the repository: every relative link leads to a file, and to a heading of it; and every source file
//! or folder that a document or a comment names is there.

use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, iter};
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

/// What the tests look at in a text in Markdown.
#[derive(Debug, Default, PartialEq, Eq)]
struct Document {
    /// Where links, pictures and definitions of references lead.
    targets: Vec<String>,
    /// The names of references that have no definition.
    undefined: Vec<String>,
    /// The anchors of the headings, as GitHub and mdBook make them.
    anchors: BTreeSet<String>,
    /// The code within text. Blocks of code have none.
    code: Vec<String>,
}

impl Document {
    fn parse(text: &str) -> Document {
        let undefined = RefCell::new(Vec::new());
        // `[text]` alone is a text in brackets.
        let note = |link: BrokenLink<'_>| {
            if !matches!(link.link_type, LinkType::Shortcut | LinkType::ShortcutUnknown) {
                undefined.borrow_mut().push(link.reference.to_string());
            }
            None
        };
        let mut document = Document::default();
        let mut heading: Option<String> = None;
        let mut parser =
            Parser::new_with_broken_link_callback(text, Options::ENABLE_TABLES, Some(note));
        for event in parser.by_ref() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    document.targets.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    document.add_anchor(&heading.take().unwrap_or_default());
                }
                Event::Text(text) => heading.iter_mut().for_each(|heading| heading.push_str(&text)),
                Event::Code(code) => {
                    heading.iter_mut().for_each(|heading| heading.push_str(&code));
                    document.code.push(code.into_string());
                }
                _ => {}
            }
        }
        let definitions = parser.reference_definitions().iter();
        document.targets.extend(definitions.map(|(_, definition)| definition.dest.to_string()));
        document.undefined = undefined.take();
        document
    }

    /// Adds the anchor of a heading. Later ones with the same text are numbered.
    fn add_anchor(&mut self, heading: &str) {
        let lower = heading.to_lowercase().replace(' ', "-");
        let anchor: String =
            lower.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = iter::once(anchor.clone()).chain(numbered);
        let free = names.find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }
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
    let there = Document::parse(&text).anchors.contains(anchor);
    (!there).then(|| format!("{}: {target}: no such heading", document.display()))
}

#[test]
fn every_link_leads_somewhere() {
    let documents = files_of_kind(workspace(), "md");
    assert!(documents.contains(&workspace().join("README.md")));
    let mut faults = Vec::new();
    for document in &documents {
        let text = fs::read_to_string(document).expect("a document in UTF-8");
        let Document { targets, undefined, .. } = Document::parse(&text);
        faults.extend(targets.iter().filter_map(|target| fault(document, target)));
        let path = document.display();
        faults.extend(undefined.iter().map(|name| format!("{path}: no definition of [{name}]")));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_first_page_is_short() {
    let text = fs::read_to_string(workspace().join("README.md")).expect("the first page");
    let words = text.split_whitespace().count();
    assert!(words <= 900, "the first page has {words} words");
}

/// The text about the picture of programs has the least and the greatest ratio that it draws.
#[test]
fn the_first_page_describes_its_picture_of_programs() {
    let text = fs::read_to_string(workspace().join("README.md")).expect("the first page");
    let rows = fs::read_to_string(workspace().join("docs/perf/programs.csv")).expect("figures");
    let ratios = rows.lines().skip(1).map(|row| {
        let columns: Vec<&str> = row.rsplit(',').collect();
        let number = |at: usize| columns[at].parse::<f64>().expect("a time");
        number(2) / number(0)
    });
    let (least, greatest) = ratios.fold((f64::MAX, 0.0_f64), |(least, greatest), ratio| {
        (least.min(ratio), greatest.max(ratio))
    });
    let words = format!("from {least:.2} for a transposition to {greatest:.1} for single elements");
    assert!(text.contains(&words), "the first page lacks: {words}");
}

/// A backslash before punctuation is not shown outside of code.
#[test]
fn the_key_that_shows_what_images_do_is_written_as_code() {
    for document in files_of_kind(workspace(), "md") {
        let text = fs::read_to_string(&document).expect("a document in UTF-8");
        let bare = text.matches(r"Ctrl-\").count() - text.matches(r"Ctrl-\`").count();
        assert_eq!(bare, 0, "{}", document.display());
    }
}

#[test]
fn links_of_every_form_are_found() {
    let text = "# A `b`, c\n\n## Same\n\n[a](b.md), [over two\nlines](d.md#e), ![p](p.png), `[x](2:3)`, x[2]\n\n\
                ```text\n[code](f.md)\n# No heading\n```\n\n| [cell](g.md) | `code.rs` |\n|---|---|\n\n\
                ## Same\n\n[by name][name], [unknown][other], [unused]\n\n[name]: h.md\n[never used]: i.md\n";
    let mut document = Document::parse(text);
    document.targets.sort();
    assert_eq!(document.targets, ["b.md", "d.md#e", "g.md", "h.md", "h.md", "i.md", "p.png"]);
    assert_eq!(document.undefined, ["other"]);
    assert_eq!(document.code, ["b", "[x](2:3)", "code.rs"]);
    assert_eq!(document.anchors.iter().collect::<Vec<_>>(), ["a-b-c", "same", "same-1"]);
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

    /// The code within a text in Markdown that looks like a Rust file of this repository, or begins with one of its
    /// folders, and that the tree has not. `NAME` stands for a name to be chosen.
    fn missing(&self, text: &str) -> Vec<String> {
        let spans = Document::parse(text).code.into_iter();
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
            let names = tree.missing(&text);
            missing.extend(names.iter().map(|name| format!("{}: {name}", document.display())));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// A row names one program as `tests/NAME.rs` or `tests/NAME/`, and those beside it as `NAME.rs`.
#[test]
fn every_test_program_has_a_row_in_the_list_of_tests() {
    let list = fs::read_to_string(workspace().join("tests/README.md")).expect("the list");
    let rows: Vec<&str> = list.lines().filter(|line| line.starts_with("| `")).collect();
    let mut programs = 0;
    for entry in fs::read_dir(workspace().join("tests/tests")).expect("the tests") {
        let name = entry.expect("an entry of the directory").file_name();
        let name = name.to_string_lossy();
        let names = [format!("/{name}`"), format!("`{name}`"), format!("/{name}/`")];
        let has_row = rows.iter().any(|row| names.iter().any(|name| row.contains(name)));
        assert!(has_row, "tests/README.md has no row for tests/{name}");
        programs += 1;
    }
    assert!(programs > 80);
}

/// The comments of a source in Rust. Comments with code between them are paragraphs of their own.
fn comments(source: &str) -> String {
    let mut comments = String::new();
    for line in source.lines() {
        let comment = line.trim_start().strip_prefix("//");
        let text = comment.map_or("", |text| text.trim_start_matches(['/', '!']).trim());
        comments.push_str(text);
        comments.push('\n');
    }
    comments
}

#[test]
fn every_source_file_that_a_comment_names_is_there() {
    let tree = Tree::read();
    let mut missing = Vec::new();
    for source in files_of_kind(workspace(), "rs") {
        let text = fs::read_to_string(&source).expect("a source in UTF-8");
        let names = tree.missing(&comments(&text));
        missing.extend(names.iter().map(|name| format!("{}: {name}", source.display())));
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn names_of_missing_files_are_found() {
    let tree = Tree::read();
    let text =
        "`Cargo.toml` `src/lib.rs` `teams/src` `teams/nothing` `nothing.rs` `a + b.rs` `ffi/NAME`";
    assert_eq!(tree.missing(text), ["teams/nothing", "nothing.rs"]);
    let source =
        "//! Of `Cargo.toml`.\nlet x = \"`some.rs`\";\n    /// See\n    /// `nothing.rs`.\n";
    assert_eq!(tree.missing(&comments(source)), ["nothing.rs"]);
}
