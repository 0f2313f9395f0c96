//! Macros of the file: the distributed arrays that functions use by them.

use super::decay::{Around, around};
use super::names::Class;
use super::on::PREFIX;
use super::syntax::{descendants, function_of};
use super::unit::Unit;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::Node;

/// Arrays that functions use, by the places of their bodies.
pub type Uses = BTreeMap<usize, BTreeSet<usize>>;

/// A macro: its name, its parameters and the names in its body.
#[derive(Debug)]
pub struct Macro {
    /// The name.
    pub name: String,
    parameters: Vec<String>,
    words: Vec<(String, usize)>,
    /// The rest of the line.
    pub body: Range<usize>,
}

/// What a macro does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// It writes subscripts behind it, everywhere.
    Subscripted,
    /// It uses it as it is.
    Whole,
    /// Both, or it passes it to another macro.
    Unclear,
    /// It stands for it.
    Name,
    /// It gets at elements by operators, or stands for another pointer.
    Pointer,
    /// It takes its size.
    Size,
}

impl Unit<'_> {
    /// The macros of the file, with the names in their bodies.
    pub fn macros(&self) -> Vec<Macro> {
        let mut macros = Vec::new();
        for span in &self.normal.macros {
            let mut words = words(&self.normal.text, span.clone());
            if words.is_empty() {
                continue;
            }
            let (name, at) = words.remove(0);
            let (mut body, mut parameters) = (at + name.len()..span.end, Vec::new());
            if self.normal.text[body.clone()].starts_with('(') {
                let end = self.normal.text[body.clone()].find(')');
                body.start = end.map_or(span.end, |len| body.start + len + 1);
                let before = words.iter().filter(|(_, at)| *at < body.start);
                parameters = before.map(|(name, _)| name.clone()).collect();
                words.retain(|(name, at)| *at >= body.start && !parameters.contains(name));
            }
            macros.push(Macro { name, parameters, words, body });
        }
        macros
    }

    /// What a macro of the file does with a name that is its argument; none if the name is no such argument.
    pub fn macro_argument<'m>(
        &self,
        name: Node<'_>,
        macros: &'m [Macro],
    ) -> Option<(&'m Macro, Argument)> {
        let list = name.parent().filter(|list| list.kind() == "argument_list")?;
        let called = list.parent()?.child_by_field_name("function")?;
        let called = &self.source[called.byte_range()];
        let of = macros.iter().find(|of| of.name == called)?;
        let mut cursor = list.walk();
        let nth = list.named_children(&mut cursor).position(|argument| argument == name)?;
        Some((of, self.use_of(of, nth, macros)?))
    }

    /// What a macro does with an argument.
    pub fn use_of(&self, of: &Macro, nth: usize, macros: &[Macro]) -> Option<Argument> {
        let parameter = of.parameters.get(nth)?;
        let text = &self.normal.text;
        let places = words(text, of.body.clone());
        let places = places.iter().filter(|(word, at)| word == parameter && !is_spelled(text, *at));
        let parts = places
            .map(|(word, at)| (&text[of.body.start..*at], &text[at + word.len()..of.body.end]));
        let (subscripted, others): (Vec<_>, Vec<_>) =
            parts.partition(|(before, behind)| is_subscripted(before, behind));
        let is = |way: Around| others.iter().any(|(before, behind)| around(before, behind) == way);
        let passes = of.words.iter().any(|(word, _)| macros.iter().any(|of| of.name == *word));
        Some(match (subscripted.is_empty(), others.is_empty()) {
            (false, true) => Argument::Subscripted,
            (false, false) => Argument::Unclear,
            _ if is(Around::Pointer) => Argument::Pointer,
            _ if is(Around::Size) => Argument::Size,
            _ if is(Around::Name) => Argument::Name,
            (true, false) if passes => Argument::Unclear,
            _ => Argument::Whole,
        })
    }

    /// Arrays that functions use by macros; and the subscripts in those.
    pub fn uses_by_macros(&mut self, macros: &[Macro], uses: &mut Uses) {
        let objects = self.objects;
        let mut arrays: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for of in macros {
            for (word, at) in &of.words {
                let found = objects.arrays.iter().find(|array| array.name.text == *word);
                if let Some(array) = found {
                    let done = self.name_in_macro(of, *at, array, macros);
                    self.wrong.extend(done.err());
                    if !array.home.local && !array.pointer && array.class != Class::Parameter {
                        arrays.entry(of.name.as_str()).or_default().insert(array.variable);
                    }
                } else if self.coarrays.all().iter().any(|coarray| coarray.name == *word) {
                    self.edits.replace(*at..at + word.len(), format!("(*{PREFIX}{word})"));
                }
            }
        }
        // Macros that use macros.
        for _ in macros {
            for of in macros {
                let inner: BTreeSet<usize> = of
                    .words
                    .iter()
                    .filter_map(|(word, _)| arrays.get(word.as_str()))
                    .flatten()
                    .copied()
                    .collect();
                if !inner.is_empty() {
                    arrays.entry(of.name.as_str()).or_default().extend(inner);
                }
            }
        }
        if arrays.is_empty() {
            return;
        }
        for node in descendants(self.root).into_iter().filter(|node| node.kind() == "identifier") {
            let Some(used) = arrays.get(&self.source[node.byte_range()]) else { continue };
            let body = function_of(node).and_then(|function| function.child_by_field_name("body"));
            if let Some(body) = body {
                uses.entry(body.start_byte()).or_default().extend(used);
            }
        }
    }
}

/// Whether `#` stands before a parameter, which makes a string or another name of it.
pub fn is_spelled(text: &str, at: usize) -> bool {
    text[..at].trim_end().ends_with('#')
}

/// Whether a subscript follows a name, which may stand in parentheses of its own: these parts of the macro's body are around it.
pub fn is_subscripted(mut before: &str, mut behind: &str) -> bool {
    loop {
        (before, behind) = (before.trim_end(), behind.trim_start());
        let inside = before.strip_suffix('(').zip(behind.strip_prefix(')'));
        let Some((outer, rest)) = inside else { return behind.starts_with('[') };
        let calls = |c: char| c.is_ascii_alphanumeric() || "_)]".contains(c);
        if outer.trim_end().ends_with(calls) {
            return false;
        }
        (before, behind) = (outer, rest);
    }
}

/// The names in a part of a text.
pub fn words(text: &str, span: Range<usize>) -> Vec<(String, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text[span.clone()].char_indices().chain([(span.len(), ' ')]) {
        let is_word = c.is_ascii_alphanumeric() || c == '_';
        match (start, is_word) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let word = &text[span.start + from..span.start + at];
                if !word.starts_with(|c: char| c.is_ascii_digit()) {
                    words.push((word.to_owned(), span.start + from));
                }
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Whether a text has a word.
pub fn has_word(text: &str, word: &str) -> bool {
    words(text, 0..text.len()).iter().any(|(of, _)| of == word)
}
