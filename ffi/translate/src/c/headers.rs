//! Headers of the user that have directives: they become a part of the source that includes them.

use super::normal::{has_directives, normal};
use crate::source_file;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A part of the joined text and the file that it is from.
#[derive(Debug)]
struct Piece {
    /// Its start in the joined text.
    start: usize,
    /// Number of the file.
    file: usize,
    /// Its start in the file.
    from: usize,
}

/// A source joined with its headers.
#[derive(Debug)]
pub struct Joined {
    /// The text, with `#line` where the file changes.
    pub text: String,
    pieces: Vec<Piece>,
    files: Vec<(PathBuf, String)>,
    /// The directories in which headers are searched for, besides the directory of the file.
    directories: Vec<PathBuf>,
    /// Whether headers have to be joined, for themselves or for headers of their own.
    known: BTreeMap<PathBuf, bool>,
}

impl Joined {
    /// Joins a source with the headers that are beside it or in one of these directories, and have directives.
    pub fn new(path: &Path, source: String, directories: &[PathBuf]) -> Self {
        let mut joined = Self {
            text: String::new(),
            pieces: Vec::new(),
            files: Vec::new(),
            directories: directories.to_vec(),
            known: BTreeMap::new(),
        };
        joined.add(path.to_owned(), source);
        joined
    }

    /// The file, its text and the place in it that a place in the joined text is.
    pub fn place(&self, span: &Range<usize>) -> (&Path, &str, Range<usize>) {
        let nth = self.pieces.partition_point(|piece| piece.start <= span.start).saturating_sub(1);
        let piece = &self.pieces[nth];
        let (path, text) = &self.files[piece.file];
        let start = piece.from + (span.start - piece.start);
        (path, text, start..start + span.len())
    }

    /// The source and the headers that were joined.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|(path, _)| path.as_path())
    }

    /// Whether headers were joined.
    pub fn has_headers(&self) -> bool {
        self.files.len() > 1
    }

    fn add(&mut self, path: PathBuf, source: String) {
        let file = self.files.len();
        self.files.push((path.clone(), source.clone()));
        self.piece(file, 0);
        let mut at = 0;
        // Without comments, byte for byte in the same places.
        let code = normal(&source, &[]).text;
        for line in source.split_inclusive('\n') {
            let next = at + line.len();
            if file > 0 && is_pragma_once(line) {
                self.text.push('\n');
                self.piece(file, next);
            } else if !code[at..next].contains("include") {
                self.text += line;
            } else if let Some((header, text)) = self.header(&path, line) {
                let once = !self.files.iter().any(|(known, _)| *known == header);
                if once {
                    self.text += &format!("#line 1 \"{}\"\n", quoted(&header));
                    self.add(header, text);
                    if !self.text.ends_with('\n') {
                        self.text.push('\n');
                    }
                    let number = source[..next].matches('\n').count() + 1;
                    self.text += &format!("#line {number} \"{}\"\n", quoted(&path));
                } else {
                    self.text.push('\n');
                }
                self.piece(file, next);
            } else if file > 0
                && let Some(beside) = beside(&path, line)
            {
                // The compiler searches for it beside the source, which may be elsewhere.
                let beside = beside.canonicalize().unwrap_or(beside);
                self.text += &format!("#include \"{}\"\n", quoted(&beside));
                self.piece(file, next);
            } else {
                self.text += line;
            }
            at = next;
        }
    }

    fn piece(&mut self, file: usize, from: usize) {
        self.pieces.push(Piece { start: self.text.len(), file, from });
    }

    /// The header that a line includes, if it is found and has to be joined, for itself or for headers of its own.
    fn header(&mut self, path: &Path, line: &str) -> Option<(PathBuf, String)> {
        let name = included(line)?;
        let found = beside(path, line)
            .into_iter()
            .chain(self.directories.iter().map(|directory| directory.join(name)));
        let (header, text) = found
            .into_iter()
            .find_map(|header| source_file::read(&header).ok().map(|text| (header, text)))?;
        if let Some(has_some) = self.known.get(&header) {
            return has_some.then_some((header, text));
        }
        // Headers may include one another in a circle.
        self.known.insert(header.clone(), false);
        let has_some =
            has_directives(&text) || text.lines().any(|line| self.header(&header, line).is_some());
        self.known.insert(header.clone(), has_some);
        has_some.then_some((header, text))
    }
}

