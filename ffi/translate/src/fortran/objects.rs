//! Nodes, templates and distributed arrays of a file and of the modules that it uses.

use super::declarations::{self, Variable};
use super::items::Item;
use super::scopes::{Scope, Scopes};
use super::tokens::{after, name_at};
use crate::diagnostics::Diagnostic;
use crate::directive::{Format, Nodes, Reference, Subscript, Text, Width};
use crate::meaning::declare::{no_array, not_distributed};
use crate::meaning::{Dim, Language, Layout, Target};
use std::collections::HashSet;

/// A declared node array.
#[derive(Clone, Debug)]
pub struct NodesObject {
    /// Its name.
    pub name: String,
    /// The scope that declares it.
    pub home: usize,
    /// The number of its dimensions.
    pub dims: usize,
    /// The directive; none if another file has it.
    pub declared: Option<Nodes>,
}

/// A declared template.
#[derive(Clone, Debug)]
pub struct TemplateObject {
    /// Its name.
    pub name: String,
    /// The scope that declares it.
    pub home: usize,
    /// The number of its dimensions.
    pub dims: usize,
    /// The distribution of each dimension; empty before `distribute`.
    pub layouts: Vec<Layout>,
    /// The directive; none if another file has it.
    pub declared: Option<Reference>,
    /// The formats and nodes of `distribute`; none if another file has it.
    pub distributed: Option<(Vec<Format>, Text)>,
}

impl TemplateObject {
    /// Whether the bounds and the formats are known where it is declared.
    pub fn is_fixed(&self) -> bool {
        let bounds = self.declared.as_ref().is_some_and(|of| {
            of.subscripts.iter().all(|subscript| !matches!(subscript, Subscript::All(_)))
        });
        let formats = self.distributed.as_ref().is_some_and(|(formats, _)| {
            formats.iter().all(|format| !matches!(format, Format::Gblock(None, _)))
        });
        bounds && formats
    }
}

/// A distributed array.
#[derive(Clone, Debug)]
pub struct ArrayObject {
    /// Its name.
    pub name: String,
    /// The scope that declares it.
    pub home: usize,
    /// Its template.
    pub template: usize,
    /// Its dimensions.
    pub dims: Vec<Dim>,
    /// The widths of its shadow; empty without one.
    pub shadow: Vec<Width>,
    /// Its declaration; none if another file has it.
    pub variable: Option<Variable>,
    /// Whether it is a dummy argument.
    pub is_dummy: bool,
    /// Whether the program allocates it.
    pub is_deferred: bool,
    /// The component of a type that it is, as the directive names it.
    pub component: Option<String>,
    /// The local array that is its part.
    pub alias: Option<Alias>,
    /// The name in the directive.
    pub place: Text,
}

/// A local array that is the part of a distributed one.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Its name.
    pub name: String,
    /// The lower bounds that it is declared with.
    pub lowers: Vec<String>,
    /// Whether it is a coarray.
    pub is_coarray: bool,
}

/// A coarray whose image indices are numbers of nodes.
#[derive(Clone, Debug)]
pub struct OnNode {
    /// Its name.
    pub name: String,
    /// The scope that declares it.
    pub home: usize,
    /// The nodes.
    pub nodes: String,
    /// The number of its codimensions.
    pub corank: usize,
    /// Whether it has one, and images count from 1.
    pub counts_from_1: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub struct Objects {
    /// Node arrays.
    pub nodes: Vec<NodesObject>,
    /// Templates.
    pub templates: Vec<TemplateObject>,
    /// Arrays.
    pub arrays: Vec<ArrayObject>,
    /// Coarrays on nodes.
    pub on_node: Vec<OnNode>,
    /// For each scope, the homes whose names it can use, the nearest first.
    pub visible: Vec<Vec<VisibleHome>>,
    /// For each scope, the variables that it declares.
    pub declared: Vec<HashSet<String>>,
}

/// A home that a scope sees.
#[derive(Clone, Copy, Debug)]
pub struct VisibleHome {
    /// The home.
    pub home: usize,
    /// Whether it is the scope itself or one around it; else it is a module that one of these uses.
    pub is_around: bool,
}

impl Objects {
    /// The layouts of a template; none for nodes.
    pub fn layouts(&self, target: Target) -> &[Layout] {
        target.template().map_or(&[], |number| &self.templates[number].layouts)
    }

