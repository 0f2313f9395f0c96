//! Arrays of modules to which a `use` statement gives other names: the variables of the translator get such names with them.

use super::declarations::Variable;
use super::heads::Unit as Program;
use super::items::Item;
use super::objects::{ArrayObject, Objects, class};
use super::scopes::Scopes;
use super::sidecar::type_of;
use super::tokens::{name_at, used_module};
use super::unit::{descriptor, own};
use crate::diagnostics::Diagnostic;
use std::collections::HashMap;
use std::ops::Range;

/// The home of the arrays of modules to which a scope gives other names.
pub fn renamed_in(scope: usize) -> usize {
    usize::MAX - scope
}

/// The names that a `use` statement gives, each with the place of the module's name for it.
fn renames(code: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    code.match_indices("=>").map(|(at, arrow)| {
        let before = code[..at].trim_end();
        let is_other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let local = before.rfind(is_other).map_or(before, |at| &before[at + 1..]);
        let after = code[at + arrow.len()..].trim_start();
        let start = code.len() - after.len();
        (local, start..start + name_at(after).len())
    })
}

/// The additions to a `use` statement of the user for the arrays to which it gives other names.
pub fn renamed_variables(code: &str, renamed: &[&ArrayObject]) -> Vec<String> {
    let mut entries = Vec::new();
    for (local, name) in renames(code) {
        for array in renamed.iter().filter(|of| belongs_to(&of.name, local)) {
            let old = format!("{}{}", &code[name.clone()], &array.name[local.len()..]);
            entries
                .extend([descriptor, own].map(|of| format!("{} => {}", of(&array.name), of(&old))));
        }
    }
    entries
}

/// Whether an array is that variable, or a component of it.
fn belongs_to(array: &str, variable: &str) -> bool {
    array.strip_prefix(variable).is_some_and(|rest| rest.is_empty() || rest.starts_with('%'))
}

/// Adds the arrays of modules to which `use` statements give other names. Refuses such statements of modules, whose objects have the
/// same names everywhere, and such names of nodes and templates, which the compiler does not know.
pub fn rename(
    items: &[Item],
    scopes: &Scopes,
    objects: &mut Objects,
    modules: &HashMap<String, Vec<usize>>,
    wrong: &mut Vec<Diagnostic>,
) {
    for (number, scope) in scopes.all.iter().enumerate() {
        let is_module = matches!(scope.unit, Program::Module | Program::Submodule);
        for statement in scope.uses.iter().filter_map(|item| items[*item].statement()) {
            let code = statement.code.as_str();
            let homes = used_module(code).and_then(|(module, _)| modules.get(module));
            let homes = homes.map_or(&[][..], Vec::as_slice);
            for (local, span) in renames(code) {
                let name = &code[span.clone()];
                let of_module = objects.arrays.iter().filter(|of| homes.contains(&of.home));
                let arrays: Vec<ArrayObject> =
                    of_module.filter(|of| belongs_to(&of.name, name)).cloned().collect();
                let is_object = homes.iter().any(|home| objects.has(name, *home));
                if (is_object && arrays.is_empty()) || (is_module && !arrays.is_empty()) {
                    let title = format!("`{name}` cannot have another name here");
                    wrong.push(Diagnostic::new(statement.span(span), title).help(
                        "only arrays can, in a program unit or a procedure that is no module",
                    ));
                    continue;
                }
                objects.arrays.extend(arrays.into_iter().map(|array| ArrayObject {
                    name: format!("{local}{}", &array.name[name.len()..]),
                    home: renamed_in(number),
                    variable: array.variable.as_ref().map(|of| typed(items, scopes, &array, of)),
                    ..array
                }));
            }
        }
    }
}

/// The declaration of an array with its type, which the first letter of its name may have given.
fn typed(items: &[Item], scopes: &Scopes, array: &ArrayObject, variable: &Variable) -> Variable {
    let mut variable = variable.clone();
    if variable.type_code.is_empty() {
        let class = class(items, scopes, array.home, &array.name, "");
        variable.type_code = type_of(class).to_owned();
    }
    variable
}
