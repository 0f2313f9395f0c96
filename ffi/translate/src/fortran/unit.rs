//! The state of the translation of one file, and the additions to each scope.

use super::items::Item;
use super::objects::Objects;
use super::output::Output;
use super::scopes::Scopes;
use super::source::Statement;
use super::writer::{Code, HERE};
use crate::diagnostics::Diagnostic;
use crate::directive::Text;
use std::collections::HashMap;

/// The result of a step of the translation.
pub type TranslationResult = Result<(), Diagnostic>;

/// The additions to a scope.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// The interfaces of the run-time library.
    pub interfaces: bool,
    /// Declarations of variables of the translator.
    pub variables: Vec<String>,
    /// The number of loop variables of the translator.
    pub counters: usize,
}

/// A file in translation.
#[derive(Debug)]
pub struct Unit<'a> {
    /// The text of the user.
    pub source: &'a str,
    /// Statements and directives.
    pub items: &'a [Item],
    /// Program units and procedures.
    pub scopes: &'a Scopes,
    /// Nodes, templates and arrays.
    pub objects: &'a Objects,
    /// For each module, the homes of its objects and of those that it uses.
    pub modules: &'a HashMap<String, Vec<usize>>,
    /// The common blocks with distributed arrays, and which of their variables these are.
    pub common: &'a HashMap<String, Vec<bool>>,
    /// The translated text.
    pub output: Output<'a>,
    /// For each scope, its additions.
    pub needs: Vec<Needs>,
    /// Everything that is wrong.
    pub wrong: Vec<Diagnostic>,
}

/// The variable that holds the descriptor of an object. No other name of the translator begins with `xmpt_` and a letter: the
/// object may have any name.
pub fn descriptor(name: &str) -> String {
    format!("xmpt_{}", name.replace('%', "__"))
}

/// The variable with this image's part of a template or of an array.
pub fn own(name: &str) -> String {
    format!("xmptown_{}", name.replace('%', "__"))
}

/// An expression of the user as a default integer.
pub fn integer(text: &str) -> String {
    let text = text.trim();
    if is_literal(text) { text.to_owned() } else { format!("int({text})") }
}

/// An expression of the user in a list of integers of 64 bits, which keeps the value of a variable of this kind.
pub fn wide_integer(text: &str) -> String {
    let text = text.trim();
    if is_literal(text) { text.to_owned() } else { format!("int({text}, 8)") }
}

/// An expression of the user as a default integer; a value that is none ends the job as the operand `what` of a directive.
pub fn checked_integer(what: &str, text: &str) -> String {
    let text = text.trim();
    if is_literal(text) {
        text.to_owned()
    } else {
        format!("xmprt_fortran_int('{what}', int({text}, 8), {HERE})")
    }
}

fn is_literal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// An expression of the user as one operand.
pub fn operand(text: &str) -> String {
    let text = text.trim();
    let simple = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if simple { text.to_owned() } else { format!("({text})") }
}

impl<'a> Unit<'a> {
    /// The scope of an item.
    pub fn scope_of(&self, item: usize) -> usize {
        self.scopes.of_item[item].expect("items without a scope were refused")
    }

    /// The statement with this number.
    pub fn statement(&self, item: usize) -> &'a Statement {
        self.items[item].statement().expect("the item is a statement")
    }

    /// The statement after a directive.
    ///
    /// # Errors
    /// When another directive, or nothing, follows.
    pub fn next_statement(&self, item: usize, directive: &Text) -> Result<usize, Diagnostic> {
        let next = self.items.get(item + 1).and_then(Item::statement);
        next.map(|_| item + 1).ok_or_else(|| {
            Diagnostic::new(
                directive.span.clone(),
                format!("a statement has to follow the `{}` directive", directive.text),
            )
        })
    }

    /// Puts statements in the place of a directive, in a scope that then needs the interfaces.
    pub fn instead(&mut self, item: usize, code: Vec<Code>) {
        let scope = self.scope_of(item);
        self.needs[scope].interfaces = true;
        self.output.replace(item, code);
    }

    /// A new loop variable of the translator.
    pub fn counter(&mut self, scope: usize) -> String {
        let needs = &mut self.needs[scope];
        needs.counters += 1;
        let name = format!("xmpt_{}", needs.counters);
        needs.variables.push(format!("integer :: {name}"));
        name
    }
}