    /// The nearest of the objects with a name that a scope can see.
    fn nearest<'o, T>(
        &self,
        all: &'o [T],
        key: impl Fn(&T) -> (&str, usize),
        name: &str,
        scope: usize,
    ) -> Option<(usize, &'o T)> {
        for seen in &self.visible[scope] {
            let found = all.iter().enumerate().find(|(_, object)| key(object) == (name, seen.home));
            if found.is_some() {
                return found;
            }
            // Another variable of that name hides the objects of the scopes around.
            if seen.is_around && self.declared[seen.home].contains(name) {
                return None;
            }
        }
        None
    }

    /// The nodes that a name means in a scope.
    pub fn nodes_at(&self, name: &str, scope: usize) -> Option<&NodesObject> {
        self.nodes_seen(name, scope).map(|(_, of)| of)
    }

    /// The same, with their number.
    pub fn nodes_seen(&self, name: &str, scope: usize) -> Option<(usize, &NodesObject)> {
        self.nearest(&self.nodes, |of| (of.name.as_str(), of.home), name, scope)
    }

    /// The template that a name means in a scope, with its number.
    pub fn template_at(&self, name: &str, scope: usize) -> Option<(usize, &TemplateObject)> {
        self.nearest(&self.templates, |of| (of.name.as_str(), of.home), name, scope)
    }

    /// The array that a name means in a scope, with its number.
    pub fn array_at(&self, name: &str, scope: usize) -> Option<(usize, &ArrayObject)> {
        self.nearest(&self.arrays, |of| (of.name.as_str(), of.home), name, scope)
    }

    /// The coarray on nodes that a name means in a scope.
    pub fn on_node_at(&self, name: &str, scope: usize) -> Option<&OnNode> {
        self.nearest(&self.on_node, |of| (of.name.as_str(), of.home), name, scope).map(|(_, of)| of)
    }

    /// The array of a directive.
    ///
    /// # Errors
    /// When it is not distributed.
    pub fn array(&self, name: &Text, scope: usize) -> Result<(usize, &ArrayObject), Diagnostic> {
        self.array_at(&name.text, scope).ok_or_else(|| not_distributed(name))
    }

    /// Whether a home has an object of that name.
    pub fn has(&self, name: &str, home: usize) -> bool {
        self.nodes.iter().any(|of| of.home == home && of.name == name)
            || self.templates.iter().any(|of| of.home == home && of.name == name)
            || self.arrays.iter().any(|of| of.home == home && of.name == name)
            || self.on_node.iter().any(|of| of.home == home && of.name == name)
    }

    /// Whether a scope declares objects.
    pub fn are_in(&self, home: usize) -> bool {
        self.nodes.iter().any(|of| of.home == home)
            || self.templates.iter().any(|of| of.home == home)
            || self.arrays.iter().any(|of| of.home == home)
    }
}

/// The class of a variable's type, as the run-time library numbers it: 1 integer, 2 logical, 3 real, 4 complex, 6 others.
pub fn class(items: &[Item], scopes: &Scopes, scope: usize, name: &str, type_code: &str) -> u8 {
    match name_at(type_code) {
        "integer" => 1,
        "logical" => 2,
        "real" | "doubleprecision" => 3,
        "double" => {
            if type_code.contains("complex") {
                4
            } else {
                3
            }
        }
        "complex" => 4,
        "" => implicit_class(items, scopes, scope, name),
        _ => 6,
    }
}

/// The class of the first letter of a name.
fn implicit_class(items: &[Item], scopes: &Scopes, scope: usize, name: &str) -> u8 {
    let first = name.chars().next().unwrap_or('a');
    let mut at = Some(scope);
    while let Some(number) = at {
        let scope = &scopes.all[number];
        for item in &items[scope.first..scope.body] {
            let code = item.statement().map_or("", |statement| statement.code.as_str());
            let Some(rest) = after(code, &["implicit"]) else { continue };
            let Some(open) = rest.rfind('(') else { continue };
            let letters = rest[open + 1..].trim_end_matches(')').split(',');
            let covers = |range: &str| {
                let mut ends = range.trim().chars().filter(|c| c.is_ascii_alphabetic());
                let low = ends.next();
                low.is_some_and(|low| (low..=ends.next().unwrap_or(low)).contains(&first))
            };
            if letters.into_iter().any(covers) {
                return class(items, scopes, number, name, rest[..open].trim());
            }
        }
        at = scope.parent;
    }
    if ('i'..='n').contains(&first) { 1 } else { 3 }
}

/// The declaration of an array of a directive.
///
/// # Errors
/// When there is none in the scope.
pub fn declared_array(items: &[Item], scope: &Scope, name: &Text) -> Result<Variable, Diagnostic> {
    let found = declarations::variable(items, scope, &name.text)
        .filter(|variable| !variable.dims.is_empty());
    found.ok_or_else(|| no_array(name, Language::Fortran))
}
