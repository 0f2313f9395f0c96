//! Rewrites extensions of Fortran that other compilers of XcalableMP accept, and that compilers of Fortran refuse.

use super::classify::Kind;
use super::declarations;
use super::heads::Unit;
use super::items::Item;
use super::scopes::{Scope, Scopes};
use super::source::Statement;
use super::tokens::{after, is_word, name_at, outside, uses};
use std::ops::Range;

/// Texts for parts of a statement.
pub type Changes = Vec<(Range<usize>, String)>;

/// Changes of a statement: `::` before initial values, and the words and names at the ends of program units.
pub fn changes(statement: &Statement, number: usize, old: &Kind, scope: &Scope) -> Option<Changes> {
    let code = &statement.code;
    match old {
        Kind::Specification if number < scope.body => {
            let has_value = outside(code, |rest| rest.starts_with('=')).is_some();
            let declares = declarations::declaration(statement).is_some_and(|of| of.is_typed);
            let has_colons = outside(code, |rest| rest.starts_with("::")).is_some();
            let end = declarations::head_end(code)?;
            (has_value && declares && !has_colons).then(|| vec![(end..end, " :: ".to_owned())])
        }
        Kind::UnitEnd => {
            let word = match scope.unit {
                Unit::Program => "program",
                Unit::Module => "module",
                Unit::Submodule => "submodule",
                Unit::Separate => "procedure",
                Unit::Subroutine => "subroutine",
                Unit::Function => "function",
                Unit::Other | Unit::Block => return None,
            };
            let rest = code.strip_prefix("end")?.trim_start();
            let matches = rest.is_empty()
                || after(rest, &["procedure"]).is_some()
                || after(rest, &[word]).is_some_and(|name| {
                    name.is_empty() || scope.name.is_empty() || name == scope.name
                });
            let end = format!("end {word} {}", scope.name).trim_end().to_owned();
            (number == scope.end && !matches).then(|| vec![(0..code.len(), end)])
        }
        _ => None,
    }
}

/// Declarations of the library's functions that the statements and directives of a scope call without declaring them.
pub fn functions(source: &str, items: &[Item], scopes: &Scopes, home: usize) -> Vec<String> {
    let scope = &scopes.all[home];
    let mut names: Vec<String> = Vec::new();
    for (number, item) in items.iter().enumerate().take(scope.end) {
        match item {
            _ if scopes.of_item[number] != Some(home) => {}
            Item::Statement(statement, _) if number >= scope.body => {
                add_called(&statement.code, &mut names);
            }
            Item::Statement(..) => {}
            Item::Directive(directive) => {
                add_called(&source[directive.span.clone()].to_ascii_lowercase(), &mut names);
            }
        }
    }
    names.retain(|name| !is_known(items, scopes, home, name));
    let declared = names.into_iter().map(|name| match name.as_str() {
        "xmp_wtime" | "xmp_wtick" => format!("real(8), external :: {name}"),
        name => format!("integer, external :: {name}"),
    });
    declared.collect()
}

/// Adds the functions of the library that occur in a text in lower case.
fn add_called(code: &str, names: &mut Vec<String>) {
    for (at, _) in code.match_indices("xmp_") {
        let name = name_at(&code[at..]);
        let called = code[at + name.len()..].trim_start().starts_with('(');
        let is_call = after(code, &["call"]).is_some_and(|rest| code.len() - rest.len() == at);
        let is_name = at == 0 || !is_word(code.as_bytes()[at - 1]);
        if called && !is_call && is_name && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
}

/// Whether a scope, one around it or an included file may declare a name.
fn is_known(items: &[Item], scopes: &Scopes, home: usize, name: &str) -> bool {
    let mut at = Some(home);
    while let Some(number) = at {
        let scope = &scopes.all[number];
        let specification = items[scope.first..scope.body].iter().filter_map(Item::statement);
        if specification.into_iter().any(|of| uses(&of.code, name).next().is_some()) {
            return true;
        }
        at = scope.parent;
    }
    scopes.all.iter().any(|scope| scope.name == name)
}
