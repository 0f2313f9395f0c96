//! The kind of a macro at a place: a part of the grammar, another name, or a macro that takes the text of its
//! arguments.

use super::definitions::{Definition, Definitions, any_used, has_word, placed_definitions};
use super::tokens::{Token, invocation_len};
use std::collections::{BTreeMap, BTreeSet};

/// Words by which a macro is more than an expression or a type.
const STATEMENTS: [&str; 18] = [
    "for", "while", "do", "if", "else", "switch", "case", "default", "return", "goto", "break",
    "continue", "=", ";", "{", "}", "_Pragma", "__pragma",
];

/// Words that a macro of a declaration consists of, or begins with.
const SPECIFIERS: [&str; 18] = [
    "static",
    "inline",
    "__inline",
    "__inline__",
    "extern",
    "register",
    "const",
    "volatile",
    "restrict",
    "__restrict",
    "__restrict__",
    "__attribute__",
    "__attribute",
    "__extension__",
    "_Noreturn",
    "auto",
    "typedef",
    "_Thread_local",
];

/// Words that a declaration begins with.
const TYPES: [&str; 12] = [
    "void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "struct",
    "union", "enum",
];

/// The macros that a source may use.
pub struct Macros<'d> {
    /// Macros of the program, wherever they are defined.
    program: &'d Definitions,
    /// Those of the source by their places.
    placed: BTreeMap<String, Vec<(usize, Option<Definition>)>>,
}

impl<'d> Macros<'d> {
    /// Those of a source, and of the program that it is a part of.
    pub fn of(source: &str, program: &'d Definitions) -> Self {
        Self { program, placed: placed_definitions(source) }
    }

    /// The definition of a macro that holds where it is met.
    pub fn definition(&self, name: &str, at: usize) -> Option<&Definition> {
        match self.placed.get(name) {
            Some(all) => all.iter().rev().find(|(from, _)| *from < at)?.1.as_ref(),
            None => self.program.get(name)?.as_ref(),
        }
    }

    /// Whether the replacement of a macro without parameters is another name, wherever it is defined.
    pub fn is_other_name(&self, name: &str) -> bool {
        self.other_name(name).is_some()
    }

    /// The name that is the replacement of a macro without parameters.
    pub fn other_name(&self, name: &str) -> Option<String> {
        let of = match self.placed.get(name) {
            Some(all) => all.iter().find_map(|(_, of)| of.as_ref()),
            None => self.program.get(name).and_then(Option::as_ref),
        };
        let of = of.filter(|of| of.parameters.is_none() && of.body.len() == 1)?;
        of.body[0].is_word().then(|| of.body[0].text.clone())
    }

    /// Whether a macro, or one that it uses, has one of these words.
    pub fn uses(&self, name: &str, at: usize, words: &BTreeSet<String>) -> bool {
        any_used(name, |name| self.definition(name, at), |of| has_word(of, words))
    }

    /// Whether a macro, or one that it uses, is more than an expression or a type.
    pub fn is_grammar(&self, name: &str, at: usize) -> bool {
        any_used(name, |name| self.definition(name, at), is_grammar)
    }

    /// Whether a macro, or one that it uses, has `#` or `##`.
    pub fn takes_text(&self, name: &str, at: usize) -> bool {
        let has = |of: &Definition| of.body.iter().any(|token| token.text.starts_with('#'));
        any_used(name, |name| self.definition(name, at), has)
    }
}

/// Whether a body by itself is more than an expression or a type.
fn is_grammar(of: &Definition) -> bool {
    let body = &of.body;
    let is = |token: &Token, words: &[&str]| words.contains(&token.text.as_str());
    let count = |text: &str| body.iter().filter(|token| token.text == text).count();
    let declares = body.first().is_some_and(|token| {
        is(token, &SPECIFIERS) || is(token, &TYPES) && body.len() > 1 && of.parameters.is_some()
    });
    // Statements in parentheses are an expression of GNU C.
    let is_expression = body.first().is_some_and(|token| token.text == "(")
        && count("_Pragma") == 0
        && invocation_len(body) == body.len();
    let has_statement = body.iter().any(|token| is(token, &STATEMENTS)) && !is_expression;
    body.is_empty()
        || has_statement
        || declares
        || count("(") != count(")")
        || count("[") != count("]")
}
