//! Variables that a `for` statement counts beside the one of its distributed loop: `for (i = 0, k = 5; i < n; i++, k += 2)`. They have
//! the values that go with the iterations of this image.

use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use std::ops::Range;
use tree_sitter::Node;

/// A variable beside the one that counts.
#[derive(Debug)]
pub struct Companion {
    /// Its name.
    pub name: String,
    /// Its first value.
    pub first: Range<usize>,
    /// The expression that changes it.
    pub update: Range<usize>,
    /// The step without its sign, and whether it grows.
    pub step: (String, bool),
}

/// The expressions of a list with commas, from the left.
pub fn listed(node: Node<'_>) -> Vec<Node<'_>> {
    if node.kind() != "comma_expression" {
        return vec![node];
    }
    let parts = ["left", "right"].into_iter().filter_map(|name| node.child_by_field_name(name));
    parts.flat_map(listed).collect()
}

impl Unit<'_> {
    /// The variables beside the one that counts: all that the header changes.
    ///
    /// # Errors
    /// For a variable that gets no value in the header, or that does not count.
    pub fn companions(&self, statement: Node<'_>) -> Result<Vec<Companion>, Diagnostic> {
        let Some(update) = statement.child_by_field_name("update") else { return Ok(Vec::new()) };
        let changes = listed(update).into_iter().skip(1);
        changes.map(|change| self.companion(statement, change)).collect()
    }

    fn companion(&self, statement: Node<'_>, change: Node<'_>) -> Result<Companion, Diagnostic> {
        let text = |node: Node<'_>| self.normal.text[node.byte_range()].to_owned();
        let changed =
            ["argument", "left"].into_iter().find_map(|part| change.child_by_field_name(part));
        let name = changed.map(text).unwrap_or_default();
        let wrong = |title: String| {
            Diagnostic::new(change.byte_range(), title)
                .help("write `for (i = .., k = ..; i < end; i++, k++)`, or change it in the statement that is repeated")
        };
        let step = self.step(change, &name);
        let step = step.ok_or_else(|| wrong("this does not count a variable".to_owned()))?;
        let first = self.values(statement).into_iter().find(|(of, _)| text(*of) == name);
        let (_, first) = first
            .ok_or_else(|| wrong(format!("`{name}` gets no value in this `for` statement")))?;
        Ok(Companion { name, first: first.byte_range(), update: change.byte_range(), step })
    }

    /// The variables that a header sets, and their values.
    fn values<'t>(&self, statement: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
        let Some(first) = statement.child_by_field_name("initializer") else { return Vec::new() };
        let (nodes, parts) = if first.kind() == "declaration" {
            let mut walk = first.walk();
            (
                first.children_by_field_name("declarator", &mut walk).collect(),
                ["declarator", "value"],
            )
        } else {
            (listed(first), ["left", "right"])
        };
        let value = |node: Node<'t>| {
            let [variable, value] = parts.map(|part| node.child_by_field_name(part));
            Some((variable?, value?))
        };
        nodes.into_iter().filter_map(value).collect()
    }
}

/// Whether an expression has a call in it: a bracket after a name.
pub fn has_call(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('(').any(|(at, _)| text[..at].trim_end().ends_with(is_word))
}
