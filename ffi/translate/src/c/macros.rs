//! Macros of the file: the distributed arrays that functions use by them.

use super::names::Class;
use super::on::PREFIX;
use super::syntax::{descendants, function_of};
use super::unit::Unit;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Arrays that functions use, by the places of their bodies.
pub type Uses = BTreeMap<usize, BTreeSet<usize>>;

/// A macro: its name and the names in its body.
#[derive(Debug)]
pub struct Macro {
    name: String,
    words: Vec<(String, usize)>,
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
            let body = at + name.len();
            if self.normal.text[body..].starts_with('(') {
                let end =
                    self.normal.text[body..span.end].find(')').map_or(span.end, |len| body + len);
                let parameters: Vec<String> = words
                    .iter()
                    .filter(|(_, at)| *at < end)
                    .map(|(name, _)| name.clone())
                    .collect();
                words.retain(|(name, at)| *at > end && !parameters.contains(name));
            }
            macros.push(Macro { name, words });
        }
        macros
    }

    /// Arrays that functions use by macros; and the subscripts in those.
    pub fn uses_by_macros(&mut self, macros: &[Macro], uses: &mut Uses) {
        let objects = self.objects;
        let mut arrays: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for of in macros {
            for (word, at) in &of.words {
                let found = objects.arrays.iter().find(|array| array.name.text == *word);
                if let Some(array) = found {
                    self.rewrite_subscripts(array, at + word.len());
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
