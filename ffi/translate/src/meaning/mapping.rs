//! Whether two dimensions of templates have their indices on the same images, as far as directives determine it.

use super::Language;
use super::shape::{Bounds, bounds};
use crate::directive::{Brackets, Format, Reference};

/// A dimension of a template that is declared and distributed.
#[derive(Clone, Copy, Debug)]
pub struct Mapped<'a> {
    /// The template, with its bounds.
    pub declared: &'a Reference,
    /// The formats, the fastest dimension first.
    pub formats: &'a [Format],
    /// The number of the nodes.
    pub nodes: usize,
    /// The dimension.
    pub axis: usize,
}

impl Mapped<'_> {
    /// Whether both dimensions have the same bounds, format and nodes. `is_constant` says whether a word of an expression has the same
    /// value for both.
    pub fn is_same(
        &self,
        other: &Self,
        language: Language,
        is_constant: &dyn Fn(&str) -> bool,
    ) -> bool {
        let Some(texts) = self.texts(language) else { return false };
        let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let all = texts.iter().flat_map(|text| text.split(|c| !is_part_of_word(c)));
        Some(&texts) == other.texts(language).as_ref()
            && self.place() == other.place()
            && all.filter(is_word).all(is_constant)
    }

    /// The nodes and their dimension.
    fn place(&self) -> (usize, usize) {
        let before = self.formats[..self.axis].iter();
        (self.nodes, before.filter(|format| !matches!(format, Format::Star(_))).count())
    }

    /// The bounds with their bracket, and the format with the width of its blocks or its map; none where one is open.
    fn texts(&self, language: Language) -> Option<[String; 3]> {
        let text = |text: &str| {
            let folded = language.folded(text);
            folded.split_whitespace().collect::<String>()
        };
        let [first, second] = match bounds(self.declared).ok()??.get(self.axis)? {
            Bounds::Size(size) => [String::new(), text(&size.text)],
            Bounds::Between(first, second) => [text(&first.text), text(&second.text)],
        };
        let (kind, given) = match self.formats.get(self.axis)? {
            Format::Star(_) | Format::Gblock(None, _) => return None,
            Format::Block(width, _) => ('=', width),
            Format::Cyclic(width, _) => ('/', width),
            Format::Gblock(map, _) => ('#', map),
        };
        let given = given.as_ref().map(|given| text(&given.text)).unwrap_or_default();
        let square = if self.declared.brackets == Some(Brackets::Square) { "[" } else { "(" };
        Some([format!("{square}{first}"), second, format!("{kind}{given}")])
    }
}

/// Whether a character is one of names and numbers.
fn is_part_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
