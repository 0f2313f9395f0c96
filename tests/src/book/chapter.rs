//! A chapter: its fenced blocks, and the programs that it includes.

use super::session::Session;
use super::source::{Block, source_dir};
use std::fs;
use std::path::{Path, PathBuf};

/// How a line begins that mdBook replaces by a file.
const INCLUDE: &str = "{{#include ";

/// Languages of complete programs: a block of one of them is a file that is included.
const LANGUAGES: [&str; 4] = ["fortran", "c", "cpp", "rust"];

/// A chapter of the book.
#[derive(Clone, Debug)]
pub struct Chapter {
    name: String,
    text: String,
}

impl Chapter {
    /// Reads `docs/book/src/<name>.md`.
    ///
    /// # Panics
    /// When it cannot be read.
    pub fn read(name: &str) -> Chapter {
        let path = source_dir().join(name).with_extension("md");
        let text = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        Chapter::from_text(name, &text)
    }

    /// A chapter with this text.
    pub fn from_text(name: &str, text: &str) -> Chapter {
        Chapter { name: name.into(), text: text.into() }
    }

    /// The path below the directory of chapters, without `.md`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The Markdown.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The fenced blocks, in order.
    ///
    /// # Panics
    /// When the last one is not closed.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (index, line) in self.text.lines().enumerate() {
            let fence = line.strip_prefix("```");
            match (open.take(), fence) {
                (None, None) => {}
                (None, Some(info)) => {
                    let mut words = info.split_whitespace().map(str::to_string);
                    let language = words.next().unwrap_or_default();
                    let lines = Vec::new();
                    open = Some(Block { line: index + 1, language, words: words.collect(), lines });
                }
                (Some(block), Some(_)) => blocks.push(block),
                (Some(mut block), None) => {
                    block.lines.push(line.to_string());
                    open = Some(block);
                }
            }
        }
        assert!(open.is_none(), "{}.md: the last fenced block is not closed: {open:?}", self.name);
        blocks
    }

    /// The sessions, in order.
    ///
    /// # Panics
    /// When one is not as the module describes.
    pub fn sessions(&self) -> Vec<Session> {
        let blocks = self.blocks();
        let sessions = blocks.iter().filter(|block| block.language == "console");
        sessions.map(|block| Session::parse(&self.name, block)).collect()
    }

    /// The files of the programs that this chapter shows.
    ///
    /// # Panics
    /// When a block of a programming language is anything else than one included file: such a program would not be
    /// tested.
    pub fn included(&self) -> Vec<PathBuf> {
        let blocks = self.blocks();
        let programs = blocks.iter().filter(|block| LANGUAGES.contains(&&*block.language));
        programs
            .map(|block| match &block.lines[..] {
                [line] => self.included_file(line),
                _ => None,
            }
            .unwrap_or_else(|| {
                panic!(
                    "{}.md:{}: a program is a file of programs/, shown by {INCLUDE}FILE}}}}, so that it is tested",
                    self.name, block.line
                )
            }))
            .collect()
    }

    /// The file that a line includes, with or without an anchor.
    fn included_file(&self, line: &str) -> Option<PathBuf> {
        let file = line.strip_prefix(INCLUDE)?.strip_suffix("}}")?;
        let file = file.split_once(':').map_or(file, |(file, _)| file);
        let chapter = source_dir().join(&self.name);
        Some(chapter.parent().unwrap_or(Path::new("")).join(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\n```console unordered requires=gdb\n$ true\n```\ntext\n```\nx\n```\n";

    #[test]
    fn blocks_have_their_words_and_lines() {
        let blocks = Chapter::from_text("a", TEXT).blocks();
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].line, 2);
        assert_eq!(blocks[0].language, "console");
        assert_eq!(blocks[0].words, ["unordered", "requires=gdb"]);
        assert_eq!(blocks[0].lines, ["$ true"]);
        assert_eq!((blocks[1].language.as_str(), &blocks[1].lines[..]), ("", &["x".into()][..]));
    }

    #[test]
    fn included_files_are_relative_to_the_chapter() {
        let text = "```fortran\n{{#include ../programs/a.f90:part}}\n```\n";
        let found = Chapter::from_text("tutorial/a", text).included();
        assert_eq!(found, [source_dir().join("tutorial/../programs/a.f90")]);
    }

    #[test]
    #[should_panic(expected = "a.md:1: a program is a file of programs/")]
    fn a_program_in_the_text_is_refused() {
        Chapter::from_text("a", "```fortran\nend\n```\n").included();
    }
}
