//! A chapter: its fenced blocks, and the programs that it shows.

use super::session::Session;
use super::source::{Block, source_dir};
use crate::toolchain::workspace;
use std::fs;
use std::path::{Path, PathBuf};

/// Languages of complete programs: a block of one of them is the text of a file.
const LANGUAGES: [&str; 8] = ["fortran", "c", "cpp", "rust", "python", "cmake", "make", "meson"];

/// How links to files of the repository begin that are not below the directory of the chapters.
const REPOSITORY: &str = "https://github.com/xmp-rt/xmp-rt/blob/main/";

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
    /// When a block of a programming language has no link to its file above it: such a program would not be tested.
    pub fn included(&self) -> Vec<PathBuf> {
        self.programs().into_iter().map(|(_, file)| file).collect()
    }

    /// The blocks that show a file, each with it.
    fn programs(&self) -> Vec<(Block, PathBuf)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let programs = self.blocks().into_iter().filter(|it| LANGUAGES.contains(&&*it.language));
        programs
            .map(|block| {
                let above = lines[..block.line - 1].iter().rev().skip_while(|line| line.is_empty());
                let paragraph: Vec<&str> =
                    above.take_while(|line| !line.is_empty()).copied().collect();
                let file = paragraph.iter().find_map(|line| self.linked_file(line));
                let file = file.unwrap_or_else(|| {
                    panic!(
                        "{}.md:{}: a program is a file, so that it is tested: put a link to it in the paragraph above, as \
                         [heat.f90](programs/heat.f90)",
                        self.name, block.line
                    )
                });
                (block, file)
            })
            .collect()
    }

    /// The file of the last link in a line whose text is the name of the file that it leads to.
    fn linked_file(&self, line: &str) -> Option<PathBuf> {
        let links = line.split('[').skip(1).filter_map(|link| {
            let (text, rest) = link.split_once("](")?;
            let target = rest.split_once(')')?.0;
            target.rsplit('/').next().filter(|name| *name == text).map(|_| target)
        });
        let target = links.last()?;
        if let Some(path) = target.strip_prefix(REPOSITORY) {
            return Some(workspace().join(path));
        }
        let chapter = source_dir().join(&self.name);
        Some(chapter.parent().unwrap_or(Path::new("")).join(target))
    }

    /// The chapter with the programs that their files contain now.
    ///
    /// # Panics
    /// When a file cannot be read.
    pub fn with_programs(&self) -> String {
        let mut lines: Vec<String> = self.text.lines().map(str::to_string).collect();
        for (block, file) in self.programs().into_iter().rev() {
            let program = fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
            let shown = block.line..block.line + block.lines.len();
            lines.splice(shown, program.trim_end().lines().map(str::to_string));
        }
        lines.join("\n") + "\n"
    }

    /// Writes the chapter with the programs that their files contain now.
    ///
    /// # Panics
    /// When a file cannot be read or written.
    pub fn update(&self) {
        let path = source_dir().join(&self.name).with_extension("md");
        fs::write(&path, self.with_programs())
            .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
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
    fn a_program_is_the_file_that_the_paragraph_above_links_to() {
        let text = "See [a.f90](../programs/a.f90) and\n[b.f90](../programs/b.f90):\n\n```fortran\nend\n```\n";
        let found = Chapter::from_text("tutorial/a", text).included();
        assert_eq!(found, [source_dir().join("tutorial/../programs/b.f90")]);
        let text = format!("[x.rs]({REPOSITORY}examples/x.rs):\n\n```rust\n```\n");
        assert_eq!(Chapter::from_text("a", &text).included(), [workspace().join("examples/x.rs")]);
    }

    #[test]
    fn a_chapter_gets_the_programs_of_its_files() {
        let text = "[hello.f90](programs/hello.f90):\n\n```fortran\nold\nlines\n```\nend\n";
        let program = fs::read_to_string(source_dir().join("programs/hello.f90")).unwrap();
        let expected =
            format!("[hello.f90](programs/hello.f90):\n\n```fortran\n{program}```\nend\n");
        assert_eq!(Chapter::from_text("a", text).with_programs(), expected);
    }

    #[test]
    #[should_panic(expected = "a.md:1: a program is a file")]
    fn a_program_without_a_file_is_refused() {
        Chapter::from_text("a", "```fortran\nend\n```\n").included();
    }
}
