//! Edits of a source text, by places in the original.

use std::ops::Range;

/// Text to be inserted at a place. Closing texts come before opening ones, inner before outer.
#[derive(Debug)]
struct Insertion {
    at: usize,
    order: (u8, i64),
    text: String,
}

/// The edits of a text.
#[derive(Debug, Default)]
pub struct Edits {
    insertions: Vec<Insertion>,
    replacements: Vec<(Range<usize>, String)>,
}

impl Edits {
    /// Inserts text before and after a span. Wraps of the same span nest: the first one is the innermost.
    pub fn wrap(
        &mut self,
        span: &Range<usize>,
        before: impl Into<String>,
        after: impl Into<String>,
    ) {
        let (len, turn) = (span.len() as i64, self.insertions.len() as i64);
        let order = (2, -(len << 20) - turn);
        self.insertions.push(Insertion { at: span.start, order, text: before.into() });
        let order = (0, (len << 20) + turn);
        self.insertions.push(Insertion { at: span.end, order, text: after.into() });
    }

    /// Inserts text at a place, between edits that end and edits that begin there.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        let order = (1, self.insertions.len() as i64);
        self.insertions.push(Insertion { at, order, text: text.into() });
    }

    /// Replaces a span; insertions within it are dropped, its line ends are kept after the text.
    pub fn replace(&mut self, span: Range<usize>, text: impl Into<String>) {
        self.replacements.push((span, text.into()));
    }

    /// Whether a place is within a span that is replaced.
    pub fn is_replaced(&self, at: usize) -> bool {
        self.replacements.iter().any(|(span, _)| span.contains(&at))
    }

    /// The edited text, with as many lines as the original when no insertion has a line end.
    pub fn apply(mut self, source: &str) -> String {
        self.insertions.sort_by_key(|insertion| (insertion.at, insertion.order));
        self.replacements.sort_by_key(|(span, _)| (span.start, span.end));
        let mut text = String::with_capacity(source.len() * 2);
        let mut at = 0;
        let mut insertions = self.insertions.into_iter().peekable();
        for (span, new) in self.replacements {
            // Never silently wrong: a translation that is edited twice at one place is a fault of the translator.
            assert!(
                span.start >= at,
                "replacements overlap at {span:?}: {:?}",
                &source[span.clone()]
            );
            while let Some(next) = insertions.next_if(|next| next.at <= span.start) {
                text += &source[at..next.at];
                text += &next.text;
                at = next.at;
            }
            text += &source[at..span.start];
            text += &new;
            let lines = source[span.clone()].matches('\n').count();
            text.extend(std::iter::repeat_n('\n', lines.saturating_sub(new.matches('\n').count())));
            at = span.end;
            while insertions.next_if(|next| next.at < span.end).is_some() {}
        }
        for next in insertions {
            text += &source[at..next.at];
            text += &next.text;
            at = next.at;
        }
        text + &source[at..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_nest() {
        let mut edits = Edits::default();
        edits.wrap(&(0..1), "<", ">");
        edits.wrap(&(0..3), "{", "}");
        edits.wrap(&(0..1), "(", ")");
        edits.wrap(&(2..3), "[", "]");
        assert_eq!(edits.apply("a+b"), "{(<a>)+[b]}");
    }

    #[test]
    fn replaced_text_keeps_its_lines() {
        let mut edits = Edits::default();
        edits.insert(2, "dropped");
        edits.replace(1..6, "x");
        edits.insert(6, "!");
        edits.insert(1, "?");
        assert_eq!(edits.apply("ab\nc\nde"), "a?x\n\n!e");
    }
}
