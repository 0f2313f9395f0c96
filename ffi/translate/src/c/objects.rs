//! The objects that the directives of a C file declare: nodes, templates and distributed arrays.

use super::names::{Class, Member, Names};
use crate::directive::{Format, Nodes, Reference, Text, Width};
use crate::meaning::{Dim, Layout, Target};
use std::ops::Range;
use tree_sitter::Node;

/// The scope and the lifetime of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The part of the file in which its name is known.
    pub scope: Range<usize>,
    /// Whether it is made in a block: it ends there, unless it is kept.
    pub local: bool,
    /// Whether an object of a block stays when the block ends: `static_desc`, or a static array.
    pub kept: bool,
}

impl Home {
    /// The objects that are not declared in a block.
    pub fn of_file(text: &str) -> Self {
        Self { scope: 0..text.len(), local: false, kept: false }
    }
}

/// `nodes`
#[derive(Clone, Debug)]
pub struct NodesObject {
    /// As declared.
    pub declared: Nodes,
    /// Its scope.
    pub home: Home,
    /// The directive that declares it.
    pub directive: usize,
}

/// `template` and `distribute`
#[derive(Clone, Debug)]
pub struct TemplateObject {
    /// Name and bounds.
    pub declared: Reference,
    /// Formats, the fastest dimension first; empty until `distribute`.
    pub formats: Vec<Format>,
    /// Their layouts.
    pub layouts: Vec<Layout>,
    /// The nodes that it is distributed onto.
    pub onto: Option<Text>,
    /// Its scope.
    pub home: Home,
    /// The directive that declares it.
    pub directive: usize,
    /// The directive that distributes it.
    pub distributed: Option<usize>,
}

/// A distributed array.
#[derive(Clone, Debug)]
pub struct ArrayObject {
    /// Its name.
    pub name: Text,
    /// The number of its variable.
    pub variable: usize,
    /// Its declaration.
    pub class: Class,
    /// Whether it is a pointer that `xmp_malloc` gives memory to.
    pub pointer: bool,
    /// Its dimensions in the order of C.
    pub dims: Vec<Dim>,
    /// Their sizes as declared; none for an open size.
    pub sizes: Vec<Option<String>>,
    /// The widths of its shadow; empty without one.
    pub shadow: Vec<Width>,
    /// The number of its template.
    pub template: usize,
    /// The last directive that names it. A local array is made there.
    pub directive: usize,
    /// Its scope.
    pub home: Home,
    /// Whether the program reaches it by its name only.
    pub exclusive: bool,
}

impl ArrayObject {
    /// The qualifier of the pointer to its part.
    pub fn qualifier(&self) -> &'static str {
        if self.exclusive { "__restrict " } else { "" }
    }
}

/// All objects of a file.
#[derive(Debug, Default)]
pub struct Objects {
    /// Node arrays.
    pub nodes: Vec<NodesObject>,
    /// Templates.
    pub templates: Vec<TemplateObject>,
    /// Distributed arrays.
    pub arrays: Vec<ArrayObject>,
}

/// A file whose objects are collected.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// The syntax tree.
    pub root: Node<'a>,
    /// The readable text.
    pub text: &'a str,
    /// Its variables.
    pub names: &'a Names,
    /// The distributed members of structures among them.
    pub members: &'a [Member],
}

impl Objects {
    /// The layouts of a template; none for nodes.
    pub fn layouts(&self, target: Target) -> &[Layout] {
        target.template().map_or(&[], |number| &self.templates[number].layouts)
    }

    /// The nodes of this name at a place.
    pub fn nodes_at(&self, name: &Text) -> Option<&NodesObject> {
        self.nodes_number(name).map(|nth| &self.nodes[nth])
    }

    /// Their number.
    pub fn nodes_number(&self, name: &Text) -> Option<usize> {
        let at = name.span.start;
        let known = self.nodes.iter().enumerate().filter(|(_, of)| {
            of.declared.shape.name.text == name.text && of.home.scope.contains(&at)
        });
        known.min_by_key(|(_, of)| of.home.scope.len()).map(|(nth, _)| nth)
    }

    /// The template of this name at a place, and its number.
    pub fn template_at(&self, name: &Text) -> Option<usize> {
        let at = name.span.start;
        let known = self.templates.iter().enumerate();
        let known = known
            .filter(|(_, of)| of.declared.name.text == name.text && of.home.scope.contains(&at));
        known.min_by_key(|(_, of)| of.home.scope.len()).map(|(nth, _)| nth)
    }

    /// The array that is this variable.
    pub fn array_of(&self, variable: usize) -> Option<&ArrayObject> {
        self.arrays.iter().find(|array| array.variable == variable)
    }
}