/// Whether a line says that a header is included once, which a joined one is. The compiler warns of it in a source.
fn is_pragma_once(line: &str) -> bool {
    let rest = line.trim().strip_prefix('#');
    rest.is_some_and(|rest| rest.split_whitespace().eq(["pragma", "once"]))
}

/// The name of the header that a line includes.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let rest = rest.trim_start();
    match rest.strip_prefix('"') {
        Some(name) => name.split('"').next(),
        None => rest.strip_prefix('<')?.split('>').next(),
    }
}

/// The file beside another one that a line of that includes, if there is one.
fn beside(path: &Path, line: &str) -> Option<PathBuf> {
    let name = included(line).filter(|_| line.contains('"'))?;
    let header = path.parent().unwrap_or(Path::new("")).join(name);
    header.is_file().then_some(header)
}

/// A `#line` directive for a place in a source, which the compiler calls `path`.
pub fn line_at(source: &str, path: &str, at: usize) -> String {
    let (mut number, mut path) = (1, format!("\"{path}\""));
    for line in source[..at].split_inclusive('\n') {
        let told = line.strip_prefix("#line ").and_then(|rest| rest.trim_end().split_once(' '));
        match told.and_then(|(next, file)| Some((next.parse::<usize>().ok()?, file))) {
            Some((next, file)) => (number, path) = (next, file.to_owned()),
            None if line.ends_with('\n') => number += 1,
            None => {}
        }
    }
    format!("#line {number} {path}\n")
}

/// A path in a `#line`.
pub fn quoted(path: &Path) -> String {
    path.display().to_string().replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn headers_that_include_one_another_are_no_circle() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        write("one.h", "#include <two.h>\n#include \"two.h\"\n#include \"one.h\"\n");
        write("two.h", "#include \"one.h\"\n#pragma xmp barrier\n");
        let joined = Joined::new(
            &directory.path().join("a.c"),
            "#include <one.h>\n".to_owned(),
            &[directory.path().to_owned()],
        );
        assert_eq!(joined.text.matches("barrier").count(), 1, "{}", joined.text);
    }

    #[test]
    fn headers_with_directives_are_joined_once() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().canonicalize().unwrap();
        let at = |name: &str| place.join(name);
        fs::write(at("plain.h"), "#define N 9\n").unwrap();
        fs::write(
            at("map.h"),
            "#  pragma once\n#include \"plain.h\"\n#pragma xmp nodes p[*]\nint y;",
        )
        .unwrap();
        fs::write(at("outer.h"), "#include \"map.h\"\n").unwrap();
        let source = "#include \"plain.h\"\n#include \"outer.h\"\n#include \"map.h\"\n/*\n#include \"map.h\"\n*/\nint x;\n";
        let joined = Joined::new(&at("a.c"), source.to_owned(), &[]);
        let name = |name: &str| quoted(&at(name));
        let expected = format!(
            "#include \"plain.h\"\n#line 1 \"{outer}\"\n#line 1 \"{map}\"\n\n#include \"{plain}\"\n#pragma xmp nodes p[*]\nint y;\n\
             #line 2 \"{outer}\"\n#line 3 \"{a}\"\n\n/*\n#include \"map.h\"\n*/\nint x;\n",
            outer = name("outer.h"),
            map = name("map.h"),
            plain = name("plain.h"),
            a = name("a.c")
        );
        assert_eq!(joined.text, expected);
        for (word, file) in [("int x", "a.c"), ("nodes", "map.h"), ("int y", "map.h")] {
            let start = joined.text.find(word).unwrap();
            let (path, text, span) = joined.place(&(start..start + word.len()));
            assert_eq!((path, &text[span]), (at(file).as_path(), word));
        }
    }
}
