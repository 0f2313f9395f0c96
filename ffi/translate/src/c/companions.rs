//! Variables that a `for` statement counts beside the one of its distributed loop: `for (i = 0, k = 5; i < n; i++, k += 2)`. They have
//! the values that go with the iterations of this image.

use super::definitions::{Definition, Definitions, any_used};
use super::tokens::spelled;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use std::ops::Range;
use tree_sitter::Node;

/// A variable of a loop header beside the counter.
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
    /// The variables beside the counter: all others that the header changes.
    ///
    /// # Errors
    /// For a variable that gets no value in the header, that does not count, or that depends on another one that counts.
    pub fn companions(&self, statement: Node<'_>) -> Result<Vec<Companion>, Diagnostic> {
        let Some(update) = statement.child_by_field_name("update") else { return Ok(Vec::new()) };
        let changes = listed(update);
        let companions = changes.iter().skip(1).map(|change| self.companion(statement, *change));
        let companions = companions.collect::<Result<Vec<_>, _>>()?;
        self.independent(statement, changes[0], &companions)?;
        Ok(companions)
    }

    /// Checks that no first value and no step depends on a variable that counts: on this image, such a variable begins with
    /// another value than in the serial program.
    fn independent(
        &self,
        statement: Node<'_>,
        change: Node<'_>,
        companions: &[Companion],
    ) -> TranslationResult {
        let text = |node: Node<'_>| &self.normal.text[node.byte_range()];
        let values = self.values(statement);
        let Some(variable) = values.first().map(|(variable, _)| text(*variable)) else {
            return Ok(());
        };
        if let Some(again) = companions.iter().find(|companion| companion.name == variable) {
            let title = format!("this counts `{variable}` again");
            return Err(Diagnostic::new(again.update.clone(), title)
                .help(format!("write one step, such as `{variable} += 2`")));
        }
        // Nothing else is computed from the first value of a variable that counts alone: `i = i + 1` has its meaning.
        let firsts = values.iter().skip(usize::from(companions.is_empty()));
        let firsts = firsts.map(|(variable, value)| {
            (variable.start_byte()..value.end_byte(), text(*variable), text(*value).to_owned())
        });
        let step = self.step(change, variable);
        let step = step.map(|(step, _)| (change.byte_range(), variable, step));
        let steps = companions
            .iter()
            .map(|each| (each.update.clone(), each.name.as_str(), each.step.0.clone()));
        let names = companions.iter().map(|companion| companion.name.as_str());
        let counted: Vec<_> = names.chain([variable]).flat_map(words).collect();
        let mut parts = firsts.chain(step).chain(steps);
        match parts.find(|(_, _, text)| words(text).any(|word| counted.contains(&word))) {
            Some((span, name, _)) => Err(Diagnostic::new(
                span,
                format!("`{name}` depends on a variable that this loop counts"),
            )
            .help("write its first value and its step with other variables")),
            None => Ok(()),
        }
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
    pub fn values<'t>(&self, statement: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
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
        let sets = |node: &Node<'t>| {
            let operator = node.child_by_field_name("operator");
            operator.is_none_or(|operator| &self.normal.text[operator.byte_range()] == "=")
        };
        let value = |node: Node<'t>| {
            let [variable, value] = parts.map(|part| node.child_by_field_name(part));
            Some((variable?, value?))
        };
        nodes.into_iter().filter(sets).filter_map(value).collect()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The names in an expression, without names of members.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(is_word).filter_map(|(at, first)| {
        let before = &text[..at];
        let member = [".", "->"].into_iter().any(|access| before.trim_end().ends_with(access));
        let is_name = !member && !before.ends_with(is_word) && !first.starts_with(char::is_numeric);
        is_name.then(|| text[at..].split(|c: char| !is_word(c)).next()).flatten()
    })
}

/// The words of types that a cast to a number has.
const NUMBERS: [&str; 9] =
    ["char", "short", "int", "long", "signed", "unsigned", "float", "double", "size_t"];

/// Whether an expression may change something: it has a call, `++`, `--` or an assignment, or a macro has one. A macro that is defined in
/// several ways may.
pub fn has_effect(text: &str, macros: &Definitions) -> bool {
    let find = |name: &str| macros.get(name).map(Option::as_ref);
    let has = |of: Option<&Definition>| of.is_none_or(|of| changes(&spelled(&of.body)));
    changes(text) || words(text).any(|word| any_used(word, find, has))
}

fn changes(text: &str) -> bool {
    let is_call = |(at, _): (usize, &str)| {
        let before = text[..at].trim_end();
        if let Some(cast) = before.strip_suffix(')') {
            let inside = &cast[cast.rfind('(').map_or(0, |open| open + 1)..];
            return !words(inside).all(|word| NUMBERS.contains(&word));
        }
        let name = before.rsplit(|c: char| !is_word(c)).next();
        before.ends_with(']') || name.is_some_and(|name| !name.is_empty() && name != "sizeof")
    };
    let is_assignment = |(at, _): (usize, &str)| {
        let before = &text[..at];
        let compares = before.ends_with(['=', '!', '<', '>']) || text[at + 1..].starts_with('=');
        !compares || before.ends_with("<<") || before.ends_with(">>")
    };
    ["++", "--"].into_iter().any(|change| text.contains(change))
        || text.match_indices('(').any(is_call)
        || text.match_indices('=').any(is_assignment)
}
