//! Statement functions: they look like assignments to elements of an array, and belong to the specification part.

use super::classify::Kind;
use super::declarations::variable;
use super::items::Item;
use super::scopes::{Scope, Scopes};
use super::tokens::{after, name_at};

/// Moves the start of the executable part of each scope after its statement functions.
pub fn leave_in_specifications(items: &[Item], scopes: &mut Scopes) {
    for scope in &mut scopes.all {
        while is_statement_function(items, scope) {
            let specifies = |item: &Item| match item {
                Item::Statement(_, kind) => *kind == Kind::Specification,
                Item::Directive(directive) => directive.kind.declares(),
            };
            let rest = &items[scope.body + 1..scope.end];
            let len = rest.iter().take_while(|item| specifies(item)).count();
            scope.body += 1 + len;
        }
    }
}

/// Whether the first executable statement of a scope is none: `f(x, y) = 3*x + y`, where `f` is a scalar.
fn is_statement_function(items: &[Item], scope: &Scope) -> bool {
    let Some(Item::Statement(statement, Kind::Executable)) = items.get(scope.body) else {
        return false;
    };
    let name = name_at(&statement.code);
    let rest = statement.code[name.len()..].trim_start();
    let Some((arguments, value)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
    else {
        return false;
    };
    let is_name = |argument: &str| {
        let argument = argument.trim();
        !argument.is_empty() && name_at(argument) == argument
    };
    let are_names = arguments.trim().is_empty() || arguments.split(',').all(is_name);
    let value = value.trim_start();
    if name.is_empty() || !are_names || !value.starts_with('=') || value.starts_with("=>") {
        return false;
    }
    match variable(items, scope, name) {
        Some(variable) => !variable.type_code.is_empty() && variable.dims.is_empty(),
        None => {
            let is_strict = |item: &Item| {
                let code = item.statement().map_or("", |statement| statement.code.as_str());
                after(code, &["implicit", "none"]).is_some()
            };
            let is_alone = scope.parent.is_none() && scope.uses.is_empty();
            is_alone && !items[scope.first..scope.body].iter().any(is_strict)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::items;
    use super::super::source::{COLUMNS, statements};
    use super::*;
    use crate::directive::Form;

    #[test]
    fn statement_functions_are_told_from_assignments() {
        let first = |source: &str| {
            let items = items(statements(source, Form::Free, COLUMNS), Vec::new());
            let mut scopes = Scopes::of(&items).unwrap();
            leave_in_specifications(&items, &mut scopes);
            items[scopes.all[0].body].statement().unwrap().code.clone()
        };
        for (source, body) in [
            ("real f\nf(x) = 2*x\ny = f(1.)\nend", "y = f(1.)"),
            ("f(x) = 2*x\ng(x, y) = f(x) + y\ndata z /1/\ny = f(1.)\nend", "y = f(1.)"),
            ("real f(3)\nf(x) = 2*x\nend", "f(x) = 2*x"),
            ("dimension f(3)\nf(x) = 2*x\nend", "f(x) = 2*x"),
            ("use m\nf(x) = 2*x\nend", "f(x) = 2*x"),
            ("implicit none\nf(x) = 2*x\nend", "f(x) = 2*x"),
            ("f(2) = 2*x\nend", "f(2) = 2*x"),
            ("real f\nf() = 2\nend", "end"),
        ] {
            assert_eq!(first(source), body, "{source}");
        }
    }
}
