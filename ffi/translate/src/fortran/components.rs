//! `align b%a(i) with t(i)`: the component `a` of all variables of type `b` is distributed. It becomes allocatable, and is allocated
//! for each variable where the program starts, unless it is allocatable anyway.

use super::classify::Kind;
use super::declarations::{Variable, declaration, specification, variable_in};
use super::heads::Unit as Program;
use super::items::Item;
use super::scopes::Scope;
use super::tokens::{after, assignment, name_at};
use super::unit::{TranslationResult, Unit};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::Text;
use crate::meaning::Layout;
use std::ops::Range;

/// The component of a type: its declaration, and the variables of that type.
#[derive(Debug)]
pub struct Component {
    /// Its declaration in the type.
    pub variable: Variable,
    /// The components as designators: `c%a`.
    pub designators: Vec<String>,
}

/// The component that a directive names.
///
/// # Errors
/// When the scope has no such type, component or variable.
pub fn component(items: &[Item], scope: &Scope, name: &Text) -> Result<Component, Diagnostic> {
    let refused =
        |title: String, help: &str| Err(Diagnostic::new(name.span.clone(), title).help(help));
    let (of_type, member) = name.text.split_once('%').unwrap_or((&name.text, ""));
    let Some(body) = type_body(items, scope, of_type).filter(|_| !member.contains('%')) else {
        return refused(
            format!("there is no type `{of_type}` here"),
            "write the name of the type before `%`, where the type and its variables are declared",
        );
    };
    if !matches!(scope.unit, Program::Program | Program::Module) {
        return refused(
            "components are distributed in main programs and modules only".into(),
            "move the type and its variables there",
        );
    }
    let members = body.filter_map(|item| Some((item, items[item].statement()?)));
    let variable = variable_in(members, member).filter(|variable| {
        !variable.dims.is_empty() && !variable.is_pointer && variable.initial.is_none()
    });
    let Some(variable) = variable else {
        return refused(
            format!("`{of_type}` has no array `{member}` that can be distributed"),
            "declare the component with its bounds or as allocatable, and without a value",
        );
    };
    let mut designators = Vec::new();
    for (_, statement) in specification(items, scope) {
        let Some(declared) = declaration(statement) else { continue };
        let head = statement.code[declared.head.clone()].replace(' ', "");
        if head != format!("type({of_type})") {
            continue;
        }
        for entity in &declared.entities {
            let name = &statement.code[entity.name.clone()];
            let is_other = |span: &Range<usize>| {
                !["save", "target", "public", "private"]
                    .contains(&statement.code[span.clone()].trim())
            };
            if entity.dims.is_some()
                || declared.dimension.is_some()
                || declared.attributes.iter().any(is_other)
            {
                let wrong = format!(
                    "`{name}` is no plain variable: its component `{member}` cannot be distributed"
                );
                return refuse(statement.span(entity.name.clone()), wrong);
            }
            designators.push(format!("{name}%{member}"));
        }
    }
    if designators.is_empty() {
        return refused(
            format!("there is no variable of the type `{of_type}` here"),
            "declare it where the type is",
        );
    }
    Ok(Component { variable, designators })
}

/// The items between the first and the last statement of a type.
fn type_body(items: &[Item], scope: &Scope, name: &str) -> Option<Range<usize>> {
    let is_start = |item: &Item| {
        let Item::Statement(statement, Kind::TypeStart) = item else { return false };
        let Some(rest) = after(&statement.code, &["type"]) else { return false };
        let rest = rest.find("::").map_or(rest, |at| rest[at + 2..].trim_start());
        name_at(rest) == name
    };
    let first = scope.first + items[scope.first..scope.body].iter().position(is_start)?;
    let is_end = |item: &Item| item.kind() == Some(&Kind::TypeEnd);
    let len = items[first..scope.body].iter().position(is_end)?;
    Some(first + 1..first + len)
}

impl Unit<'_> {
    /// Makes the distributed components of the types of a scope allocatable.
    pub fn redeclare_components(&mut self, home: usize) {
        let (items, scope) = (self.items, &self.scopes.all[home]);
        let arrays = self.objects.arrays.iter().filter(|of| of.home == home && !of.is_deferred);
        let names: Vec<(String, usize)> =
            arrays.filter_map(|of| Some((of.component.clone()?, of.dims.len()))).collect();
        for (name, _) in &names {
            let Some((of_type, _)) = name.split_once('%') else { continue };
            for item in type_body(items, scope, of_type).into_iter().flatten() {
                let Some(statement) = items[item].statement() else { continue };
                let Some(declared) = declaration(statement) else { continue };
                let mut head = statement.text[declared.head.clone()].to_owned();
                for attribute in &declared.attributes {
                    head += &format!(", {}", &statement.text[attribute.clone()]);
                }
                let mut is_changed = false;
                let one = |entity: &super::declarations::Entity| -> Code {
                    let member = &statement.code[entity.name.clone()];
                    let rank =
                        names.iter().find(|(name, _)| *name == format!("{of_type}%{member}"));
                    if let Some((_, rank)) = rank {
                        is_changed = true;
                        let dims = vec![":"; *rank].join(", ");
                        return format!("{head}, allocatable :: {member}({dims})").into();
                    }
                    let dims = entity.dims.as_ref().or(declared.dimension.as_ref());
                    let dims = dims.map_or(String::new(), |dims| {
                        format!("({})", &statement.text[dims.clone()])
                    });
                    let tail = &statement.text[entity.tail.clone()];
                    format!("{head} :: {member}{dims} {tail}").into()
                };
                let code: Vec<Code> = declared.entities.iter().map(one).collect();
                if is_changed {
                    self.output.replace(item, code);
                }
            }
        }
    }

    /// Refuses assignments to whole variables with distributed components: they would get other memory.
    ///
    /// # Errors
    /// Names the variable.
    pub fn check_whole(&self, item: usize) -> TranslationResult {
        let (statement, scope) = (self.statement(item), self.scope_of(item));
        let Some(equals) = assignment(&statement.code) else { return Ok(()) };
        let name = statement.code[..equals].trim();
        let prefix = format!("{name}%");
        let seen = self.objects.visible[scope].iter().map(|seen| seen.home);
        let homes: Vec<usize> = seen.collect();
        let is_one = |of: &super::objects::ArrayObject| {
            of.component.is_some() && of.name.starts_with(&prefix) && homes.contains(&of.home)
        };
        if self.objects.arrays.iter().any(is_one) {
            let wrong =
                format!("`{name}` has distributed components: it cannot be assigned as a whole");
            return Err(Diagnostic::new(statement.whole(), wrong).help("assign its components"));
        }
        Ok(())
    }
}

/// Whether a component can have a layout: its references stay as they are.
pub fn can_be(layout: Layout) -> bool {
    !layout.is_cyclic()
}
